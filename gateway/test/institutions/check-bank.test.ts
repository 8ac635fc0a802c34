/** The first day with a bank: what it does against what we assume, and a report that shows no secret. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { notificationPath } from "../../src/institutions/notification-path.ts";
import { newMerchant } from "../contract/money.ts";
import { pay } from "../contract/payments.ts";
import { show, withdraw } from "../contract/payouts.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Report = {
  ok: boolean;
  bank: string;
  checks: { name: string; result: string; says: string }[];
  seen: { what: string; at?: string; says: string }[];
  unverified: string[];
  capabilities: { charges: string[]; payouts: { holderChecked: boolean } | null; automatic: boolean };
};

let gateway: TestGateway;
let institutionId: string;
before(async () => {
  gateway = await startGateway({ PIXGATE_PUBLIC_URL: "https://pay.example.com" });
  institutionId = (await gateway.running.ctx.psps.all())[0]!.institutionId;
});
after(() => gateway.end());

const check = (body: object = {}) => gateway.operator.post<Report>(`/institutions/${institutionId}/check`, body);
const charges = async () => (await gateway.simulator.get<{ charges: object }>("/state")).body.charges;
const resultsOf = ({ checks }: Report) => Object.fromEntries(checks.map(({ name, result }) => [name, result]));

test("only looks unless a charge is asked for, which is issued, removed, and shows the bank's clock", async () => {
  await gateway.operator.post(`/institutions/${institutionId}/test`);
  const before = await charges();
  const looked = await check();
  assert.equal(looked.status, 200, looked.text);
  const works = {
    ...{ token: "works", scopes: "works", charges: "works", received: "works", notifications: "works" },
    ...{ balance: "works", payouts: "works", certificate: "not_offered" },
  };
  assert.deepEqual(resultsOf(looked.body), { ...works, charge: "not_asked", clock: "not_asked" });
  assert.deepEqual(await charges(), before, "nothing was issued");

  const tried = await check({ charge: true });
  assert.deepEqual(resultsOf(tried.body), { ...works, charge: "works", clock: "works" }, tried.text);
  assert.equal(tried.body.ok, true);
  // What it was held against, so that a report that is sent to others can be read alone.
  const { charges: issued, payouts, automatic } = tried.body.capabilities;
  assert.deepEqual([issued, payouts?.holderChecked, automatic], [["immediate", "due"], true, false]);
  const { byStatus } = (await charges()) as { byStatus: Record<string, number> };
  assert.equal(byStatus.ATIVA ?? 0, (before as { byStatus: Record<string, number> }).byStatus.ATIVA ?? 0);
});

test("says that a bank's times are of another zone where they are three hours from ours, and else that its clock is wrong", async () => {
  const setClock = async (ahead: number) => {
    const now = new Date(Date.now() + ahead * 3_600_000).toISOString();
    const reply = await gateway.simulator.send("PUT", "/clock", JSON.stringify({ now }));
    assert.equal(reply.status, 200, reply.text);
  };
  const clock = async () => (await check({ charge: true })).body.checks.find(({ name }) => name === "clock")!;
  await setClock(3);
  const zone = await clock();
  assert.equal(zone.result, "failed");
  assert.match(
    zone.says,
    /^Its times are 10[78]\d\d seconds from ours: another time zone\. Pixgate takes its times to name/,
  );
  await setClock(1);
  const wrong = await clock();
  assert.equal(wrong.result, "failed");
  assert.match(wrong.says, /^Its clock is 3[56]\d\d seconds from ours\.$/);
  await setClock(0);
  assert.equal((await clock()).result, "works");
});

test("its report stays in the audit log, and shows no secret, key or address", async () => {
  const { text, body } = await check({ charge: true });
  const { rows } = await gateway.owner.query<{ after: Report }>(sql`
    select after from audit_log where action = 'institution.check' and object_id = ${institutionId} order by seq desc limit 1`);
  assert.deepEqual(rows[0]?.after, body);
  const shown = await gateway.operator.get<{ config: Record<string, string> }>(`/institutions/${institutionId}`);
  const { clientId, pixKey, baseUrl, tokenUrl } = shown.body.config;
  for (const secret of [clientId, pixKey, baseUrl, tokenUrl, "pay.example.com", "/psp/"]) {
    assert.ok(secret !== undefined && !text.includes(secret), secret);
  }
});

test("shows what the bank has notified and settled by itself, with no id, name or amount", async () => {
  const quiet = (await check()).body.seen;
  assert.deepEqual(
    quiet.map(({ what, at }) => [what, at]),
    ["payment_notified", "return_notified", "payout_notified", "case_notified", "payout_settled"].map((what) => [
      what,
      undefined,
    ]),
  );
  await gateway.operator.post(`/institutions/${institutionId}/test`);
  const { psp } = (await gateway.running.ctx.psps.find(institutionId))!;
  const path = notificationPath(gateway.running.ctx.keys, institutionId, 0);
  assert.equal((await psp.registerNotifications!(gateway.running.url + path)).kind, "accepted");
  const merchant = await newMerchant(gateway);
  const { id: transactionId } = await pay(merchant.client, 20);
  const { id } = await withdraw(merchant.client);
  await eventually("the payout to be settled", async () => (await show(merchant.client, id)).status === "completed");
  const { body, text } = await eventually("notifications", async () => {
    const reply = await check();
    const at = (what: string) => reply.body.seen.find((one) => one.what === what)?.at;
    return at("payment_notified") && at("payout_notified") && at("payout_settled") ? reply : false;
  });
  assert.match(body.seen.at(-1)!.says, /^It settled a payout \d+ s after it had left\.$/);
  assert.equal(body.seen.find(({ what }) => what === "case_notified")?.at, undefined);
  for (const hidden of [id, transactionId, merchant.accountId]) assert.ok(!text.includes(hidden));
});

test("shows what a quiet bank has notified beside a busy one", async () => {
  const { ctx } = gateway.running;
  const before = (await check()).body.seen;
  await gateway.owner.query(sql`
    insert into inbox (account_id, inbox_id, institution_id, body_hash, body, kind, subject_id, status, next_at, received_at)
    select value::uuid, u.id, ${ctx.ids.uuid()}, sha256(u.id::text::bytea), '{}', 'charge_paid', u.id::text, 'applied', now(), now()
    from settings, unnest(${Array.from({ length: 10_001 }, () => ctx.ids.uuid())}::uuid[]) u (id) where name = 'house_account_id'`);
  assert.deepEqual((await check()).body.seen, before);
  assert.ok(before.some(({ what, at }) => what === "payment_notified" && at !== undefined));
});

test("says so where the bank sends notifications elsewhere, or does not answer", async () => {
  const { psp } = (await gateway.running.ctx.psps.find(institutionId))!;
  assert.equal((await psp.registerNotifications!("https://elsewhere.example.com")).kind, "accepted");
  const elsewhere = await check();
  assert.deepEqual([elsewhere.body.ok, resultsOf(elsewhere.body).notifications], [false, "failed"]);
  assert.ok(!elsewhere.text.includes("elsewhere.example.com"));
  const rules = [{ route: "*", kind: "error5xxBefore", probability: 1 }];
  await gateway.simulator.patch("/behaviour", { faults: { seed: 1, rules } });
  const silent = await check({ charge: true });
  await gateway.simulator.send("DELETE", "/behaviour", undefined);
  assert.equal(silent.body.ok, false);
  for (const name of ["charges", "received", "balance", "payouts", "charge"]) {
    assert.equal(resultsOf(silent.body)[name], "failed", name);
  }
});
