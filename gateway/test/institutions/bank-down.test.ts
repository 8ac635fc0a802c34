/** A bank that is down costs a caller nothing but the charge: the answer comes at once, and nobody waits for the bank. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { give, newMerchant } from "../contract/money.ts";
import { pay, refundIs } from "../contract/payments.ts";
import { show, withdraw } from "../contract/payouts.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

let gateway: TestGateway;
let ahead = 0;
/** Time that passes for the gateway. */
const pass = (ms: number) => {
  ahead += ms;
};
before(async () => {
  const now = () => Date.now() + ahead;
  gateway = await startGateway({}, { clock: { now, date: () => new Date(now()) } });
});
after(() => gateway.end());

/** Waits with the gateway's clock ahead by a second more at each check: between probes of a bank lie up to fifteen. */
const soon = (what: string, check: () => Promise<boolean>) =>
  eventually(what, () => {
    pass(1_000);
    gateway.running.ctx.hints.wake("institutions");
    return check();
  });
const issued = () => soon("a charge to be issued", async () => (await charge()).status === 201);

const charge = () =>
  gateway.merchant.post<{ details?: { code: string; retryable: boolean } }>("/pix", { amount: 10, description: "d" });
type Shown = { health: string; lastFailure: { at: string; reason: string } | null };
const shown = async () => {
  gateway.running.ctx.hints.wake("institutions");
  return (await gateway.operator.get<{ items: Shown[] }>("/institutions")).body.items[0]!;
};
const health = async () => (await shown()).health;
/** Charges that were sent to the bank, whatever came of them. */
async function sent(): Promise<number> {
  const text = await (await fetch(`${gateway.running.url}/metrics`)).text();
  const lines = text.split("\n").filter((line) => /^pixgate_psp_calls_total\{.*route="putCob"/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

for (const time of ["once", "a second time"]) {
  test(`a charge is refused without a call while the only bank is down, and issued when it is back: ${time}`, async () => {
    const faults = { seed: 1, rules: [{ route: "*", kind: "reset", probability: 1 }] };
    assert.equal((await gateway.simulator.patch("/behaviour", { faults })).status, 200);
    await soon("the bank to be down", async () => (await health()) === "down");
    const down = await shown();
    assert.match(down.lastFailure!.reason, /^(ECONNRESET|UND_ERR_SOCKET)$/);
    assert.ok(Date.parse(down.lastFailure!.at) > 0, JSON.stringify(down));
    const before = await sent();
    for (let i = 0; i < 5; i += 1) {
      const refused = await charge();
      assert.equal(refused.status, 500, refused.text);
      assert.deepEqual([refused.body.details?.code, refused.body.details?.retryable], ["PSP_UNAVAILABLE", true]);
      assert.ok(Number(refused.headers.get("retry-after")) > 0);
    }
    assert.equal(await sent(), before);
    assert.ok((await gateway.simulator.send("DELETE", "/behaviour", undefined)).status < 300);
    await issued();
    await soon("the bank to be up", async () => (await health()) === "up");
  });
}

test("a bank whose writes hang while its reads answer is down after five charges, twelve seconds apart, and up when it writes again", async () => {
  const rules = ["putCob", "postCob"].map((route) => ({ route, kind: "reset", probability: 1 }));
  assert.equal((await gateway.simulator.patch("/behaviour", { faults: { seed: 1, rules } })).status, 200);
  const [institution] = await gateway.running.ctx.psps.all();
  for (let i = 0; i < 5; i += 1) {
    assert.equal(await health(), "up", `after ${i}`);
    assert.equal((await charge()).status, 500);
    // What is asked meanwhile is answered.
    const found = await institution!.psp.findCharge(`absent${"0".repeat(24)}${i}`, "immediate");
    assert.notEqual(found.kind, "unknown");
    pass(12_000);
  }
  assert.notEqual(await health(), "up");
  assert.ok((await gateway.simulator.send("DELETE", "/behaviour", undefined)).status < 300);
  await issued();
  await soon("the bank to be up", async () => (await health()) === "up");
});

test("a payout, a refund and a defence that have met an outage are tried when the bank is back, not when their pause ends", async () => {
  await give(gateway, gateway.sandbox.accountId, 100);
  const [refunded, contested] = [await pay(gateway.merchant, 20), await pay(gateway.merchant, 30)];
  const block = await gateway.merchant.post<{ id: string }>("/sandbox/balance-blocks", { transactionId: contested.id });
  assert.equal(block.status, 201, block.text);
  const faults = { seed: 1, rules: [{ route: "*", kind: "reset", probability: 1 }] };
  assert.equal((await gateway.simulator.patch("/behaviour", { faults })).status, 200);
  // So long after the outages before that the bank counts as back with the first answer, before it has made a payment.
  pass(600_000);
  await gateway.merchant.login(gateway.sandbox.clientId, gateway.sandbox.clientSecret);
  await soon("the bank to be down", async () => (await health()) === "down");
  const payout = await withdraw(gateway.merchant, { amount: 10 });
  assert.equal((await gateway.merchant.post(`/transactions/${refunded.id}/refund`)).status, 201);
  assert.equal((await gateway.merchant.post(`/balance-blocks/${block.body.id}/defense`, { text: "sent" })).status, 200);
  // Where they are after some hours of it: the longest pause has just begun.
  const later = new Date(Date.now() + ahead + 595_000);
  const waits = async () => {
    const counts = [
      sql`update withdrawals set next_at = ${later} where attempts > 0 and status in ('pending', 'processing') and next_at <= ${later}`,
      sql`update pix_returns set next_at = ${later} where attempts > 0 and next_at <= ${later}`,
      sql`update balance_blocks set defence_next_at = ${later} where defence_attempts > 0 and defence_next_at <= ${later}`,
    ].map(async (statement) => (await gateway.owner.query(statement)).rowCount);
    return (await Promise.all(counts)).join() === "1,1,1";
  };
  await eventually("each to have been tried", waits);
  // A query by a person tries at once what has not left.
  const attempts = async () =>
    (await gateway.operator.get<{ attempts: number }>(`/withdrawals/${payout.id}`)).body.attempts;
  const before = await attempts();
  assert.equal((await gateway.operator.post(`/withdrawals/${payout.id}/query`)).status, 200);
  await eventually("the payout to be tried", async () => (await attempts()) > before);
  await eventually("each to wait again", waits);

  assert.ok((await gateway.simulator.send("DELETE", "/behaviour", undefined)).status < 300);
  await soon("the payout to be made", async () => {
    gateway.running.ctx.hints.wake("resume");
    return (await show(gateway.merchant, payout.id)).status === "completed";
  });
  await refundIs(gateway.merchant, refunded.id, "CONFIRMED");
  const defence = async () =>
    (
      await gateway.owner.query<{ status: string }>(sql`
        select defence_status as status from balance_blocks where block_id = ${block.body.id}`)
    ).rows[0]!.status;
  await eventually("the defence to be sent", async () => (await defence()) === "sent");
  assert.ok(Date.now() + ahead < later.getTime(), "no pause has ended");
});

test("a till that its bank has lost keeps nobody else's charges from the bank", async () => {
  const other = await newMerchant(gateway);
  const others = () => other.client.post("/pix", { amount: 10, description: "d" });
  assert.equal((await others()).status, 201);
  const till = await gateway.merchant.post<{ id: string }>("/qr-codes", { kind: "till", name: "Lost" });
  assert.equal(till.status, 201, till.text);
  await gateway.owner.query(sql`update qr_codes set location_id = '999999999' where qr_code_id = ${till.body.id}`);
  for (let i = 0; i < 8; i += 1) {
    const refused = await gateway.merchant.post("/pix", { amount: 10, description: "d", qrCodeId: till.body.id });
    assert.equal(refused.status, 500, refused.text);
  }
  assert.equal((await others()).status, 201);
  assert.equal(await health(), "up");
});
