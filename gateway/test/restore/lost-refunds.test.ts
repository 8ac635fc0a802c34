/** After a restore a bank may show refunds that the books have lost: no other return of their Pix leaves until a person has decided. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { txidFor } from "../../src/lib/ids.ts";
import { give, type Merchant, newMerchant } from "../contract/money.ts";
import { type Payment, pay, type Refund, refundIs, refundsOf, returnsAtPsp } from "../contract/payments.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Case = { id: string; kind: string; objectId: string; evidence: { data?: object } };

let gateway: TestGateway;
let merchant: Merchant;
let lost: Payment[];
before(async () => {
  gateway = await startGateway();
  await gateway.simulator.patch("/behaviour", { openingBalanceCentavos: 1_000_000_00 });
  merchant = await newMerchant(gateway);
  await give(gateway, merchant.accountId, 1_000);
  lost = await Promise.all([pay(merchant.client), pay(merchant.client), pay(merchant.client)]);
});
after(() => gateway.end());

const ask = (payment: Payment, amount: number) =>
  merchant.client.post<Refund>(`/transactions/${payment.id}/refund`, { amount });
const restore = async (step: "begin" | "finish", more: object = {}) => {
  const reply = await gateway.operator.post<{ restored: boolean }>(`/restore/${step}`, { reason: "A copy.", ...more });
  assert.deepEqual([reply.status, reply.body.restored], [200, step === "begin"], reply.text);
};

/** A refund that the bank made and that these books do not have: as if it had been requested after their backup. */
async function lose({ e2eId }: Payment, amount: number, description = "a refund"): Promise<void> {
  const { ctx } = gateway.running;
  const { rows } = await ctx.db.query<{ number: number }>(
    sql`select number from accounts where account_id = ${merchant.accountId}`,
  );
  const id = txidFor(rows[0]!.number, ctx.ids.uuid());
  const [institution] = await ctx.psps.all();
  const made = await institution!.psp.returnPix({ e2eId, id, amount: amount * 100, description });
  assert.equal(made.kind, "accepted", JSON.stringify(made));
}

/** The case of a refund that waits for a person; nothing of it has reached the bank. */
async function caseOf(payment: Payment, refundId: string): Promise<Case> {
  const found = await eventually("the case", async () => {
    const page = await gateway.operator.get<{ items: Case[] }>("/cases?status=open&kind=return_unresolved&limit=100");
    return page.body.items.find(({ objectId }) => objectId === refundId);
  });
  assert.deepEqual((found.evidence.data as { latest: object }).latest, { state: "lost_return" });
  const { body } = await gateway.operator.get<{ actions: { action: string }[] }>(`/cases/${found.id}`);
  assert.deepEqual(
    body.actions.map(({ action }) => action),
    ["confirm", "force_failed"],
  );
  assert.equal((await returnsAtPsp(gateway, payment.id)).length, 1);
  assert.equal((await refundsOf(merchant.client, payment.id))[0]!.status, "PENDING");
  return found;
}
async function decide({ id }: Case, action: string): Promise<void> {
  const reply = await gateway.operator.post<{ status: string }>(`/cases/${id}/propose`, {
    ...{ action, parameters: { reason: "The merchant says so." } },
  });
  assert.deepEqual([reply.status, reply.body.status], [200, "closed"], reply.text);
}
const backAtPsp = async ({ id }: Payment) =>
  (await returnsAtPsp(gateway, id)).map(({ amountCentavos }) => amountCentavos);

test("a refund that a restore lost is not made again, by a repeat or by what was open in the backup", async () => {
  const [booked, open, processing] = lost as [Payment, Payment, Payment];
  // In the backup one refund is open; after it the bank made three, of which it still processes one.
  await restore("begin");
  const before = await ask(open, 30);
  assert.equal(before.status, 201, before.text);
  await lose(booked, 30);
  await lose(open, 30);
  await lose(processing, 30, "manual");
  await restore("finish", { openWithdrawals: "confirm_all", silentInstitutions: "accept" });
  assert.deepEqual(gateway.takeErrors(), [
    "this database is a restored copy: nothing leaves until `pixgate restore finish`",
  ]);
  await eventually("the bank's word to be booked", async () => {
    const shown = await merchant.client.get<{ returnedAmount?: number }>(`/transactions/${booked.id}`);
    return shown.body.returnedAmount === 30;
  });

  const repeats = await Promise.all([ask(booked, 30), ask(processing, 30)]);
  assert.deepEqual(repeats.map(({ status }) => status), [201, 201]); // biome-ignore format: one line
  const [repeat, other] = repeats.map(({ body }) => body.refundTransactionId) as [string, string];
  // It is a repeat: it is not made, and its money is available again.
  await decide(await caseOf(booked, repeat), "force_failed");
  await refundIs(merchant.client, booked.id, "ERROR");
  assert.deepEqual(await backAtPsp(booked), [3_000]);
  // It is wanted besides the lost one.
  await caseOf(processing, other);
  await decide(await caseOf(open, before.body.refundTransactionId), "confirm");
  await refundIs(merchant.client, open.id, "CONFIRMED");
  assert.deepEqual(await backAtPsp(open), [3_000, 3_000]);
  assert.deepEqual(await backAtPsp(processing), [3_000]);
  await gateway.verify();

  // What was received since then cannot have been lost.
  const later = await pay(merchant.client);
  await lose(later, 30);
  assert.equal((await ask(later, 30)).status, 201);
  await refundIs(merchant.client, later.id, "CONFIRMED");
});

test("a payment from before a restore of which the bank shows nothing else is refunded as ever", async () => {
  const payment = await pay(merchant.client);
  await restore("begin");
  await restore("finish", { openWithdrawals: "confirm_all", silentInstitutions: "accept" });
  gateway.takeErrors();
  for (const amount of [30, 70]) {
    assert.equal((await ask(payment, amount)).status, 201);
    await refundIs(merchant.client, payment.id, "CONFIRMED");
  }
  assert.deepEqual(await backAtPsp(payment), [3_000, 7_000]);
});
