/** The operator's commands, as a person runs them against a running gateway. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startGateway, type TestGateway } from "./harness/gateway.ts";

const BIN = fileURLToPath(new URL("../bin/pixgate.mjs", import.meta.url));

let gateway: TestGateway;
let folder = "";
before(async () => {
  gateway = await startGateway();
  folder = mkdtempSync(join(tmpdir(), "pixgate-commands-"));
});
after(async () => {
  await gateway.verify();
  await gateway.stop();
  rmSync(folder, { recursive: true });
});

type Ended = { readonly code: number | null; readonly out: string; readonly err: string };
/** Not synchronous: the gateway that it calls lives in this process. */
function pixgate(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [BIN, ...args], {
    env: { PATH: process.env.PATH, PIXGATE_DATA_DIR: gateway.dataDir, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const text = { out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => {
    text.out += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    text.err += chunk.toString();
  });
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, ...text })));
}
async function json<T>(...args: string[]): Promise<T> {
  const ended = await pixgate([...args, "--json"]);
  assert.deepEqual([ended.code, ended.err], [0, ""], ended.out);
  return (ended.out === "" ? undefined : JSON.parse(ended.out)) as T;
}
async function fails(...args: string[]): Promise<string> {
  const { code, out, err } = await pixgate(args);
  assert.deepEqual([code, out], [1, ""], err);
  assert.match(err, /^pixgate: /);
  assert.equal(err.includes("    at "), false, "no stack");
  return err;
}

