/** Refunds of a part of a payment (contract, section 8, "Partial refunds"), on the real app with the simulator. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { finishReturn } from "../../src/claims/returns/finish.ts";
import { sql } from "../../src/db/sql.ts";
import { BANK } from "../harness/bank.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { balancesOf, everyPage, give, type Merchant, newMerchant } from "./money.ts";
import {
  eventOf,
  type Payment,
  pay,
  type Refund,
  refundIs,
  refundsOf,
  returnsAtPsp,
  settleRefund,
  transfersOf,
} from "./payments.ts";
import { assertInvalid, assertRefused, nothingMoves } from "./refusal.ts"; // biome-ignore format: imports

type Transaction = { id: string; type: string; amount: number; refundedAmount?: number; returnedAmount?: number } & {
  refund?: { status: string; refundTransactionId: string; amount: number };
};

type Block = { id: string; status: string };

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
  // The PSP refuses to return more than it has, and the operator's gifts are not there.
  await gateway.simulator.patch("/behaviour", { openingBalanceCentavos: 1_000_000_00 });
});
after(() => gateway.end());

/** A merchant with a refund fee of 0.10 and 1 %, and some money beside the payments. */
async function shop(subAccounts: string[] = []): Promise<Merchant> {
  const merchant = await newMerchant(gateway, subAccounts);
  const fees = { refund: { fixed: 0.1, percent: 1 } };
  const reply = await gateway.operator.patch(`/accounts/${merchant.accountId}`, { fees });
  assert.equal(reply.status, 200, reply.text);
  await give(gateway, merchant.accountId, 10);
  return merchant;
}
const ask = ({ client }: Merchant, id: string, body?: unknown, headers: Record<string, string> = {}) =>
  client.post<Refund>(`/transactions/${id}/refund`, body, { headers });
const show = async ({ client }: Merchant, id: string) => (await client.get<Transaction>(`/transactions/${id}`)).body;

/** Refunds a part, and waits for its confirmation. */
async function refunded(merchant: Merchant, id: string, amount: number): Promise<Refund> {
  const reply = await ask(merchant, id, { amount });
  assert.equal(reply.status, 201, reply.text);
  const { refundTransactionId } = reply.body;
  const confirmed = await refundIs(merchant.client, id, "CONFIRMED");
  assert.equal(confirmed.refundTransactionId, refundTransactionId);
  return confirmed;
}
/** The institution returns a part by itself, as the end of a dispute. */
async function returnedByPsp(payment: Payment, amount: number): Promise<void> {
  const reply = await gateway.simulator.post<{ rtrId: string }>(`/pix/${payment.e2eId}/med-return`, {
    amountCentavos: Math.round(amount * 100),
  });
  assert.equal(reply.status, 200, reply.text);
  await eventually("the PSP's return in the books", async () => {
    const found = await gateway.running.ctx.db.query(sql`select from psp_returns where rtr_id = ${reply.body.rtrId}`);
    return found.rowCount > 0;
  });
}
/** Centavos that went back to the payer, as the institution has it. */
const backAtPsp = async (id: string): Promise<number> =>
  (await returnsAtPsp(gateway, id))
    .filter(({ status }) => status === "DEVOLVIDO")
    .reduce((sum, { amountCentavos }) => sum + amountCentavos, 0);

