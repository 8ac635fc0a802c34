/** The operator's commands, as a person runs them against a running gateway. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { hashOfEntry } from "../../src/audit-log/chain.ts";
import { readEntries } from "../../src/audit-log/check.ts";
import { type EntryRow, toChained } from "../../src/audit-log/entry.ts";
import { parametersOf } from "../../src/cases/action.ts";
import { methodOf, pathOf } from "../../src/cli/actions/action.ts";
import { allNouns } from "../../src/cli/actions/all.ts";
import { OPERATOR_NOUNS } from "../../src/cli/actions/operator.ts";
import { PARAMETERS } from "../../src/cli/actions/show-case.ts";
import { type Sql, sql } from "../../src/db/sql.ts";
import { CASE_ACTIONS } from "../../src/program/case-actions.ts";
import { brokenBy, ROLLED_BACK } from "../harness/broken.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const BIN = fileURLToPath(new URL("../../bin/pixgate.mjs", import.meta.url));

let gateway: TestGateway;
let folder = "";
before(async () => {
  gateway = await startGateway();
  folder = mkdtempSync(join(tmpdir(), "pixgate-commands-"));
});
after(async () => {
  await gateway.end();
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
/** @param exitCode 1: refused or failed; 2: the command line is wrong. */
async function fails(exitCode: 1 | 2, ...args: string[]): Promise<string> {
  const { code, out, err } = await pixgate(args);
  assert.deepEqual([code, out], [exitCode, ""], err);
  assert.match(err, /^pixgate: /);
  assert.equal(err.includes("    at "), false, "no stack");
  return err;
}

async function everyRow(accountId: string): Promise<EntryRow[]> {
  const pages: EntryRow[] = [];
  for await (const rows of readEntries(gateway.owner, accountId)) pages.push(...rows);
  return pages;
}

