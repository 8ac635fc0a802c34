/** A row that the database does not let a loop claim stops no other row, and a payout that nobody approved is never due. */
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { dayOf } from "../../src/lib/days.ts";
import { createSender } from "../../src/withdrawals/send.ts";
import { balancesOf, give, newMerchant } from "../contract/money.ts";
import { payoutsOf, show, withdraw } from "../contract/payouts.ts";
import { clearOfMidnight } from "../harness/clear-of-midnight.ts";
import { newOperator } from "../harness/debt.ts";
import { approveCase } from "../harness/decide.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Case = { id: string; kind: string; status: string; objectId: string; evidence: { says: string } };

let gateway: TestGateway;
before(async () => {
  await clearOfMidnight();
  gateway = await startGateway({ PIXGATE_ROLE: "api", PIXGATE_TWO_PERSONS: "on" });
});
afterEach(() => gateway.verify());
after(() => gateway.stop());

const ctx = () => gateway.running.ctx;
async function pass(): Promise<void> {
  const sender = createSender(ctx());
  await sender.runDue();
  await sender.idle();
}
/** A withdrawal that waits for somebody's approval. */
async function awaiting() {
  const merchant = await newMerchant(gateway);
  await give(gateway, merchant.accountId, 100);
  await gateway.operator.patch(`/accounts/${merchant.accountId}`, { payouts: { approvalAbove: 1 } });
  const { id } = await withdraw(merchant.client);
  const { rows } = await ctx().db.query<{
    psp_id: string;
    net_amount: number;
    pix_key: string;
    holder_document: string;
  }>(sql`
    select psp_id, net_amount, pix_key, holder_document from withdrawals where withdrawal_id = ${id} and awaiting_approval`);
  assert.equal(rows.length, 1);
  return { ...merchant, id, row: rows[0]! };
}
const casesOf = async (accountId: string) =>
  (await gateway.operator.get<{ items: Case[] }>(`/cases?accountId=${accountId}&status=open`)).body.items;

test("a row that breaks a check when it is claimed is put off and reported, and every other one leaves", async () => {
  const poison = await awaiting();
  const others = [];
  for (let i = 0; i < 3; i += 1) {
    const merchant = await newMerchant(gateway);
    await give(gateway, merchant.accountId, 100);
    others.push(await withdraw(merchant.client));
  }
  await ctx().db.query(sql`update withdrawals set next_at = ${new Date(0)} where withdrawal_id = ${poison.id}`);
  await pass();
  for (const { id } of others) assert.equal((await payoutsOf(gateway, id)).length, 1);
  assert.deepEqual(gateway.takeErrors(), ["a row cannot be claimed: it is put off"]);
  assert.deepEqual(await payoutsOf(gateway, poison.id), []);
  assert.equal((await show(poison.client, poison.id)).status, "pending");
  await pass();
  assert.deepEqual(gateway.takeErrors(), [], "it is not due again at once");
  const metrics = await (await fetch(`${gateway.running.url}/metrics`)).text();
  assert.match(metrics, /^pixgate_claims_refused_total\{table="withdrawals"\} 1$/m);
});

test("a payout that the bank has paid and that awaits approval here is a contradiction, and is never made due", async () => {
  const { accountId, client, id, row } = await awaiting();
  // As in a database that was set back to before the approval.
  const { psp } = (await ctx().psps.all())[0]!;
  const { psp_id, net_amount: amount, pix_key: pixKey, holder_document: holderDocument } = row;
  const sent = await psp.payouts!.sendPayout({ id: psp_id, amount, pixKey, holderDocument });
  assert.equal(sent.kind, "accepted");
  await eventually("the bank to pay it", async () => {
    const shown = await psp.payouts!.findPayout(psp_id);
    return shown.kind === "found" && shown.value.status === "settled";
  });
  const compared = await gateway.operator.post(`/reconciliation/${dayOf(new Date())}`);
  assert.equal(compared.status, 200, compared.text);
  const [found] = await casesOf(accountId);
  assert.deepEqual([found?.kind, found?.objectId], ["payout_contradiction", id]);
  assert.match(found!.evidence.says, /nobody has approved it here/);
  const { rows } = await ctx().db.query(sql`select next_at, status from withdrawals where withdrawal_id = ${id}`);
  assert.deepEqual(rows, [{ next_at: null, status: "pending" }]);
  assert.equal((await balancesOf(client)).held, 1_000, "nothing has moved");

  const [ana, rafael] = [await newOperator(gateway, "Ana"), await newOperator(gateway, "Rafael")];
  assert.equal((await ana.post(`/cases/${found!.id}/propose`, { action: "force_completed" })).status, 200);
  const done = await approveCase<{ status: string; proposal: { status: string } }>(rafael, found!.id);
  assert.deepEqual([done.body.status, done.body.proposal.status], ["closed", "executed"], done.text);
  assert.equal((await show(client, id)).status, "completed");
  assert.equal((await balancesOf(client)).held, 0);
});
