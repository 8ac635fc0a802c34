import assert, { AssertionError } from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openDb } from "../../gateway/src/db/pool.ts";
import { sql } from "../../gateway/src/db/sql.ts";
import type { Sandbox } from "../../gateway/test/harness/client.ts";
import { freshDatabase } from "../../gateway/test/harness/database.ts";
import { eventually } from "../../gateway/test/harness/eventually.ts";
import { type GatewayProcess, launchProcess, startProcess } from "../../gateway/test/harness/process.ts";
import { type Receiver, startReceiver } from "../../gateway/test/harness/receiver.ts";
import { ENDS, lifecycle } from "./rounds.ts";

test("every way to end it, once: no failed start, no lost row", { timeout: 240_000 }, async () => {
  const { findings, counts } = await lifecycle(ENDS);
  assert.deepEqual(findings, []);
  assert.equal(counts.starts, ENDS.length + 1);
  assert.equal(counts.failedStarts, 0);
});

describe("a start that is refused", () => {
  const refused = async (env: Record<string, string>) => {
    const started = launchProcess(env);
    const code = await started.exited;
    assert.equal(code, 1, started.stderr());
    assert.match(started.stderr(), /^pixgate: [^\n]+\n$/, "one line");
    return started.stderr();
  };
  let folder: string;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "pixgate-refused-"));
    database = await freshDatabase();
  });
  after(async () => {
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("names a port that is in use", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as { port: number };
    const said = await refused({ DATABASE_URL: database.url, PIXGATE_DATA_DIR: folder, PIXGATE_PORT: String(port) });
    assert.match(said, new RegExp(`port ${port} is in use`));
    await new Promise((resolve) => taken.close(resolve));
  });

  test("names a setting that is wrong", async () => {
    assert.match(await refused({ PIXGATE_PORT: "eighty", PIXGATE_DATA_DIR: folder }), /PIXGATE_PORT/);
    assert.match(await refused({ DATABASE_URL: "mysql://x", PIXGATE_DATA_DIR: folder }), /DATABASE_URL/);
    assert.match(await refused({ PIXGATE_SECRET_KEY: "short", PIXGATE_DATA_DIR: folder }), /PIXGATE_SECRET_KEY/);
  });

  test("says that the schema is newer than the program, and changes nothing", async () => {
    const db = openDb({ url: database.url, max: 1, onError: () => {} });
    const accounts = async () => (await db.query<{ n: number }>(sql`select count(*) as n from accounts`)).rows[0]!.n;
    const before = await accounts();
    await db.query(
      sql`insert into schema_migrations (number, name, fingerprint, applied_at) values (9999, 'later', '', ${new Date()})`,
    );
    assert.match(await refused({ DATABASE_URL: database.url, PIXGATE_DATA_DIR: folder }), /schema 9999/);
    assert.equal(await accounts(), before);
    await db.query(sql`delete from schema_migrations where number = ${9999}`);
    await db.end();
  });
});

describe("two roles on one database", () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let folder: string;
  let api: GatewayProcess;
  let worker: GatewayProcess;
  let receiver: Receiver;
  before(async () => {
    database = await freshDatabase();
    folder = mkdtempSync(join(tmpdir(), "pixgate-roles-"));
    const env = { DATABASE_URL: database.url, PIXGATE_DATA_DIR: folder };
    api = await startProcess(env, ["--role", "api"]);
    worker = await startProcess(env, ["--role", "worker"]);
    receiver = await startReceiver();
  });
  after(async () => {
    assert.equal(await worker.stop(), 0);
    assert.equal(await api.stop(), 0);
    await receiver.close();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("what the one takes in the other books and reports, also after a kill -9", async () => {
    const sandbox = JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as Sandbox;
    const merchant = await api.client(sandbox);
    await merchant.post("/webhook-endpoints", { url: receiver.url });
    const pay = async () => {
      const { body } = await merchant.post<{ id: string }>("/pix", { amount: 4, description: "roles" });
      const paid = await merchant.post(`/sandbox/pix/${body.id}/pay`);
      assert.equal(paid.status, 200, paid.text);
      await eventually("its webhook", () => receiver.received.some((hook) => hook.body.includes(body.id)));
    };
    await pay();
    // A worker answers health and metrics, and nothing else.
    const at = /metrics: (\S+)\.\n/.exec(worker.stdout())![1];
    assert.equal((await fetch(`${at}/readyz`)).status, 200);
    // A delivery is counted once the receiver has answered.
    await eventually("its count", async () => {
      return /^pixgate_deliveries_total\{outcome="delivered"\} 1$/m.test(await (await fetch(`${at}/metrics`)).text());
    });
    assert.equal((await fetch(`${at}/v2/account`)).status, 404);
    worker.child.kill("SIGKILL");
    await worker.exited;
    worker = await startProcess({ DATABASE_URL: database.url, PIXGATE_DATA_DIR: folder }, ["--role", "worker"]);
    await pay();
  });
});

test("SIGTERM under load: exit 0 within 10 s, and every answered charge is there", { timeout: 60_000 }, async () => {
  const database = await freshDatabase();
  const folder = mkdtempSync(join(tmpdir(), "pixgate-sigterm-"));
  const env = { DATABASE_URL: database.url, PIXGATE_DATA_DIR: folder, PIXGATE_RATE_LIMIT: "off" };
  const gateway = await startProcess(env);
  const merchant = await gateway.client(JSON.parse(readFileSync(join(folder, "sandbox.json"), "utf8")) as Sandbox);
  const answered: string[] = [];
  // Answers that do not match the published document, also those while it stops.
  const wrong: string[] = [];
  let going = true;
  const load = Array.from({ length: 32 }, async () => {
    while (going) {
      try {
        const { status, body } = await merchant.post<{ id: string }>("/pix", { amount: 3, description: "load" });
        if (status === 201) answered.push(body.id);
      } catch (error) {
        if (error instanceof AssertionError) wrong.push(error.message);
        going = false;
      }
    }
  });
  await eventually("load", () => answered.length > 100);
  const began = Date.now();
  const code = await gateway.stop();
  const took = Date.now() - began;
  going = false;
  await Promise.all(load);
  assert.equal(code, 0, gateway.stderr());
  assert.deepEqual(wrong, []);
  assert.equal(took < 10_000, true, `${took} ms`);
  const db = openDb({ url: database.url, max: 1, onError: () => {} });
  const { rows } = await db.query<{ charge_id: string }>(sql`select charge_id from charges where status = 'pending'`);
  const there = new Set(rows.map((row) => row.charge_id));
  assert.deepEqual(
    answered.filter((id) => !there.has(id)),
    [],
  );
  await db.end();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});
