/** Nobody is the second person who was made one a moment ago by the first. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { readConfig } from "../../src/settings/config.ts";
import { newAccount } from "../contract/merchant.ts";
import { MANUAL, MARIA } from "../contract/payouts.ts";
import { assertRefused } from "../contract/refusal.ts";
import { Browser } from "../harness/browser.ts";
import { Client } from "../harness/client.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

const DAY = 86_400_000;
let gateway: TestGateway;
before(async () => {
  gateway = await startGateway({ PIXGATE_TWO_PERSONS: "on", PIXGATE_APPROVER_HOURS: "24" });
  const funds = { amount: 500, balance: "available", reason: "for payouts" };
  const funded = await gateway.operator.post(`/accounts/${gateway.sandbox.accountId}/adjustments`, funds);
  assert.ok(funded.status < 300, funded.text);
  await gateway.operator.patch(`/accounts/${gateway.sandbox.accountId}`, { payouts: { approvalAbove: 1 } });
});
after(() => gateway.stop());

let n = 0;
type Refused = { details: { from: string } };
/** The installation and its account are some days old; what is made from now on is not. */
const age = () => gateway.owner.query(sql`update accounts set created_at = ${new Date(Date.now() - 30 * DAY)}`);
const renew = () => gateway.owner.query(sql`update accounts set created_at = ${new Date()}`);
const invited = async (role: string, accountId?: string) => {
  const email = `second-${++n}@example.com`;
  const made = await gateway.operator.post<{ link: string }>("/people", {
    email,
    role,
    ...(accountId && { accountId }),
  });
  return new Browser(gateway).use(made.body.link.split("#link=")[1]!);
};
const idOf = async (browser: Browser) =>
  (await browser.send<{ person: { id: string } }>("GET", "/console/api/session")).body.person.id;
const since = async (personId: string, hours: number) => {
  const at = new Date(Date.now() - hours * 3_600_000);
  await gateway.owner.query(sql`update people set role_since = ${at} where person_id = ${personId}`);
  await gateway.owner.query(sql`update memberships set role_since = ${at} where person_id = ${personId}`);
};
const requested = async () => {
  const made = await gateway.merchant.post<{ id: string }>("/withdrawals", { ...MARIA, ...MANUAL, amount: 10 });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
};
const waits = async (id: string) => {
  const { rows } = await gateway.owner.query<{ waits: boolean }>(sql`
    select awaiting_approval as waits from withdrawals where withdrawal_id = ${id}`);
  return rows[0]!.waits;
};
/** A program of an owner's that approves withdrawals. */
async function approver(owner: Browser, accountId: string): Promise<Client> {
  const made = await owner.send<{ clientId: string; clientSecret: string }>(
    "POST",
    `/console/api/accounts/${accountId}/credentials`,
    { name: "Approvals", permissions: ["WITHDRAWAL:APPROVE"] },
  );
  assert.equal(made.status, 201, made.text);
  return new Client(gateway.sandbox.baseUrl).login(made.body.clientId, made.body.clientSecret);
}
/** A proposal of the sandbox's token that awaits somebody else. */
async function proposed() {
  const { items } = (await gateway.operator.get<{ items: { id: string }[] }>("/institutions")).body;
  const body = { kind: "top_up", institutionId: items[0]!.id, amount: 1, occurredAt: new Date().toISOString() };
  assert.ok((await gateway.operator.post("/treasury", body)).status < 300);
  const cases = await gateway.operator.get<{ items: { id: string; proposal: { id: string } }[] }>(
    "/cases?kind=treasury_entry&status=open",
  );
  const { id } = cases.body.items[0]!;
  const one = await gateway.operator.get<{ proposal: { id: string; status: string } }>(`/cases/${id}`);
  const status = async () =>
    (await gateway.operator.get<{ proposal: { status: string } }>(`/cases/${id}`)).body.proposal.status;
  return { path: `/operator/v1/cases/${id}/approve`, body: { proposalId: one.body.proposal.id }, status };
}

