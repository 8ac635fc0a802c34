/** A GET changes nothing, whoever sends it; what an operator changes is in the audit log. Held for every route of both documents. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pino from "pino";
import { sql } from "../../src/db/sql.ts";
import { dayOf } from "../../src/lib/days.ts";
import { type Running, serve } from "../../src/program/serve.ts";
import { readConfig } from "../../src/settings/config.ts";
import { notAt } from "../harness/bank.ts";
import { Browser } from "../harness/browser.ts";
import { Client, type Reply } from "../harness/client.ts";
import { readDocument, routesOf } from "../harness/document.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { operatorOf } from "../harness/operator.ts";
import { makeObject, pathWith } from "./objects.ts";
import { MANUAL, MARIA } from "./payouts.ts";

/** What is written about a call, or by the process's own watch of institutions, whatever the call reads. */
const ANYWAY = new Set(["api_requests", "institution_health"]);
/** Who searched for whom is kept, by the audit log, and that a check of the books runs, which others join. Nothing else is changed. */
const AUDITED: Readonly<Record<string, readonly string[]>> = {
  "GET /operator/v1/search": ["audit_heads", "audit_log"],
  "GET /operator/v1/ledger/verify": ["jobs"],
};
const { skip: noPayouts = false } = notAt("api-pix", "it has no payouts");
const skip = process.env.PIXGATE_TEST_WORKERS ? "a cluster's tables take no triggers" : noPayouts;
const today = dayOf(new Date());
const month = today.slice(0, 7);

let gateway: TestGateway;
/** A process without loops: what it writes, its calls have written. */
let other: Running;
let application: string;
before(async () => {
  gateway = await startGateway({ PIXGATE_TWO_PERSONS: "on" });
  const known = await applications();
  other = await serve(
    readConfig({
      ...{ PIXGATE_PORT: "0", PIXGATE_SIMULATOR_PORT: "off", PIXGATE_RATE_LIMIT: "off", PIXGATE_ROLE: "api" },
      ...{ PIXGATE_DATA_DIR: gateway.dataDir, DATABASE_URL: gateway.databaseUrl },
    }),
    pino({ level: "silent" }),
  );
  application = (await applications()).find((one) => !known.includes(one))!;
});
after(async () => {
  await other.stop();
  await gateway.end();
});

async function applications(): Promise<string[]> {
  const { rows } = await gateway.owner.query<{ name: string }>(sql`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and application_name like 'pixgate api %'`);
  return rows.map(({ name }) => name);
}

/** From now on it is noted which process writes rows of which table. */
async function noteWrites(): Promise<void> {
  const run = (text: string) => gateway.owner.query<{ name: string }>({ text, values: [] });
  await run("create table test_writes (application text not null, name text not null)");
  await run(`create function test_note() returns trigger language plpgsql security definer as $$ begin
    insert into test_writes values (current_setting('application_name'), tg_table_name); return null; end $$`);
  const { rows } = await run("select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'test_writes'");
  for (const { name } of rows)
    await run(`create trigger test_note after insert or update or delete on "${name}" for each row execute function test_note()`);
} // biome-ignore format: statements

async function takeWrites(): Promise<string[]> {
  const { rows } = await gateway.owner.query<{ name: string }>(
    sql`with taken as (delete from test_writes where application = ${application} returning name)
        select distinct name from taken order by name`,
  );
  return rows.map(({ name }) => name).filter((name) => !ANYWAY.has(name));
}

const ok = <T>(reply: Reply<T>): T => {
  assert.ok(reply.status < 300, `${reply.status} ${reply.text}`);
  return reply.body;
};
const at = (path: string) => new URL(path, other.url).href.replace(/\/$/, "");
async function auditor(): Promise<Client> {
  const made = await gateway.operator.post<{ token: string }>("/tokens", { name: "reviewer", role: "auditor" });
  return new Client(at("/operator/v1")).withToken(ok(made).token);
}
/** Money that belongs to no charge, with its case. */
async function strayMoney(): Promise<{ unmatched: string; caseId: string }> {
  const known = new Set((await unmatched()).map(({ id }) => id));
  ok(await gateway.simulator.post("/pix", { amountCentavos: 700, txid: `foreign${"3".repeat(21)}` }));
  const item = await eventually("the receipt", async () => (await unmatched()).find(({ id }) => !known.has(id)));
  const cases = await eventually("its case", async () => {
    const { items } = ok(
      await gateway.operator.get<{ items: { id: string; objectId: string }[] }>("/cases?status=open"),
    );
    return items.find(({ objectId }) => objectId === item.id);
  });
  return { unmatched: item.id, caseId: cases.id };
}
const unmatched = async () => ok(await gateway.operator.get<{ items: { id: string }[] }>("/unmatched")).items;
const institutionId = async () =>
  ok(await gateway.operator.get<{ items: { id: string }[] }>("/institutions")).items[0]!.id;