describe("A partial refund", () => {
  test("is a refund of its own, with its fee, event, transaction and return, until nothing is left", async () => {
    const merchant = await shop();
    const { client } = merchant;
    const payment = await pay(client, 100, { externalReference: "order-9" });
    const first = await refunded(merchant, payment.id, 30.5);
    assert.deepEqual([first.amount, first.feeAmount], [30.5, 0.41]);
    assert.deepEqual(await transfersOf(gateway, first.refundTransactionId), [
      "refund_fee 41 held → fees",
      "refund_held 3091 available → held",
      "refund_sent 3050 held → psp",
    ]);
    const { data } = await eventOf(gateway, first.refundTransactionId);
    assert.deepEqual(
      [data.amount, data.feeAmount, data.netAmount, data.originalTransactionId, data.externalReference],
      [30.5, 0.41, 30.5, payment.id, "order-9"],
    );
    const { status: _, ...after } = await show(merchant, payment.id).then(({ refund, ...shown }) => ({ ...shown, ...refund! }));
    assert.deepEqual([after.refundedAmount, after.returnedAmount, after.refundTransactionId], [30.5, 30.5, first.refundTransactionId]);

    const second = await refunded(merchant, payment.id, 0.01);
    assert.equal(second.feeAmount, 0.01);
    const rest = await ask(merchant, payment.id);
    assert.deepEqual([rest.status, rest.body.amount, rest.body.feeAmount], [201, 69.49, 0.79]);
    await refundIs(client, payment.id, "CONFIRMED");
    await nothingMoves(gateway, async () => {
      for (const body of [undefined, { amount: 0.01 }]) {
        const { details } = assertRefused(await ask(merchant, payment.id, body), 400, "REFUND_ALREADY_EXISTS");
        assert.equal(details.refundTransactionId, rest.body.refundTransactionId);
      }
    });

    const refunds = await refundsOf(client, payment.id);
    assert.deepEqual(refunds.map(({ status, amount }) => [status, amount]), [["CONFIRMED", 69.49], ["CONFIRMED", 0.01], ["CONFIRMED", 30.5]]);
    const done = await show(merchant, payment.id);
    assert.deepEqual([done.refundedAmount, done.returnedAmount, done.refund!.amount], [100, 100, 69.49]);
    assert.equal((await balancesOf(client)).total, 1_000 - 41 - 1 - 79);
    assert.deepEqual((await returnsAtPsp(gateway, payment.id)).map(({ amountCentavos }) => amountCentavos).sort((a, b) => a - b), [1, 3_050, 6_949]);
    const of = (type: string) => everyPage<Transaction>(client, `/transactions?type=${type}&originalTransactionId=${payment.id}`);
    assert.deepEqual((await of("fee")).map(({ amount }) => amount), [0.79, 0.01, 0.41]);
    assert.deepEqual((await of("refund")).map(({ amount }) => amount), [69.49, 0.01, 30.5]);
    await gateway.verify();
  }); // biome-ignore format: tables

  test("is the one shown of its payment while it is under way, and then the one made last, whatever their ids", async () => {
    const merchant = await shop();
    const payment = await pay(merchant.client);
    const { refundTransactionId: first } = await refunded(merchant, payment.id, 1);
    const reply = await ask(merchant, payment.id, { amount: 2, reason: "manual" });
    const second = reply.body.refundTransactionId;
    /** Which is shown if this one was made last: processes make ids by their own clocks, before the command runs. */
    const shownIfLast = async (id: string): Promise<string> => {
      let shown = "";
      const undo = new Error("undo");
      const tomorrow = new Date(Date.now() + 86_400_000);
      const asked = gateway.owner.transaction(async (tx) => {
        // The time as a value: a Citus cluster takes no sum with a time of the row in an update.
        await tx.query(
          sql`update refunds set created_at = ${tomorrow} where account_id = ${merchant.accountId} and refund_id = ${id}`,
        );
        const { rows } = await tx.query<{ refund: { refundTransactionId: string } }>(sql`
          select claims -> 'refund' as refund from transactions where account_id = ${merchant.accountId} and transaction_id = ${payment.id}`);
        shown = rows[0]!.refund.refundTransactionId;
        throw undo;
      });
      await assert.rejects(asked, undo);
      return shown;
    };
    assert.equal(await shownIfLast(first), second);
    await settleRefund(merchant.client, payment.id, "confirm");
    await refundIs(merchant.client, payment.id, "CONFIRMED");
    assert.equal(await shownIfLast(first), first);
    assert.equal(await shownIfLast(second), second);
  });

  test("of a split payment is the originator's alone, part by part", async () => {
    const merchant = await shop(["loja"]);
    const payment = await pay(merchant.client, 100, { split: [{ subAccount: "loja", amount: 60 }] });
    await refunded(merchant, payment.id, 40);
    assert.equal((await balancesOf(merchant.client, "loja")).total, 6_000);
    assert.equal((await balancesOf(merchant.client)).total, 1_000 + 4_000 - 4_000 - 50);
    await nothingMoves(gateway, async () => {
      const { details } = assertRefused(await ask(merchant, payment.id), 400, "INSUFFICIENT_BALANCE");
      assert.deepEqual([details.available, details.required], [9.5, 60.7]);
    });
  });

  test("that fails leaves its part to the next one", async () => {
    const merchant = await shop();
    const { client } = merchant;
    const payment = await pay(client);
    await refunded(merchant, payment.id, 25);
    const before = await balancesOf(client);
    assert.equal((await ask(merchant, payment.id, { amount: 60, reason: "manual" })).status, 201);
    assert.equal((await settleRefund(client, payment.id, "fail")).status, "ERROR");
    assert.deepEqual(await balancesOf(client), before);
    const shown = await show(merchant, payment.id);
    assert.deepEqual([shown.refundedAmount, shown.refund!.status, shown.refund!.amount], [25, "ERROR", 60]);
    await refunded(merchant, payment.id, 60);
    assert.equal((await show(merchant, payment.id)).refundedAmount, 85);
    await gateway.verify();
  });

  test("is refused, and nothing moves, above what is left, while one is PENDING, and with no amount of money", async () => {
    const merchant = await shop();
    const payment = await pay(merchant.client);
    await refunded(merchant, payment.id, 40);
    await nothingMoves(gateway, async () => {
      const { details } = assertRefused(await ask(merchant, payment.id, { amount: 60.01 }), 400, "REFUND_EXCEEDS_PAYMENT");
      assert.equal(details.left, 60);
      for (const amount of [0, -1, 1.001, "1", true, 1e10]) assertInvalid(await ask(merchant, payment.id, { amount }), ["amount"]);
    });
    const pending = await ask(merchant, payment.id, { amount: 1, reason: "manual" });
    await eventually("the PSP to have it", async () => (await returnsAtPsp(gateway, payment.id)).length === 2);
    await nothingMoves(gateway, async () => {
      const { details } = assertRefused(await ask(merchant, payment.id, { amount: 1 }), 400, "REFUND_ALREADY_EXISTS");
      assert.equal(details.refundTransactionId, pending.body.refundTransactionId);
    });
    await settleRefund(merchant.client, payment.id, "confirm");
  }); // biome-ignore format: one line each

  test("with an Idempotency-Key is made once, and another amount under the same key is refused", async () => {
    const merchant = await shop();
    const payment = await pay(merchant.client);
    const headers = { "idempotency-key": "partial-refund-1" };
    const first = await ask(merchant, payment.id, { amount: 10 }, headers);
    await refundIs(merchant.client, payment.id, "CONFIRMED");
    const again = await ask(merchant, payment.id, { amount: 10 }, headers);
    assert.deepEqual([again.status, again.text], [201, first.text]);
    assertRefused(await ask(merchant, payment.id, { amount: 11 }, headers), 422, "IDEMPOTENCY_KEY_REUSED");
    assert.equal((await show(merchant, payment.id)).refundedAmount, 10);
  });
});