test("a person who has the role since a moment ago approves nothing, is told from when on they may, and then does", async () => {
  await age();
  const bia = await invited("admin");
  const id = await idOf(bia);
  const { path, body, status } = await proposed();
  const early = await bia.send<Refused>("POST", path, body);
  assertRefused(early, 403, "APPROVER_TOO_NEW");
  const left = Date.parse(early.body.details.from) - Date.now();
  assert.ok(left > 0.9 * DAY && left <= DAY, early.text);
  assert.equal(await status(), "awaiting_approval");
  const withdrawal = await requested();
  assertRefused(await bia.send("POST", `/operator/v1/withdrawals/${withdrawal}/approve`, {}), 403, "APPROVER_TOO_NEW");
  assert.equal(await waits(withdrawal), true);
  await since(id, 24.1);
  assert.equal((await bia.send("POST", path, body)).status, 200);
  assert.equal((await bia.send("POST", `/operator/v1/withdrawals/${withdrawal}/approve`, {})).status, 200);
});

test("a new role, a recovery and a new token begin the time anew", async () => {
  await age();
  const caio = await invited("support");
  const id = await idOf(caio);
  await since(id, 100);
  const email = `second-${n}@example.com`;
  const { path, body, status } = await proposed();
  const admin = await invited("admin");
  assert.equal((await admin.send("PATCH", `/console/api/people/${id}`, { role: "admin" })).status, 200);
  const recovery = async () => {
    const made = await gateway.operator.post<{ link: string }>("/people/recovery", { email });
    return new Browser(gateway).use(made.body.link.split("#link=")[1]!);
  };
  const back = await recovery();
  assertRefused(await back.send("POST", path, body), 403, "APPROVER_TOO_NEW");
  await since(id, 100);
  assertRefused(await (await recovery()).send("POST", path, body), 403, "APPROVER_TOO_NEW");
  await since(id, 100);
  const token = await (await recovery()).send<{ token: string }>("POST", "/operator/v1/tokens", {
    ...{ name: `Desk ${n}`, role: "admin" },
  });
  await since(id, 100);
  const byToken = await fetch(`${gateway.running.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token.body.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  assert.equal(byToken.status, 403);
  assert.match(await byToken.text(), /APPROVER_TOO_NEW/);
  assert.equal(await status(), "awaiting_approval");
});

test("nobody waits in the first day of an installation, and an account's people not in the first of theirs", async () => {
  await renew();
  const { path, body } = await proposed();
  assert.equal((await (await invited("admin")).send("POST", path, body)).status, 200);
  await age();
  const { accountId } = gateway.sandbox;
  const at = { headers: { "x-pixgate-account": accountId } };
  const withdrawal = await requested();
  const eva = await invited("finance", accountId);
  const decide = () => eva.send("POST", `/v2/withdrawals/${withdrawal}/approve`, {}, at);
  assertRefused(await decide(), 403, "APPROVER_TOO_NEW");
  assert.equal(await waits(withdrawal), true);
  await gateway.owner.query(sql`update accounts set created_at = now() where account_id = ${accountId}`);
  assert.equal((await decide()).status, 200);
});

test("a program's second credential does not wait, as the interface promises", async () => {
  await age();
  const withdrawal = await requested();
  const made = await gateway.operator.post<{ clientId: string; clientSecret: string }>(
    `/accounts/${gateway.sandbox.accountId}/credentials`,
    { name: "Second", permissions: ["WITHDRAWAL:APPROVE"], allowedIps: ["127.0.0.1"] },
  );
  assert.equal(made.status, 201, made.text);
  const second = await new Client(gateway.sandbox.baseUrl).login(made.body.clientId, made.body.clientSecret);
  const approved = await second.post(`/withdrawals/${withdrawal}/approve`, {});
  assert.notEqual((approved.body as { details?: { code?: string } }).details?.code, "APPROVER_TOO_NEW");
});

test("a new person's credential approves no sooner than the person", async () => {
  await age();
  const { accountId } = gateway.sandbox;
  const withdrawal = await requested();
  const gil = await invited("owner", accountId);
  const second = await approver(gil, accountId);
  const decide = () => second.post(`/withdrawals/${withdrawal}/approve`, {});
  assertRefused(await decide(), 403, "APPROVER_TOO_NEW");
  assert.equal(await waits(withdrawal), true);
  await since(await idOf(gil), 24.1);
  assert.equal((await decide()).status, 200);
});

test("who is removed begins no time anew: a program with a credential that was taken over goes on approving", async () => {
  await age();
  const { accountId } = gateway.sandbox;
  const ivo = await invited("owner", accountId);
  const ivoId = await idOf(ivo);
  const program = await approver(ivo, accountId);
  await since(ivoId, 100);
  const lia = await invited("owner", accountId);
  await since(await idOf(lia), 100);
  const removed = await lia.send("DELETE", `/console/api/accounts/${accountId}/people/${ivoId}?made=adopt`);
  assert.equal(removed.status, 200, removed.text);
  const approved = await program.post(`/withdrawals/${await requested()}/approve`, {});
  assert.equal(approved.status, 200, approved.text);
});

test("a role in another account begins no time anew in this one, where a new role does", async () => {
  await age();
  const { accountId } = gateway.sandbox;
  const noa = await invited("owner", accountId);
  const email = `second-${n}@example.com`;
  const id = await idOf(noa);
  await since(id, 100);
  const program = await approver(noa, accountId);
  const elsewhere = await newAccount(gateway);
  const made = await gateway.operator.post<{ link: string }>("/people", {
    email,
    role: "viewer",
    accountId: elsewhere,
  });
  await noa.use(made.body.link.split("#link=")[1]!);
  const change = async (account: string) => {
    const owner = await invited("owner", account);
    const path = `/console/api/accounts/${account}/people/${id}?made=end`;
    const changed = await owner.send("PATCH", path, { role: "finance" });
    assert.equal(changed.status, 200, changed.text);
  };
  const decide = async (withdrawal: string) => {
    const recovered = await gateway.operator.post<{ link: string }>("/people/recovery", { email });
    const browser = await new Browser(gateway).use(recovered.body.link.split("#link=")[1]!);
    const before = new Date(Date.now() - 4 * DAY);
    await gateway.owner.query(sql`update people set role_since = ${before} where person_id = ${id}`);
    const at = { headers: { "x-pixgate-account": accountId } };
    return browser.send("POST", `/v2/withdrawals/${withdrawal}/approve`, {}, at);
  };
  await age();
  await change(elsewhere);
  const approved = await program.post(`/withdrawals/${await requested()}/approve`, {});
  assert.equal(approved.status, 200, approved.text);
  await change(accountId);
  const withdrawal = await requested();
  assertRefused(await decide(withdrawal), 403, "APPROVER_TOO_NEW");
  assert.equal(await waits(withdrawal), true);
});

test("a new role of who belongs nowhere else counts for a process of 0.1.0 too, which knows one time of a person", async () => {
  const { accountId } = gateway.sandbox;
  const id = await idOf(await invited("viewer", accountId));
  await since(id, 100);
  const owner = await invited("owner", accountId);
  const changed = await owner.send("PATCH", `/console/api/accounts/${accountId}/people/${id}`, { role: "finance" });
  assert.equal(changed.status, 200, changed.text);
  const { rows } = await gateway.owner.query<{ at: Date }>(sql`
    select role_since as at from people where person_id = ${id}`);
  assert.ok(Date.now() - rows[0]!.at.getTime() < DAY);
});

test("the time is a day in production, none in a sandbox, a week at most", () => {
  const hours = (env: Record<string, string>) => readConfig(env).approverWait / 3_600_000;
  const production = {
    ...{ PIXGATE_ENV: "production", PIXGATE_SECRET_KEY: Buffer.alloc(32).toString("base64") },
    ...{ DATABASE_URL: "postgres://x@127.0.0.1/x", PIXGATE_PUBLIC_URL: "https://pix.example" },
  };
  assert.deepEqual([hours({}), hours(production), hours({ PIXGATE_APPROVER_HOURS: "168" })], [0, 24, 168]);
  assert.throws(() => hours({ PIXGATE_APPROVER_HOURS: "169" }), /PIXGATE_APPROVER_HOURS/);
});