test("a GET of either document writes no row, by the least of roles that may send it", { skip }, async () => {
  const { accountId, clientId, clientSecret } = gateway.sandbox;
  const stray = await strayMoney();
  const withdrawal = await makeObject("/v2/withdrawals/{id}", gateway.merchant);
  const charge = await makeObject("/v2/transactions/{id}", gateway.merchant);
  ok(await gateway.merchant.post("/sub-accounts", { reference: "loja", name: "Loja" }));
  const institution = await institutionId();
  const operators: readonly (readonly [RegExp, string])[] = [
    [/^\/operator\/v1\/accounts\/\{id\}\/charges\//, `${accountId}/charges/${charge}`],
    [/^\/operator\/v1\/accounts\/\{id\}/, accountId],
    [/^\/operator\/v1\/institutions\/\{id\}/, institution],
    [/^\/operator\/v1\/unmatched\/\{id\}/, stray.unmatched],
    [/^\/operator\/v1\/cases\/\{id\}/, stray.caseId],
    [/^\/operator\/v1\/withdrawals\/\{id\}/, withdrawal],
  ];
  const merchant = await new Client(at("/v2")).login(clientId, clientSecret);
  const byAuditor = await auditor();
  const byAdmin = new Client(at("/operator/v1")).withToken(gateway.sandbox.operatorToken);
  await noteWrites();
  // A token's last use is written to the minute, and the calls below take longer.
  await gateway.owner.query(sql`update operator_tokens set last_used_at = now() + interval '1 hour'`);
  let calls = 0;
  for (const document of ["/openapi.json", "/operator/v1/openapi.json"]) {
    for (const { method, path, operation } of routesOf(await readDocument(at(document)))) {
      if (method !== "GET") continue;
      const dated = path.replace("{date}", today).replace("{month}", month);
      const isOperators = path.startsWith("/operator");
      const id = /\{/.test(dated)
        ? isOperators
          ? operators.find(([pattern]) => pattern.test(path))?.[1]
          : await makeObject(path, gateway.merchant)
        : "";
      assert.ok(id !== undefined, `say here what ${path} names`);
      const needed = (operation.parameters ?? []).filter((one) => one.in === "query" && one.required);
      const query = needed.map(({ name }) => `${name}=${name === "q" ? "maria" : today}`).join("&");
      const called = `${pathWith(dated, id).replace("/operator/v1", "")}${query ? `?${query}` : ""}`;
      let reply = await (isOperators ? byAuditor : merchant).get(called);
      if (reply.status === 403) reply = await byAdmin.get(called);
      assert.ok(reply.status === 200, `${path}: ${reply.status} ${reply.text.slice(0, 300)}`);
      assert.deepEqual(await takeWrites(), AUDITED[`GET ${path}`] ?? [], `GET ${path} writes`);
      calls += 1;
    }
  }
  assert.ok(calls > 50, `${calls} calls`);
});

test("every call by which an operator changes something leaves an entry of its kind in the audit log", { skip: noPayouts }, async () => {
  const { accountId } = gateway.sandbox;
  const { operator, merchant } = gateway;
  const institution = await institutionId();
  const actions = async (): Promise<string[]> => {
    const { rows } = await gateway.owner.query<{ action: string }>(sql`select action from audit_log order by created_at`);
    return rows.map(({ action }) => action);
  };
  const second = await operatorOf(gateway, "second", "admin");
  const payout = async () => ok(await merchant.post<{ id: string }>("/withdrawals", { ...MARIA, ...MANUAL, amount: 10 })).id;
  await makeObject("/v2/transactions/{id}/refund", merchant);
  ok(await merchant.post("/sub-accounts", { reference: "loja-2", name: "Loja 2" }));
  ok(await operator.post(`/accounts/${accountId}/adjustments`, { amount: 500, balance: "available", reason: "for payouts" }));
  // One operator is enough there.
  const alone = new Client(at("/operator/v1")).withToken(gateway.sandbox.operatorToken);
  const called = new Set<string>();
  let last: Record<string, string> = {};
  /** Calls it, and says which entry it must leave. */
  const leaves = async (action: string, method: string, path: string, body?: unknown, ids: readonly string[] = [], by = operator) => {
    const known = (await actions()).length;
    const given = [...ids];
    const to = path.replace(/\{\w+\}/g, () => encodeURIComponent(given.shift()!));
    const reply = await by.send<Record<string, string>>(method, to, body === undefined ? undefined : JSON.stringify(body));
    last = reply.status === 204 ? {} : ok(reply);
    assert.ok(reply.status < 300, `${method} ${to}: ${reply.text}`);
    const made = (await actions()).slice(known);
    assert.ok(made.includes(action), `${method} ${path} left ${made.join(", ") || "nothing"}, and not ${action}`);
    called.add(`${method} /operator/v1${path}`);
  };
  const account = [accountId];
  await leaves("account.create", "POST", "/accounts", { name: "New" });
  await leaves("account.update", "PATCH", "/accounts/{id}", { payouts: { approvalAbove: 1 } }, account);
  await leaves("account.institution", "PUT", "/accounts/{id}/institutions/{institutionId}", { enabled: true }, [accountId, institution]);
  await leaves("credential.create", "POST", "/accounts/{id}/credentials", { name: "Shop", permissions: ["PIX:WRITE"] }, account);
  const credential = [accountId, last.id!];
  await leaves("credential.rotate", "POST", "/accounts/{id}/credentials/{credentialId}/rotate", undefined, credential);
  await leaves("credential.adopt", "POST", "/accounts/{id}/credentials/{credentialId}/adopt", undefined, credential, second);
  await leaves("credential.revoke", "DELETE", "/accounts/{id}/credentials/{credentialId}", undefined, credential);
  await leaves("sub_account.update", "PATCH", "/accounts/{id}/sub-accounts/{reference}", { status: "suspended" }, [accountId, "loja-2"]);
  const adjustment = { amount: 1, balance: "available", reason: "a test" };
  await leaves("adjustment.create", "POST", "/accounts/{id}/adjustments", adjustment, account);
  const block = { amount: 1, blockType: "judicial", referenceNumber: "1", reason: "Court order" };
  await leaves("balance_block.create", "POST", "/accounts/{id}/balance-blocks", block, account);
  const end = { outcome: "rejected", resolutionReason: "order_lifted", resolutionText: "Order lifted" };
  await leaves("balance_block.resolve", "POST", "/accounts/{id}/balance-blocks/{blockId}/resolve", end, [accountId, last.id!]);

  const config = { baseUrl: "http://127.0.0.1:9/v2", tokenUrl: "http://127.0.0.1:9/oauth/token", controlUrl: "http://127.0.0.1:9", controlToken: "none", clientId: "none", clientSecret: "none", pixKey: "away@pixgate.test" };
  await leaves("institution.create", "POST", "/institutions", { name: "Away", provider: "simulator", environment: "sandbox", config });
  const made = [last.id!];
  await leaves("institution.update", "PATCH", "/institutions/{id}", { priority: 50, status: "inactive" }, made);
  await leaves("institution.test", "POST", "/institutions/{id}/test", undefined, made);
  await leaves("institution.check", "POST", "/institutions/{id}/check", {}, made);
  await leaves("institution.rotate-path", "POST", "/institutions/{id}/rotate-notification-path", undefined, made);
  const bare = { baseUrl: config.baseUrl, tokenUrl: config.tokenUrl, clientId: "none", clientSecret: "none", pixKey: "bare@pixgate.test" };
  await leaves("institution.create", "POST", "/institutions", { name: "Without balances", provider: "api-pix", environment: "sandbox", config: bare });
  await leaves("institution.balance", "POST", "/institutions/{id}/balance", { balance: 1, at: new Date(Date.now() - 90_000).toISOString() }, [last.id!]);
  await leaves("case.propose", "POST", "/treasury", { kind: "top_up", institutionId: institution, amount: 1, occurredAt: new Date().toISOString() });
  await leaves("reconciliation.refresh", "POST", "/reconciliation/{date}", undefined, [today]);
  await leaves("ledger.audit", "POST", "/ledger/audits", { mode: "fresh" });

  await leaves("unmatched.return", "POST", "/unmatched/{id}/resolve", { action: "return" }, [(await strayMoney()).unmatched], alone);
  const about = [(await strayMoney()).caseId];
  await leaves("case.assign", "POST", "/cases/{id}/assign", { assignee: "Ana" }, about);
  await leaves("case.note", "POST", "/cases/{id}/notes", { text: "The bank answers tomorrow." }, about);
  await leaves("case.propose", "POST", "/cases/{id}/propose", { action: "return" }, about);
  const proposalId = async () => ok(await operator.get<{ proposal: { id: string } }>(`/cases/${about[0]}`)).proposal.id;
  await leaves("case.reject", "POST", "/cases/{id}/reject", { proposalId: await proposalId() }, about);
  await leaves("case.propose", "POST", "/cases/{id}/propose", { action: "return" }, about);
  await leaves("case.approve", "POST", "/cases/{id}/approve", { proposalId: await proposalId() }, about, second);

  await leaves("withdrawal.approve", "POST", "/withdrawals/{id}/approve", undefined, [await payout()], second);
  const left = await payout();
  await leaves("withdrawal.reject", "POST", "/withdrawals/{id}/reject", { reason: "Nobody asked for it." }, [await payout()]);
  await leaves("withdrawal.cancel", "POST", "/withdrawals/{id}/cancel", undefined, [left]);
  ok(await operator.patch(`/accounts/${accountId}`, { payouts: { approvalAbove: null } }));
  await leaves("withdrawal.query", "POST", "/withdrawals/{id}/query", undefined, [await makeObject("/v2/withdrawals/{id}", merchant)]);
  await leaves("brake.set", "PUT", "/brakes", { scope: "all", paused: true, reason: "a test" });
  await leaves("brake.lift", "PUT", "/brakes", { scope: "all", paused: false, reason: "a test" });
  await gateway.owner.query(sql`update accounts set withdrawals_frozen_at = ${new Date()}, withdrawals_frozen_reason = 'a test' where account_id = ${accountId}`);
  await leaves("withdrawals.lift_freeze", "POST", "/accounts/{id}/lift-freeze", { reason: "a test" }, account);

  await leaves("token.create", "POST", "/tokens", { name: "maria", role: "finance" });
  const token = [last.id!];
  await leaves("token.adopt", "POST", "/tokens/{id}/adopt", undefined, token, second);
  await leaves("token.revoke", "DELETE", "/tokens/{id}", undefined, token);
  await leaves("person.invite", "POST", "/people", { email: "maria@example.com", role: "finance" });
  await new Browser(gateway).use(last.link!.split("#link=")[1]!);
  await leaves("person.recover", "POST", "/people/recovery", { email: "maria@example.com" });
  const people = ok(await operator.get<{ items: { id: string; email: string }[] }>("/people")).items;
  await leaves("person.remove", "DELETE", "/people/{personId}", undefined, [people.find(({ email }) => email === "maria@example.com")!.id]);
  await leaves("person.export", "POST", "/persons/export", { document: "529.982.247-25" });
  await leaves("person.erase", "POST", "/persons/erase", { document: "529.982.247-25" });

  await leaves("restore.expect_failover", "POST", "/restore/expect-failover", { minutes: 15, reason: "a test" });
  await leaves("restore.begin", "POST", "/restore/begin", { reason: "a test" });
  await leaves("restore.finish", "POST", "/restore/finish", { reason: "a test", silentInstitutions: "accept" }, [], alone);
  // It is an error to run on a restored copy.
  for (const error of gateway.takeErrors()) assert.match(error, /restored copy/);

  const all = routesOf(await readDocument(at("/operator/v1/openapi.json"))).filter(({ method }) => method !== "GET");
  assert.deepEqual(all.map(({ method, path }) => `${method} ${path}`).filter((one) => !called.has(one)), []);
}); // biome-ignore format: a call each

test("no GET compares a day any more", async () => {
  const old = await gateway.operator.get(`/reconciliation/${today}?refresh=true`);
  assert.equal(old.status, 400, old.text);
  assert.match(old.text, /POST \/operator\/v1\/reconciliation\//);
  const day = "2001-01-01";
  const shown = ok(
    await gateway.operator.get<{ institutions: unknown[]; notCompared: unknown[] }>(`/reconciliation/${day}`),
  );
  assert.deepEqual(shown.institutions, []);
  assert.ok(shown.notCompared.length > 0);
});