describe("What goes back of a payment never exceeds it", () => {
  test("when three clients refund parts of it until nothing is left", async () => {
    const merchant = await shop();
    const payment = await pay(merchant.client);
    const made: number[] = [];
    const isOver = async () => (await show(merchant, payment.id)).refundedAmount === 100;
    const refundParts = async (amount: number): Promise<void> => {
      await eventually("the payment to be refunded", async () => {
        const reply = await ask(merchant, payment.id, { amount });
        if (reply.status === 201) made.push(reply.body.amount as number);
        else if (reply.status === 400 && "left" in (reply.body.details as object)) {
          // Too little is left for this part.
          const rest = await ask(merchant, payment.id);
          if (rest.status === 201) made.push(rest.body.amount as number);
        }
        return isOver();
      });
    };
    await Promise.all([60, 30, 25].map(refundParts));
    assert.equal(Math.round(made.reduce((sum, amount) => sum + amount, 0) * 100), 10_000);
    assert.equal(await backAtPsp(payment.id), 10_000);
    await gateway.verify();
  });

  test("when the institution has returned a part by itself: the rest is refunded, and no more", async () => {
    const merchant = await shop();
    const payment = await pay(merchant.client);
    await returnedByPsp(payment, 30);
    await nothingMoves(gateway, async () => {
      const over = await ask(merchant, payment.id, { amount: 70.01 });
      assert.equal(assertRefused(over, 400, "REFUND_EXCEEDS_PAYMENT").details.left, 70);
    });
    const rest = await ask(merchant, payment.id);
    assert.deepEqual([rest.status, rest.body.amount], [201, 70]);
    await refundIs(merchant.client, payment.id, "CONFIRMED");
    const shown = await show(merchant, payment.id);
    assert.deepEqual([shown.refundedAmount, shown.returnedAmount], [70, 100]);
    assert.equal(await backAtPsp(payment.id), 10_000);
    await gateway.verify();
  });

  test("when the institution returns a part while a refund is under way: one that still fits is made, another fails", async () => {
    for (const [byPsp, outcome] of [
      [60, "CONFIRMED"],
      [60.01, "ERROR"],
    ] as const) {
      const merchant = await shop();
      const payment = await pay(merchant.client);
      assert.equal((await ask(merchant, payment.id, { amount: 40, reason: "manual" })).status, 201);
      await returnedByPsp(payment, byPsp);
      if (outcome === "CONFIRMED") await settleRefund(merchant.client, payment.id, "confirm");
      await refundIs(merchant.client, payment.id, outcome);
      assert.equal((await show(merchant, payment.id)).returnedAmount, outcome === "ERROR" ? 60.01 : 100);
      await gateway.verify();
    }
  });

  test("when its payer contests a part: the free part is refunded beside the block, all takes the block over", async (t) => {
    if (BANK === "api-pix") return t.skip("it lists no MED cases");
    const merchant = await shop();
    const { client } = merchant;
    const contested = async () => {
      const payment = await pay(client);
      const block = await client.post<{ id: string }>("/sandbox/balance-blocks", { transactionId: payment.id, amount: 60 });
      assert.equal(block.status, 201, block.text);
      return { payment, blockId: block.body.id };
    };
    const beside = await contested();
    await nothingMoves(gateway, async () => {
      const { details } = assertRefused(await ask(merchant, beside.payment.id, { amount: 40.01 }), 400, "TRANSACTION_NOT_REFUNDABLE");
      assert.deepEqual([details.free, details.left], [40, 100]);
    });
    await refunded(merchant, beside.payment.id, 40);
    const lost = await client.post(`/sandbox/balance-blocks/${beside.blockId}/resolve`, { outcome: "approved" });
    assert.equal(lost.status, 200, lost.text);
    await eventually("the dispute's money to have gone back", async () => (await show(merchant, beside.payment.id)).returnedAmount === 100);
    assert.equal(await backAtPsp(beside.payment.id), 10_000);

    const over = await contested();
    await refunded(merchant, over.payment.id, 10);
    const all = await ask(merchant, over.payment.id);
    assert.deepEqual([all.status, all.body.amount], [201, 90]);
    const rejected = await eventOf(gateway, `balance_block_rejected_${over.blockId}`);
    assert.equal(rejected.data.resolutionReason, "refunded");
    await refundIs(client, over.payment.id, "CONFIRMED");
    assert.equal(await backAtPsp(over.payment.id), 10_000);
    await gateway.verify();
  }); // biome-ignore format: one line each

  test("when a refund that failed is settled during a dispute: the dispute stays undecided, and is held again", async (t) => {
    if (BANK === "api-pix") return t.skip("it lists no MED cases");
    const merchant = await shop();
    const { client, accountId } = merchant;
    const payment = await pay(client);
    const failed = (await ask(merchant, payment.id, { amount: 50, reason: "manual" })).body;
    await eventually("the return at the PSP", async () => (await returnsAtPsp(gateway, payment.id)).length > 0);
    const { ctx } = gateway.running;
    const { institutionId } = (await ctx.psps.all())[0]!;
    const { pspRefundTransactionId: pspId } = failed;
    const end = { kind: "failed" as const, reason: "no" };
    const of = { accountId, e2eId: payment.e2eId, institutionId, environment: "sandbox" as const };
    await ctx.lanes.run(finishReturn, { ...of, pspId, amount: 5_000, end });
    // Another one is on its way, so the dispute's hold is all that the first can come out of.
    assert.equal((await ask(merchant, payment.id, { amount: 50, reason: "manual" })).status, 201);
    await eventually("its return at the PSP", async () => (await returnsAtPsp(gateway, payment.id)).length > 1);
    const dispute = await client.post<Block>("/sandbox/balance-blocks", { transactionId: payment.id, amount: 50 });
    assert.equal(dispute.status, 201, dispute.text);
    const settled = await gateway.simulator.post(`/pix/${payment.e2eId}/returns/${pspId}/settle`, { outcome: "confirm" });
    assert.equal(settled.status, 200, settled.text);
    await eventually("the first refund to be confirmed", async () =>
      (await refundsOf(client, payment.id)).some(({ refundTransactionId: id, status }) => id === failed.refundTransactionId && status === "CONFIRMED"));
    const blocks = async () =>
      (await client.get<{ items: Block[] }>("/balance-blocks")).body.items.map(({ status }) => status).sort();
    assert.deepEqual(await blocks(), ["awaiting_response", "rejected"]);
    await gateway.verify();
    await settleRefund(client, payment.id, "fail");
    assert.deepEqual(await blocks(), ["awaiting_response", "awaiting_response", "rejected"]);
    await gateway.verify();
    const lost = await client.post(`/sandbox/balance-blocks/${dispute.body.id}/resolve`, { outcome: "approved" });
    assert.equal(lost.status, 200, lost.text);
    await eventually("the dispute's money to have gone back", async () => (await show(merchant, payment.id)).returnedAmount === 100);
    assert.deepEqual(await blocks(), ["approved", "approved", "rejected"]);
    assert.equal(await backAtPsp(payment.id), 10_000);
    await gateway.verify();
  }); // biome-ignore format: one line each
});