describe("The operator's commands", () => {
  test("open an account, give it a credential, a limit and money, and show what was changed", async () => {
    const { id } = await json<{ id: string }>("account", "create", "--name", "Loja", "--document", "11222333000181");
    const credential = await json<{ id: string; clientId: string; clientSecret: string }>(
      ...["credential", "create", id, "--name", "shop", "--permissions", "PIX:WRITE, TRANSACTION:READ"],
    );
    assert.match(credential.clientSecret, /^pgs_/);
    const rotated = await json<{ clientSecret: string }>("credential", "rotate", id, credential.id);
    assert.notEqual(rotated.clientSecret, credential.clientSecret);
    await json("credential", "revoke", id, credential.id);
    const fees = '{"fees":{"charge":{"fixed":0.5}}}';
    const updated = await json<{ limits: { perDay: number }; fees: { charge: { fixed: number } } }>(
      ...["account", "update", id, "--per-day", "100.5", "--data", fees],
    );
    assert.deepEqual([updated.limits.perDay, updated.fees.charge.fixed], [100.5, 0.5]);
    const none = await json<{ limits: { perDay: null } }>("account", "update", id, "--per-day", "none");
    assert.equal(none.limits.perDay, null);
    await json("account", "adjust", id, "--amount=-0", "--data", '{"amount":12.5,"balance":"available","reason":"x"}');
    const log = await json<{ items: { action: string }[] }>("account", "log", id);
    assert.equal(log.items.length, 7);
    const list = await pixgate(["account", "list"]);
    assert.match(
      list.out,
      new RegExp(`^id +name +status +document +createdAt\\n(?:.*\\n)*${id} +Loja +approved +11222333000181`),
    );
  });

  test("connect and test an institution, with secrets that are read from a file", async () => {
    const { items } = await json<{ items: { id: string }[] }>("institution", "list");
    assert.equal((await json<{ ok: boolean }>("institution", "test", items[0]!.id)).ok, true);
    const file = join(folder, "bank.json");
    const config = {
      baseUrl: "https://pix.bank.test",
      tokenUrl: "https://pix.bank.test/token",
      clientId: "a",
      clientSecret: "the-secret",
      pixKey: "a@b.test",
    };
    writeFileSync(file, JSON.stringify({ provider: "api-pix", environment: "sandbox", config })); // biome-ignore format: rows
    const made = await json<{ id: string }>("institution", "create", "--name", "Bank", "--data", `@${file}`);
    assert.equal(JSON.stringify(made).includes("the-secret"), false);
    const link = ["institution", "link", gateway.sandbox.accountId, made.id];
    assert.deepEqual(await json(...link, "--enabled", "false"), { enabled: false, priority: null });
    assert.match(await fails(...link, "--enabled", "maybe"), /--enabled takes true or false/);
  });

  test("make and end operator tokens and webhook endpoints, verify the books and reconcile a day", async () => {
    const token = await json<{ id: string; token: string }>("token", "create", "--name", "ana", "--role", "support");
    const env = { PIXGATE_OPERATOR_URL: gateway.sandbox.operatorUrl, PIXGATE_OPERATOR_TOKEN: token.token };
    assert.equal((await pixgate(["account", "list"], env)).code, 0);
    assert.match(
      (await pixgate(["account", "create", "--name", "x"], env)).err,
      /needs the role admin.*PERMISSION_DENIED/,
    );
    await json("token", "revoke", token.id);
    const url = "http://127.0.0.1:9/hook";
    const endpoint = await json<{ id: string }>("endpoint", "create", "--url", url, "--events", "payment_completed");
    assert.match((await pixgate(["endpoint", "list"])).out, new RegExp(endpoint.id));
    await json("endpoint", "delete", endpoint.id);
    assert.equal((await json<{ ok: boolean }>("verify")).ok, true);
    const onDatabase = await pixgate(["verify"], { DATABASE_URL: gateway.databaseUrl });
    assert.equal((JSON.parse(onDatabase.out) as { ok: boolean }).ok, true);
    const day = new Date().toISOString().slice(0, 10);
    assert.ok(Array.isArray((await json<{ institutions: unknown[] }>("reconcile", "2026-01-02")).institutions), day);
    assert.match((await pixgate(["reconcile", "2026-01-02", "--csv"])).out, /^date,institutionId,/);
    const migrated = await pixgate(["migrate", "--json"], { DATABASE_URL: gateway.databaseUrl });
    assert.deepEqual(JSON.parse(migrated.out), { applied: [], role: null });
  });

  test("say what is wrong in a line, without a stack, and exit 1", async () => {
    assert.match(await fails("account", "show", "nonsense"), /answered 404: .*RESOURCE_NOT_FOUND/);
    assert.match(await fails("account", "create", "--name", "x", "--document", "1"), /document: is not a CPF or CNPJ/);
    assert.match(await fails("account", "create"), /--name is missing: its name/);
    assert.match(await fails("account", "show"), /takes ID/);
    assert.match(await fails("account", "burn"), /has no "burn"/);
    assert.match(await fails("account", "list", "--nonsense"), /nonsense/);
    assert.match(await fails("account", "create", "--data", "@/nonexistent"), /cannot be read/);
    assert.match(await fails("account", "create", "--data", "{secret"), /does not hold a JSON object\n$/);
    const away = await pixgate(["account", "list"], {
      PIXGATE_OPERATOR_URL: "http://127.0.0.1:9",
      PIXGATE_OPERATOR_TOKEN: "x",
    });
    assert.match(away.err, /^pixgate: .*does not answer/);
    assert.match(
      (await pixgate(["account", "list"], { PIXGATE_OPERATOR_URL: "http://x.test" })).err,
      /belong together/,
    );
    assert.match(
      (await pixgate(["migrate"], { DATABASE_URL: "" })).err,
      /^pixgate: this command needs DATABASE_URL\n$/,
    );
  });

  test("each have a help that names every one of their flags", async () => {
    for (const noun of ["account", "credential", "institution", "endpoint", "token", "verify", "reconcile"]) {
      const { code, out } = await pixgate([noun, "--help"]);
      assert.equal(code, 0);
      assert.match(out, new RegExp(`^ +pixgate ${noun}`));
    }
    assert.match((await pixgate(["account", "create", "--help"])).out, /--legal-name: legal name/);
    assert.match((await pixgate(["migrate", "--help"])).out, /master-key rotate/);
  });
});