describe("The operator's commands", () => {
  test("open an account, give it a credential, a limit and money, and show what was changed", async () => {
    const { id } = await json<{ id: string }>("account", "create", "--name", "Loja", "--document", "11222333000181");
    const credential = await json<{ id: string; clientId: string; clientSecret: string }>(
      ...["credential", "create", id, "--name", "shop", "--permissions", "PIX:WRITE, TRANSACTION:READ"],
    );
    assert.match(credential.clientSecret, /^pgs_/);
    const rotated = await json<{ clientSecret: string }>("credential", "rotate", id, credential.id, "--yes");
    assert.notEqual(rotated.clientSecret, credential.clientSecret);
    await json("credential", "revoke", id, credential.id, "--yes");
    const fees = '{"fees":{"charge":{"fixed":0.5}}}';
    const updated = await json<{ limits: { perDay: number }; fees: { charge: { fixed: number } } }>(
      ...["account", "update", id, "--per-day", "100.5", "--data", fees],
    );
    assert.deepEqual([updated.limits.perDay, updated.fees.charge.fixed], [100.5, 0.5]);
    const none = await json<{ limits: { perDay: null } }>("account", "update", id, "--per-day", "none");
    assert.equal(none.limits.perDay, null);
    const given = '{"amount":12.5,"balance":"available","reason":"x"}';
    await json("account", "adjust", id, "--amount=-0", "--data", given, "--yes");
    type Adjusted = { amount: number };
    const taken = ["--balance", "available", "--reason", "y", "--yes"];
    for (const amount of [["--amount", "-5"], ["--amount=-2.5"]]) {
      const { amount: moved } = await json<Adjusted>("account", "adjust", id, ...amount, ...taken);
      assert.equal(moved, amount.length === 2 ? -5 : -2.5);
    }
    const shown = await pixgate(["account", "show", id]);
    assert.equal(shown.err, "");
    assert.match(
      shown.out,
      /^id +[0-9a-f-]{36}\n(.*\n)*\nWallets, BRL\nsubAccount +name .*\n- +Loja? .*\n(.*\n)*Institutions\n(.*\n)*Webhook endpoints\nNone\.\n/,
    );
    const why = await pixgate(["account", "explain", id]);
    assert.match(
      why.out,
      /^At .*, BRL:\n +5\.00 {2}total\n +5\.00 {2}available\n +5\.00 {4}adjustment: the operator adjusted .* \(3 lines\)\n +newest: -2\.50 at /,
    );
    const lines = await json<{ items: { amount: number }[] }>("account", "statement", id, "--kind", "adjustment");
    assert.deepEqual(
      lines.items.map(({ amount }) => amount),
      [-2.5, -5, 12.5],
    );
    const log = await json<{ items: { action: string }[] }>("account", "log", id);
    assert.equal(log.items.length, 9);
    const list = await pixgate(["account", "list"]);
    assert.match(
      list.out,
      new RegExp(`^id +name +status +document +createdAt\\n(?:.*\\n)*${id} +Loja +approved +11222333000181`),
    );
  });

  test("ask before money moves: with --yes, or by an answer on a terminal, and not otherwise", async (t) => {
    const { id } = await json<{ id: string }>("account", "create", "--name", "Loja Ana");
    const adjust = ["account", "adjust", id, "--amount", "7", "--balance", "available", "--reason", "x"];
    type Wallets = { items: { total: number }[] };
    const total = async () => (await json<Wallets>("account", "balance", id)).items[0]!.total;
    for (const line of [adjust, [...adjust, "--json"]]) {
      assert.match(await fails(2, ...line), /accounts adjust needs --yes .*no terminal.* Nothing was done/);
    }
    assert.equal(await total(), 0);
    if (spawnSync("script", ["--version"]).status !== 0) return t.skip("there is no script here (util-linux)");
    // `script` runs the command on a terminal of its own.
    const onTerminal = (answer: string): Promise<Ended> => {
      const command = [process.execPath, BIN, ...adjust].join(" ");
      const child = spawn("script", ["-qec", command, "/dev/null"], {
        env: { PATH: process.env.PATH, PIXGATE_DATA_DIR: gateway.dataDir, SHELL: "/bin/sh" },
      });
      let out = "";
      child.stdout.on("data", (chunk: Buffer) => {
        if (!out.includes("[y/N]") && `${out}${chunk}`.includes("[y/N]")) child.stdin.write(answer);
        out += chunk.toString();
      });
      return new Promise((resolve) => child.once("close", (code) => resolve({ code, out, err: "" })));
    };
    const refused = await onTerminal("n\r");
    assert.deepEqual([refused.code, await total()], [1, 0], refused.out);
    assert.match(refused.out, new RegExp(`Give money to a wallet, or take it away\\.\\s+at +http.*\\s+ID +${id}`));
    assert.match(refused.out, /amount +7\.00\s[\s\S]*name +Loja Ana\s[\s\S]*Only another adjustment takes it back\./);
    assert.equal((await onTerminal("\x03")).code, 130);
    assert.equal(await total(), 0);
    const done = await onTerminal("y\r");
    assert.deepEqual([done.code, await total()], [0, 7], done.out);
  });

  test("connect and test an institution, with secrets that are read from a file", async () => {
    const { items } = await json<{ items: { id: string }[] }>("institution", "list");
    assert.equal((await json<{ ok: boolean }>("institution", "test", items[0]!.id)).ok, true);
    const tested = await pixgate(["institution", "test", items[0]!.id]);
    assert.match(
      tested.out,
      /^ok +true\nchecks\n {2}name +result +says\n {2}token +works +It works: the access token\.\n {2}scopes /,
    );
    const file = join(folder, "bank.json");
    const config = {
      baseUrl: "https://pix.bank.test",
      tokenUrl: "https://pix.bank.test/token",
      clientId: "a",
      clientSecret: "the-secret",
      pixKey: "a@b.test",
    };
    writeFileSync(file, JSON.stringify({ provider: "api-pix", environment: "sandbox", config }));
    const made = await json<{ id: string }>("institution", "create", "--name", "Bank", "--data", `@${file}`);
    assert.equal(JSON.stringify(made).includes("the-secret"), false);
    const link = ["institution", "link", gateway.sandbox.accountId, made.id];
    assert.deepEqual(await json(...link, "--enabled", "false"), { enabled: false, priority: null });
    assert.match(await fails(2, ...link, "--enabled", "maybe"), /--enabled .*Allowed choices are true, false/);
  });

  test("make and end operator tokens and webhook endpoints, verify the books and reconcile a day", async () => {
    const token = await json<{ id: string; token: string }>("token", "create", "--name", "ana", "--role", "support");
    const env = { PIXGATE_OPERATOR_URL: gateway.sandbox.operatorUrl, PIXGATE_OPERATOR_TOKEN: token.token };
    assert.equal((await pixgate(["account", "list"], env)).code, 0);
    assert.match(
      (await pixgate(["account", "create", "--name", "x"], env)).err,
      /needs the role admin.*PERMISSION_DENIED/,
    );
    await json("token", "revoke", token.id, "--yes");
    const url = "http://127.0.0.1:9/hook";
    const endpoint = await json<{ id: string }>("endpoint", "create", "--url", url, "--events", "payment_completed");
    assert.match((await pixgate(["endpoint", "list"])).out, new RegExp(endpoint.id));
    await json("endpoint", "delete", endpoint.id, "--yes");
    assert.equal((await json<{ ok: boolean }>("verify")).ok, true);
    const database = { DATABASE_URL: gateway.databaseUrl };
    const onDatabase = await pixgate(["verify", "--json"], database);
    assert.equal((JSON.parse(onDatabase.out) as { ok: boolean }).ok, true);
    assert.match((await pixgate(["verify"])).out, /^The books are right: \d+ lines/);
    // The sandbox's institution agrees; a bank that does not answer is open work, and the exit code says so.
    const { items } = await json<{ items: { id: string; provider: string }[] }>("institution", "list");
    const { id: simulator } = items.find(({ provider }) => provider === "simulator")!;
    const day = ["reconcile", "2026-01-02", "--institution", simulator];
    assert.equal((await json<{ institutions: unknown[] }>(...day)).institutions.length, 1);
    assert.match((await pixgate([...day, "--csv"])).out, /^date,institutionId,/);
    const said = await pixgate(["reconciliation", "show", ...day.slice(1)]);
    assert.deepEqual([said.code, said.err], [0, ""]);
    assert.match(
      said.out,
      /^2026-01-02:\n.*\n {2}agree: received 0 .*\n {2}balance by our books .*\n {2}no findings\n$/,
    );
    const bank = items.find(({ provider }) => provider === "api-pix")!.id;
    const silent = await pixgate(["reconcile", "2026-01-02", "--institution", bank]);
    assert.deepEqual([silent.code, silent.err], [1, ""]);
    assert.match(silent.out, /\n {2}INCOMPLETE, it did not answer: /);
    assert.equal(
      (await gateway.simulator.post("/pix", { amountCentavos: 777, txid: `foreign${"0".repeat(21)}` })).status,
      200,
    );
    const open = await eventually("the receipt that is nobody's", async () => {
      const { items } = await json<{ items: { id: string; amount: number }[] }>("unmatched", "list");
      return items[0];
    });
    assert.equal(open.amount, 7.77);
    assert.match(
      (await pixgate(["unmatched", "list"])).out,
      new RegExp(`^id +kind +status .*\\n${open.id} +receipt +open +7.77`),
    );
    assert.match(
      await fails(2, "unmatched", "assign", open.id, "--account", gateway.sandbox.accountId),
      /--charge is missing/,
    );
    assert.equal((await json<{ status: string }>("unmatched", "return", open.id, "--yes")).status, "returning");
    const migrated = await pixgate(["migrate", "--json"], { DATABASE_URL: gateway.databaseUrl });
    assert.deepEqual(JSON.parse(migrated.out), { applied: [], role: null, spread: null });
  });

  test("manage the webhook endpoints of any account, with a credential from the environment or a file, as in production", async () => {
    const { id: account } = await json<{ id: string }>("account", "create", "--name", "Other shop");
    const permissions = ["--permissions", "WEBHOOK:READ,WEBHOOK:WRITE"];
    const made = await pixgate(["credential", "create", account, "--name", "hooks", ...permissions, "--json"]);
    const { clientId, clientSecret } = JSON.parse(made.out) as { clientId: string; clientSecret: string };
    const file = join(folder, "credential.json");
    writeFileSync(file, made.out, { mode: 0o600 });
    // No sandbox.json is in reach: what is missing is said, not guessed.
    const bare = { PIXGATE_DATA_DIR: join(folder, "nothing") };
    const url = gateway.running.url;
    const own = { ...bare, PIXGATE_API_URL: url, PIXGATE_CLIENT_ID: clientId, PIXGATE_CLIENT_SECRET: clientSecret };
    const run = async <T>(args: string[], env: Record<string, string> = own): Promise<T> => {
      const ended = await pixgate(["endpoint", ...args, "--json"], env);
      assert.deepEqual([ended.code, ended.err], [0, ""], ended.out);
      return (ended.out === "" ? undefined : JSON.parse(ended.out)) as T;
    };
    const { id, secret } = await run<{ id: string; secret: string }>(["create", "--url", "http://127.0.0.1:9/hook"]);
    const byFile = { ...bare, PIXGATE_API_URL: `${url}/v2/` };
    const list = await run<{ items: { id: string }[] }>(["list", "--credential", file], byFile);
    assert.deepEqual(
      list.items.map((one) => one.id),
      [id],
    );
    const changed = "--events payment_completed --enabled true --retry extended --description till".split(" ");
    const { events, retry, description } = await run<Record<string, unknown>>(["update", id, ...changed]);
    assert.deepEqual([events, retry, description], [["payment_completed"], "extended", "till"]);
    await run(["test", id]);
    const deliveries = await run<{ items: { event: string }[] }>(["deliveries", id]);
    assert.equal(deliveries.items[0]?.event, "payment_completed");
    assert.equal(JSON.stringify(await run(["rotate", id, "--yes"])).includes(secret), false);
    await run(["finish-rotation", id, "--yes"]);
    const replayed = await pixgate(["events", "replay", "--since", "1h", "--dry-run"], own);
    assert.deepEqual([replayed.code, replayed.out], [0, `${id}: 0 events would be sent\n`], replayed.err);
    await run(["delete", id, "--yes"]);
    assert.deepEqual((await run<{ items: unknown[] }>(["list"])).items, []);

    const wrong: [Record<string, string>, RegExp, ...string[]][] = [
      [bare, /there is no sandbox\.json/],
      [{ ...bare, PIXGATE_API_URL: url }, /PIXGATE_API_URL needs a credential/],
      [{ ...bare, PIXGATE_CLIENT_ID: clientId }, /belong together/],
      [{ ...own, PIXGATE_API_URL: "" }, /PIXGATE_API_URL is not set/],
      [{ ...own, PIXGATE_API_URL: "pix.example.com" }, /not an http or https address/],
      [{ ...own, PIXGATE_API_URL: "http://127.0.0.1:9" }, /does not answer .*is Pixgate running/],
      [{ ...own, PIXGATE_CLIENT_SECRET: "wrong" }, /gives no access token: 401/],
      [own, /cannot be read/, "--credential", "/nonexistent"],
    ];
    await Promise.all(
      wrong.map(async ([env, says, ...flags]) => {
        const { code, out, err } = await pixgate(["endpoint", "list", ...flags], env);
        assert.deepEqual([code, out], [1, ""], err);
        assert.match(err, says);
        assert.equal(err.includes(clientSecret), false);
      }),
    );
  });

  test("have a flag for every parameter of every case's action, and show them with the case", async () => {
    const fields = Object.values(PARAMETERS).map(({ field }) => field);
    for (const { name } of CASE_ACTIONS.flatMap(parametersOf)) assert.ok(fields.includes(`parameters.${name}`), name);
    assert.equal(
      (await gateway.simulator.post("/pix", { amountCentavos: 888, txid: `case${"0".repeat(24)}` })).status,
      200,
    );
    const { id } = await eventually("the case of the receipt", async () => {
      const { items } = await json<{ items: { id: string }[] }>("case", "list", "--kind", "unmatched_receipt");
      return items.find((one) => (one as { amount?: number }).amount === 8.88);
    });
    const shown = await pixgate(["case", "show", id]);
    assert.match(shown.out, /^amount +8\.88$/m);
    assert.match(shown.out, /\n {2}data \(amounts in centavos\)\n/);
    assert.match(shown.out, /\n {2}assign +--account … --charge … +Settle a charge/);
    assert.match(shown.out, /\n {2}treasury +--kind top_up\|interbank \[--reference …\] \[--description …\] +Book/);
    const lacking = await fails(1, "case", "propose", id, "--action", "treasury", "--yes");
    assert.match(lacking, /parameters/);
    const propose = ["case", "propose", id, "--action", "treasury", "--kind", "top_up", "--reference", "8812", "--yes"];
    assert.equal((await json<{ status: string }>(...propose)).status, "closed");
  });

  test("there is one for every route of the operator API, which calls that route", () => {
    /** Routes without a command, each with its reason. */
    const without: Readonly<Record<string, string>> = {};
    const actions = Object.values(OPERATOR_NOUNS).flatMap(({ verbs }) => Object.values(verbs));
    const called = new Set(
      actions.map((action) => {
        const path = pathOf(
          action,
          (action.takes ?? []).map(() => "{}"),
          {},
        ).split("?")[0];
        return `${methodOf(action)} ${path}`;
      }),
    );
    const document = JSON.parse(readFileSync(new URL("../../../openapi/operator.json", import.meta.url), "utf8")) as {
      paths: Record<string, Record<string, object>>;
    };
    const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(
        (method) => `${method.toUpperCase()} ${path.replace("/operator/v1", "").replace(/\{\w+\}/g, "{}")}`,
      ),
    );
    assert.ok(routes.length > 30);
    assert.deepEqual(routes.filter((route) => !called.has(route)).sort(), Object.keys(without).sort());
    assert.deepEqual(
      [...called].filter((route) => !routes.includes(route)),
      [],
    );
  });

  test("check that the audit log is as it was written, and find it rewritten by a head that was kept", async () => {
    const { id } = await json<{ id: string }>("account", "create", "--name", "Log");
    // Money commands and others write into one chain at once.
    await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const reply = await (i % 2 === 0
          ? gateway.operator.patch(`/accounts/${id}`, { limits: { perDay: i + 1 } })
          : gateway.operator.post(`/accounts/${id}/adjustments`, {
              amount: 1,
              balance: "available",
              reason: `the ${i}th`,
            }));
        assert.ok(reply.status < 300, reply.text);
      }),
    );
    const [head, log] = [join(folder, "head.json"), join(folder, "log.jsonl")];
    writeFileSync(head, (await pixgate(["audit-log", "head", "--json"])).out);
    writeFileSync(log, (await pixgate(["audit-log", "export", "--account", id])).out);
    assert.equal(readFileSync(log, "utf8").trim().split("\n").length, 21);
    type Checked = { ok: boolean; entries: number; problems: string[] };
    const { ok, entries } = await json<Checked>("audit-log", "check", "--head", head);
    assert.deepEqual([ok, entries > 21], [true, true]);
    assert.match((await pixgate(["audit-log", "check", "--export", log])).out, /^21 entries in 1 chain: unchanged\.$/m);

    if (!ROLLED_BACK) {
      // Some of the entries are adjustments and settings, which N1 and N4 miss too.
      const breaks = async (...changes: Sql[]) =>
        (await brokenBy(gateway.owner, ...changes)).filter((rule) => rule !== "N1" && rule !== "N4");
      assert.deepEqual(await breaks(sql`update audit_log set actor = 'x' where account_id = ${id} and seq = 2`), [
        "K2",
      ]);
      assert.deepEqual(await breaks(sql`update audit_log set after = '{}' where account_id = ${id} and seq = 21`), [
        "K2",
      ]);
      assert.deepEqual(await breaks(sql`delete from audit_log where account_id = ${id} and seq = 2`), ["K1"]);
      assert.deepEqual(await breaks(sql`delete from audit_log where account_id = ${id} and seq = 21`), ["K1"]);
      assert.deepEqual(await breaks(sql`delete from audit_log where account_id = ${id}`), ["K1"]);
      assert.deepEqual(await breaks(sql`delete from audit_heads where account_id = ${id}`), ["K1"]);
      assert.deepEqual(await breaks(sql`update audit_heads set seq = 20 where account_id = ${id}`), ["K1"]);
    }

    // The database's owner writes the whole chain anew, each hash with it.
    const forged = (await everyRow(id)).map((row, i) => (i === 1 ? { ...row, actor: "nobody" } : row));
    let before: Buffer | null = null;
    for (const row of forged) {
      const hash = hashOfEntry(toChained({ ...row, previousHash: before }));
      await gateway.owner.query(sql`
        update audit_log set actor = ${row.actor}, previous_hash = ${before}, hash = ${hash} where account_id = ${id} and seq = ${row.seq}`);
      before = hash;
    }
    await gateway.owner.query(sql`update audit_heads set hash = ${before} where account_id = ${id}`);
    await gateway.verify();
    assert.equal((await pixgate(["audit-log", "check"])).code, 0);
    const found = await pixgate(["audit-log", "check", "--head", head]);
    assert.equal(found.code, 1);
    assert.match(found.out, new RegExp(`^entry 21 of account ${id}: the head has another hash of it$`, "m"));
    writeFileSync(head, readFileSync(head, "utf8").replace(/"seq": 21/, '"seq": 20'));
    assert.match(
      (await pixgate(["audit-log", "check", "--export", log, "--head", head])).out,
      /the head: its signature is wrong/,
    );
    await fails(1, "audit-log", "check", "--head", log);
  });

  test("work on cases, brakes and blocks, and show the whole audit log with what changed", async () => {
    const { id } = await json<{ id: string }>("account", "create", "--name", "Desk");
    await json("account", "update", id, "--per-day", "12");
    const log = await pixgate(["account", "log", id, "--action", "account.update"]);
    assert.match(log.out, /account\.update +[0-9a-f-]{36}\n(.*\n)*? +limits: .* → .*12/);
    const all = await json<{ items: { action: string }[] }>("audit-log", "--object", id);
    assert.ok(all.items.some(({ action }) => action === "account.update"));
    await json("account", "adjust", id, "--amount", "5", "--balance", "available", "--reason", "to block", "--yes");
    const blocked = await json<{ id: string; status: string }>(
      ...["block", "create", id, "--amount", "5", "--type", "judicial", "--reason", "an order", "--yes"],
    );
    const ended = await json<{ status: string }>("block", "resolve", id, blocked.id, "--outcome", "rejected", "--yes");
    assert.equal(ended.status, "rejected");
    await json("brake", "set", "--scope", "account", "--id", id, "--paused", "true", "--reason", "a doubt");
    assert.match((await pixgate(["brake", "list"])).out, /a doubt/);
    await json("brake", "set", "--scope", "account", "--id", id, "--paused", "false", "--reason", "none", "--yes");
    assert.deepEqual((await json<{ items: unknown[] }>("case", "list", "--status", "open", "--account", id)).items, []);
    assert.equal((await json<{ ok: boolean }>("ledger", "audit", "--mode", "fresh")).ok, true);
    assert.equal((await pixgate(["ledger", "findings"])).out, "None.\n");
    assert.equal(
      (await json<{ wasFrozen: boolean }>("account", "lift-freeze", id, "--reason", "x", "--yes")).wasFrozen,
      false,
    );
  });

  test("say what is wrong in a line, without a stack, and exit 1, or 2 where the command line is", async () => {
    const wrong: [1 | 2, RegExp, ...string[]][] = [
      [1, /answered 404: .*RESOURCE_NOT_FOUND/, "account", "show", "nonsense"],
      [1, /document: is not a CPF or CNPJ/, "account", "create", "--name", "x", "--document", "1"],
      [2, /--name is missing: its name/, "account", "create"],
      [2, /missing required argument 'ID'/, "account", "update"],
      [2, /too many arguments/, "account", "show", "a", "b"],
      [2, /unknown command 'burn'/, "account", "burn"],
      [2, /account needs a command: summary, get, create, list, /, "account"],
      [2, /unknown option '--nonsense'/, "account", "list", "--nonsense"],
      [2, /'x' is invalid. It must be a number such as 25\.90, or none/, "account", "update", "a", "--per-day", "x"],
      [2, /Allowed choices are approved, pending, suspended/, "account", "update", "a", "--status", "x"],
      [1, /cannot be read/, "account", "create", "--data", "@/nonexistent"],
      [2, /does not hold a JSON object\n$/, "account", "create", "--data", "{secret"],
      [2, /Allowed choices are all, api, worker/, "serve", "--role", "x"],
      [2, /--name is missing: whose it is/, "token", "create", "--on-this-machine"],
    ];
    await Promise.all(
      wrong.map(async ([code, says, ...args]) => assert.match(await fails(code, ...args), says, args.join(" "))),
    );
    const away = await pixgate(["account", "list"], {
      PIXGATE_OPERATOR_URL: "http://127.0.0.1:9",
      PIXGATE_OPERATOR_TOKEN: "x",
    });
    assert.match(away.err, /^pixgate: .*does not answer/);
    assert.match(
      (await pixgate(["account", "list"], { PIXGATE_OPERATOR_URL: "http://x.test" })).err,
      /belong together/,
    );
    const nowhere = new URL(gateway.databaseUrl);
    nowhere.pathname = "/no_such_database";
    const [lost, missing] = await Promise.all([
      pixgate(["verify"], { DATABASE_URL: "postgres://pixgate:secret@127.0.0.1:9/x" }),
      pixgate(["migrate"], { DATABASE_URL: nowhere.href }),
    ]);
    assert.match(lost.err, /^pixgate: PostgreSQL cannot be worked with: connect ECONNREFUSED 127\.0\.0\.1:9\n$/);
    assert.match(
      missing.err,
      /^pixgate: PostgreSQL cannot be worked with: database "no_such_database" does not exist\n$/,
    );
    assert.match(
      (await pixgate(["migrate"], { DATABASE_URL: "" })).err,
      /^pixgate: this command needs DATABASE_URL\n$/,
    );
  });

  test("have the names of both APIs: noun and verb of every operation", () => {
    const { merchant, operator } = allNouns();
    const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    /** Operations that the command line names by what they do for a person. */
    const others: Readonly<Record<string, string>> = {
      "auth.createToken": "every command logs in by itself",
      "accounts.close": "closes account",
      "adjustments.create": "accounts adjust",
      "charges.route": "institution route",
      "institutions.check": "bank check",
      "unmatched.resolve": "unmatched assign, return, retry, take-back",
    };
    const missing = ["merchant", "operator"].flatMap((name) => {
      const { paths } = JSON.parse(readFileSync(new URL(`../../../openapi/${name}.json`, import.meta.url), "utf8")) as {
        paths: Record<string, Record<string, { operationId: string }>>;
      };
      const ids = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
      return ids.filter((id) => {
        const [noun, verb] = id.split(".").map(kebab) as [string, string];
        const found = merchant[noun === "account" ? "accounts" : noun] ?? operator[noun];
        return found === undefined || !("verbs" in found) || !(verb in found.verbs);
      });
    });
    assert.deepEqual(missing.sort(), Object.keys(others).sort());
  });

  test("work for an account or an operator who logged in, by profiles that only their owner can read", async () => {
    const home = { PIXGATE_DATA_DIR: "", XDG_CONFIG_HOME: join(folder, "config") };
    const { clientId, clientSecret, operatorToken } = gateway.sandbox;
    const { url } = gateway.running;
    const [secret, token, wrong] = ["secret", "token", "wrong"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(secret, `${clientSecret}\n`);
    writeFileSync(token, operatorToken);
    writeFileSync(wrong, "pgs_wrong");
    const as = (file: string, ...args: string[]) =>
      pixgate(["login", "--url", url, "--secret-file", file, ...args], home);
    const refused = await as(wrong, "--client-id", clientId);
    assert.deepEqual([refused.code, refused.out], [1, ""]);
    assert.match(refused.err, /gives no access token: 401/);
    assert.equal(existsSync(join(folder, "config")), false, "a refused login keeps nothing");
    const shop = await as(secret, "--client-id", clientId, "--profile", "shop");
    assert.deepEqual([shop.code, shop.err], [0, ""], shop.out);
    assert.equal((await as(token, "--operator", "--profile", "desk")).code, 0);
    const file = join(folder, "config/pixgate/profiles.json");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const listed = await pixgate(["profiles", "list"], home);
    assert.match(listed.out, /^shop +false +http.*\ndesk +true /m);
    assert.equal(listed.out.includes(clientSecret) || listed.out.includes(operatorToken), false);

    assert.equal((await pixgate(["accounts", "list"], home)).code, 0, "the current one is the operator's");
    const none = await pixgate(["account", "get"], home);
    assert.match(none.err, /no credential of an account: pixgate login/);
    const own = await pixgate(["account", "get", "--profile", "shop", "--json"], home);
    assert.equal((JSON.parse(own.out) as { account: { id: string } }).account.id, gateway.sandbox.accountId);
    assert.equal((await pixgate(["profiles", "use", "shop"], home)).code, 0);
    assert.equal((await pixgate(["account", "get"], home)).code, 0);
    // Both APIs list withdrawals: whoever logged in decides, and --as.
    const flags = ["withdrawals", "list", "--institution", "x"];
    assert.match((await pixgate(flags, home)).err, /--institution belongs to --as operator/);
    assert.equal((await pixgate(["withdrawals", "list", "--json"], home)).code, 0);
    const desk = await pixgate(["withdrawals", "list", "--as", "operator", "--profile", "desk"], home);
    assert.equal(desk.code, 0, desk.err);
    assert.equal((await pixgate(["profiles", "remove", "shop"], home)).code, 0);
    assert.match((await pixgate(["account", "get", "--profile", "shop"], home)).err, /there is no profile shop/);
  });

  test("charge as the API does, wait for the payment, refund it, and read what became of it", async () => {
    const create = ["charges", "create", "--amount", "25.90", "--description", "Order 1042", "--customer-name", "Ana"];
    const waiting = pixgate([...create, "--external-reference", "order-1042", "--wait"]);
    const charge = await eventually("the charge", async () => {
      const found = await pixgate(["transactions", "list", "--external-reference", "order-1042", "--json"]);
      return (JSON.parse(found.out) as { items: { id: string; status: string; amount: number }[] }).items[0];
    });
    assert.deepEqual([charge.status, charge.amount], ["pending", 25.9]);
    await json("sandbox", "pay", charge.id);
    const { code, out, err } = await waiting;
    assert.deepEqual([code, err], [0, ""]);
    assert.match(out, /^pixCopyPaste +000201/m);
    assert.match(out, /^status +pending$[\s\S]*^status +completed$/m);
    // The fee of the refund comes on top of what goes back.
    const other = await json<{ id: string }>("charges", "create", "--amount", "10", "--description", "Order 1043");
    await json("sandbox", "pay", other.id);
    const refund = await json<{ status: string; amount: number }>("refunds", "create", charge.id, "--wait", "--yes");
    assert.deepEqual([refund.status, refund.amount], ["CONFIRMED", 25.9]);
    const csv = await pixgate(["statement", "list", "--csv"]);
    assert.match(csv.out, /25[.,]90?/);
    assert.match(await fails(2, "charges", "create", "--amount", "1"), /--description is missing/);
    assert.match(await fails(1, "charges", "create", "--amount", "0.001", "--description", "x"), /VALIDATION_ERROR/);
    const page = await pixgate(["transactions", "list", "--limit", "1"]);
    assert.match(page.out, /--all lists the rest\.\n$/);
    const all = await json<{ items: unknown[]; nextCursor: null }>("transactions", "list", "--limit", "1", "--all");
    assert.ok(all.items.length > 1 && all.nextCursor === null);
  });

  test("each have a help that names every one of their flags", async () => {
    const { merchant, operator } = allNouns();
    const nouns = [...Object.keys(merchant), ...Object.keys(operator)];
    await Promise.all(
      nouns.map(async (noun) => {
        const { code, out } = await pixgate([noun, "--help"]);
        assert.equal(code, 0);
        assert.match(out, new RegExp(`^Usage: pixgate ${noun}[ |]`));
      }),
    );
    assert.match((await pixgate(["account", "create", "--help"])).out, /--legal-name <text> +legal name/);
    assert.match((await pixgate(["migrate", "--help"])).out, /^Usage: pixgate migrate /);
    assert.match((await pixgate(["master-key", "--help"])).out, /\n {2}rotate /);
  });
});
