/** `pixgate doctor`: in words what is wrong with a machine or its settings, as the process that an operator runs. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { sql } from "../../src/db/sql.ts";
import { checkNames } from "../../src/program/doctor/check-names.ts";
import { settingNames } from "../../src/settings/config.ts";
import { freshDatabase } from "../harness/database.ts";
import { freePort } from "../harness/free-port.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const BIN = fileURLToPath(new URL("../../bin/pixgate.mjs", import.meta.url));
type Found = { readonly name: string; readonly state: string; readonly found: string };

describe("pixgate doctor", () => {
  const folder = mkdtempSync(join(tmpdir(), "pixgate-doctor-"));
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ PIXGATE_ROLE: "api" });
  });
  after(async () => {
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (env: Record<string, string>) =>
    spawnSync(process.execPath, [BIN, "doctor", "--json"], {
      env: {
        PATH: process.env.PATH,
        PIXGATE_DATA_DIR: folder,
        PIXGATE_PORT: "0",
        PIXGATE_SIMULATOR_PORT: "off",
        ...env,
      },
      encoding: "utf8",
    });

  function doctor(env: Record<string, string>): { code: number | null; checks: Found[]; problems: string[] } {
    const { status, stdout, stderr } = run(env);
    assert.equal(stderr, "");
    const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Found[] };
    assert.equal(ok, status === 0);
    const problems = checks.filter(({ state }) => state !== "ok").map(({ name, state }) => `${state}: ${name}`);
    return { code: status, checks, problems };
  }

  test("finds nothing where a gateway runs, and changes nothing in an empty folder", () => {
    const { code, problems } = doctor({ DATABASE_URL: gateway.databaseUrl, PIXGATE_DATA_DIR: gateway.dataDir });
    assert.deepEqual([code, problems], [0, []]);
    assert.deepEqual([doctor({}).code, readdirSync(folder)], [0, []]);
    assert.deepEqual(doctor({ PIXGATE_DATA_DIR: BIN }).problems, ["wrong: data directory"]);
  });

  test("names a wrong setting, and each that is dangerous in production", () => {
    const wrong = run({ PIXGATE_RATE_LIMIT: "many" });
    assert.deepEqual([wrong.status, wrong.stdout], [1, ""]);
    assert.match(wrong.stderr, /^pixgate: PIXGATE_RATE_LIMIT .*\n$/);
    const production = doctor({ PIXGATE_ENV: "production", DATABASE_URL: gateway.databaseUrl });
    const said = production.checks.map(({ found }) => found).join("\n");
    assert.match(said, /PIXGATE_SECRET_KEY is not set/);
    assert.match(said, /PIXGATE_PUBLIC_URL must be/);
    assert.match(said, /its institution ".*" is of a sandbox/);
  });

  test("names a setting with a slip in its name, which nothing reads, and none of those that are read", () => {
    const quiet = { DATABASE_URL: gateway.databaseUrl, PIXGATE_DATA_DIR: gateway.dataDir };
    const { code, checks } = doctor({ ...quiet, PIXGATE_PUBLIK_URL: "https://x.example", PIXGATE_SPEED: "high" });
    const said = checks.filter(({ name, state }) => name === "settings" && state === "warning");
    assert.deepEqual(
      [code, said.map(({ found }) => found)],
      [
        0,
        [
          "PIXGATE_PUBLIK_URL is no setting, and does nothing: did you mean PIXGATE_PUBLIC_URL?",
          "PIXGATE_SPEED is no setting, and does nothing",
        ],
      ],
    );
    const page = readFileSync(new URL("../../../docs/operating.md", import.meta.url), "utf8");
    const compose = readFileSync(new URL("../../../compose.yaml", import.meta.url), "utf8");
    const documented = [...`${page}${compose}`.matchAll(/\bPIXGATE_[A-Z_]+[A-Z]\b/g)].map(([name]) => name);
    assert.ok(documented.length > 60);
    const env = Object.fromEntries(documented.map((name) => [name, "x"]));
    assert.deepEqual(
      checkNames(env, settingNames()).map(({ found }) => found),
      [],
    );
  });

  test("says that a database is away, empty, or another key's, and leaves it as it was", async () => {
    const away = doctor({ DATABASE_URL: "postgres://a:b@127.0.0.1:1/c" });
    assert.deepEqual(away.problems, ["wrong: database"]);
    const empty = await freshDatabase({ empty: true });
    try {
      assert.deepEqual(doctor({ DATABASE_URL: empty.url }).problems, ["wrong: schema"]);
    } finally {
      await empty.drop();
    }
    const { rows: before } = await gateway.owner.query(sql`select name, value from settings order by name`);
    const none = doctor({ DATABASE_URL: gateway.databaseUrl });
    assert.deepEqual(none.problems, ["wrong: master key"]);
    writeFileSync(join(folder, "secret.key"), "too short", { mode: 0o600 });
    const short = doctor({ DATABASE_URL: gateway.databaseUrl });
    rmSync(join(folder, "secret.key"));
    assert.match(short.checks.find(({ name }) => name === "master key")!.found, /does not hold a key of 32 bytes/);
    const key = randomBytes(32).toString("base64");
    const other = doctor({ DATABASE_URL: gateway.databaseUrl, PIXGATE_SECRET_KEY: key });
    assert.deepEqual(other.problems, ["wrong: master key"]);
    assert.equal(JSON.stringify(other.checks).includes(key), false);
    assert.deepEqual((await gateway.owner.query(sql`select name, value from settings order by name`)).rows, before);
  });

  test("says where the door for phones has no effect: no simulator is started, or one runs already without it", async () => {
    const door = (env: Record<string, string>) =>
      doctor({ PIXGATE_SANDBOX_ADDRESS: "127.0.0.1:0", ...env }).checks.find(({ name }) => name === "payers' port");
    assert.deepEqual([door({})?.state, /has no effect/.test(door({})!.found)], ["warning", true]);
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const free = await freePort();
    const { port } = taken.address() as { port: number };
    try {
      const found = door({ PIXGATE_SIMULATOR_PORT: String(port), PIXGATE_SANDBOX_ADDRESS: `127.0.0.1:${free}` });
      assert.equal(found?.state, "warning");
      assert.match(found.found, /runs already was started without this PIXGATE_SANDBOX_ADDRESS/);
    } finally {
      taken.close();
    }
    const fine = { PIXGATE_SIMULATOR_PORT: String(await freePort()), PIXGATE_SANDBOX_ADDRESS: `127.0.0.1:${free}` };
    assert.equal(door(fine)?.state, "ok");
  });

  test("sees a port that is taken and a master key that others may read", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as { port: number };
    const file = join(folder, "secret.key");
    writeFileSync(file, randomBytes(32).toString("base64"), { mode: 0o644 });
    try {
      const { problems } = doctor({ PIXGATE_PORT: String(port) });
      assert.deepEqual(problems, ["wrong: data directory", "warning: port"]);
    } finally {
      rmSync(file);
      taken.close();
    }
  });
});
