/** A transaction says what became of it: fee, net, applied split, refund, disputes, and what it belongs to. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { as } from "../contract/merchant.ts";
import { give, newMerchant } from "../contract/money.ts";
import { pay, refundIs, refundsOf, settleRefund } from "../contract/payments.ts";
import { settle, waiting } from "../contract/payouts.ts";
import type { Client } from "../harness/client.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Transaction = { id: string; type: string; amount: number; updatedAt: string } & Record<string, unknown>;

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

async function read(client: Client, id: string, subAccount: string | null = null): Promise<Transaction> {
  const reply = await client.get<Transaction>(`/transactions/${id}`, as(subAccount));
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

async function all(client: Client, subAccount: string | null = null): Promise<Transaction[]> {
  const reply = await client.get<{ items: Transaction[] }>("/transactions?limit=100", as(subAccount));
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

const fields = (transaction: Transaction, names: readonly string[]) =>
  Object.fromEntries(names.filter((name) => name in transaction).map((name) => [name, transaction[name]]));
const BECAME = ["feeAmount", "netAmount", "split", "refund", "refundedAmount", "disputedAmount", "returnedAmount"];
const BELONGS = ["originalTransactionId", "refundTransactionId", "blockId", "withdrawalId", "transferId"];

/** A merchant with fees, money, and a shop. */
async function merchant() {
  const made = await newMerchant(gateway, ["loja"]);
  const changed = await gateway.operator.patch(`/accounts/${made.accountId}`, {
    fees: { charge: { fixed: 0.5 }, withdrawal: { fixed: 1 }, refund: { fixed: 0.25 } },
  });
  assert.equal(changed.status, 200, changed.text);
  await give(gateway, made.accountId, 500);
  return made;
}

describe("What became of a transaction", () => {
  test("a payment has its fee, net amount, txid and applied split; its legs belong to it", async () => {
    const { client } = await merchant();
    const split = [{ subAccount: "loja", amount: 30 }];
    const pending = await client.post<{ id: string; txid: string }>("/pix", { amount: 100, description: "d", split });
    const before = await read(client, pending.body.id);
    assert.deepEqual(fields(before, BECAME), {}, "nothing is known before it is paid");
    assert.equal(typeof before.txid, "string");
    const paid = await client.post<Transaction>(`/sandbox/pix/${pending.body.id}/pay`);
    const expected = {
      feeAmount: 0.5,
      netAmount: 99.5,
      split,
      refundedAmount: 0,
      disputedAmount: 0,
      returnedAmount: 0,
    };
    assert.deepEqual(fields(paid.body, BECAME), expected);
    assert.deepEqual(await read(client, pending.body.id), paid.body);
    for (const wallet of [null, "loja"]) {
      const leg = (await all(client, wallet)).find(({ type }) => type === "internal_transfer")!;
      assert.deepEqual(fields(leg, [...BECAME, ...BELONGS]), { originalTransactionId: pending.body.id });
    }
  });

  test("a refund shows in its payment from the call to its end, and moves updatedAt", async () => {
    const { client } = await merchant();
    const { id } = await pay(client, 40);
    const paid = await read(client, id);
    const asked = await client.post<{ refundTransactionId: string }>(`/transactions/${id}/refund`, {
      reason: "manual",
    });
    assert.equal(asked.status, 201, asked.text);
    const { refundTransactionId } = asked.body;
    const pending = await read(client, id);
    assert.deepEqual(pending.refund, { status: "PENDING", refundTransactionId, amount: 40 });
    assert.ok(pending.updatedAt > paid.updatedAt, "updatedAt moves with the refund");
    assert.deepEqual(fields(await read(client, refundTransactionId), BECAME), {}, "its fee is known with its end");
    await eventually("the refund at the PSP", async () => (await refundsOf(client, id))[0]?.pspRefundTransactionId);
    await settleRefund(client, id, "confirm");
    await refundIs(client, id, "CONFIRMED");
    const confirmed = await read(client, id);
    assert.deepEqual(fields(confirmed, BECAME), {
      feeAmount: 0.5, netAmount: 39.5, refund: { status: "CONFIRMED", refundTransactionId, amount: 40 }, refundedAmount: 40, disputedAmount: 0,
      returnedAmount: 40,
    }); // biome-ignore format: a row
    assert.ok(confirmed.updatedAt > pending.updatedAt, "and with its confirmation");
    const refund = await read(client, refundTransactionId);
    assert.deepEqual(fields(refund, [...BECAME, ...BELONGS]), {
      feeAmount: 0.25,
      netAmount: 40,
      originalTransactionId: id,
    });
    const fee = (await all(client)).find(({ type }) => type === "fee")!;
    assert.deepEqual(fields(fee, BELONGS), { originalTransactionId: id, refundTransactionId });
  });

  test("a dispute shows in its payment while it is open and when it is lost; its chargeback belongs to both", async () => {
    const { client } = await merchant();
    const { id } = await pay(client, 60);
    const paid = await read(client, id);
    const block = await client.post<{ id: string }>("/sandbox/balance-blocks", { transactionId: id, amount: 25 });
    assert.equal(block.status, 201, block.text);
    const open = await read(client, id);
    assert.deepEqual([open.disputedAmount, open.returnedAmount], [25, 0]);
    assert.ok(open.updatedAt > paid.updatedAt);
    const resolved = await client.post(`/sandbox/balance-blocks/${block.body.id}/resolve`, { outcome: "approved" });
    assert.equal(resolved.status, 200, resolved.text);
    const lost = await read(client, id);
    assert.deepEqual([lost.disputedAmount, lost.returnedAmount], [0, 25]);
    assert.ok(lost.updatedAt > open.updatedAt);
    const chargeback = (await all(client)).find(({ type }) => type === "chargeback")!;
    assert.deepEqual(fields(chargeback, BELONGS), { originalTransactionId: id, blockId: block.body.id });
  });

  test("a dispute that is won leaves nothing disputed and nothing returned", async () => {
    const { client } = await merchant();
    const { id } = await pay(client, 60);
    const block = await client.post<{ id: string }>("/sandbox/balance-blocks", { transactionId: id });
    await client.post(`/sandbox/balance-blocks/${block.body.id}/resolve`, { outcome: "rejected" });
    assert.deepEqual(fields(await read(client, id), ["disputedAmount", "returnedAmount"]), {
      disputedAmount: 0,
      returnedAmount: 0,
    });
  });

  test("a withdrawal has fee and net amount at once, and what came back; its return belongs to it", async () => {
    const { client } = await merchant();
    const withdrawal = await waiting(client, { amount: 10 });
    assert.deepEqual(fields(await read(client, withdrawal.id), BECAME), {
      feeAmount: 1,
      netAmount: 9,
      returnedAmount: 0,
    });
    await settle(client, withdrawal.id, { outcome: "complete" });
    const completed = await read(client, withdrawal.id);
    await settle(client, withdrawal.id, { outcome: "reverse", amount: 4 });
    const returned = await read(client, withdrawal.id);
    assert.equal(returned.returnedAmount, 4);
    assert.ok(returned.updatedAt > completed.updatedAt);
    const back = (await all(client)).find(({ type, amount }) => type === "adjustment" && amount === 4)!;
    assert.deepEqual(fields(back, BELONGS), { withdrawalId: withdrawal.id });
  });

  test("a charge names its customer until a payer is known, and a withdrawal for whom it was asked", async () => {
    const { client } = await merchant();
    const expected = async (id: string) => {
      const alone = (await read(client, id)).expectedName;
      assert.equal((await all(client)).find((one) => one.id === id)!.expectedName, alone);
      return alone;
    };
    const customer = { name: "Joana Prado", document: "52998224725" };
    const { body: charge } = await client.post<{ id: string }>("/pix", { amount: 12, description: "d", customer });
    assert.equal(await expected(charge.id), "Joana Prado");
    await client.post(`/sandbox/pix/${charge.id}/pay`);
    assert.equal(await expected(charge.id), undefined);
    const { body: nobodys } = await client.post<{ id: string }>("/pix", { amount: 12, description: "d" });
    assert.equal(await expected(nobodys.id), undefined);
    const withdrawal = await waiting(client, { amount: 10, holderName: "Rosana Lima" });
    assert.equal(await expected(withdrawal.id), "Rosana Lima");
    await settle(client, withdrawal.id, { outcome: "complete" });
    assert.equal(await expected(withdrawal.id), "Rosana Lima");
  });

  test("a refund and a chargeback name the payment's payer, each side of a split and of a transfer the other wallet", async () => {
    const { client } = await merchant();
    const named = async (id: string, wallet: string | null = null) => {
      const [alone, listed] = [
        await read(client, id, wallet),
        (await all(client, wallet)).find((one) => one.id === id)!,
      ];
      assert.deepEqual(listed, alone);
      return [alone.counterpartName, alone.counterpartSubAccount];
    };
    const refunded = await pay(client, 40, { externalReference: "order-9" });
    const asked = await client.post<{ refundTransactionId: string }>(`/transactions/${refunded.id}/refund`, {});
    await refundIs(client, refunded.id, "CONFIRMED");
    assert.deepEqual(await named(asked.body.refundTransactionId), ["Ana Pessoa", undefined]);
    const fee = (await all(client)).find(({ type }) => type === "fee")!;
    assert.deepEqual(await named(fee.id), [undefined, undefined]);
    for (const id of [asked.body.refundTransactionId, fee.id]) {
      const { externalReference, originalExternalReference } = await read(client, id);
      assert.deepEqual([externalReference, originalExternalReference], [undefined, "order-9"]);
    }

    const disputed = await pay(client, 60);
    const block = await client.post<{ id: string }>("/sandbox/balance-blocks", { transactionId: disputed.id });
    await client.post(`/sandbox/balance-blocks/${block.body.id}/resolve`, { outcome: "approved" });
    const chargeback = (await all(client)).find(({ type }) => type === "chargeback")!;
    assert.deepEqual(await named(chargeback.id), ["Ana Pessoa", undefined]);

    await pay(client, 100, { split: [{ subAccount: "loja", amount: 30 }] });
    const sent = await client.post<{ id: string }>("/transfers", { subAccount: "loja", amount: 2 });
    for (const [wallet, other] of [
      [null, "loja"],
      ["loja", "principal"],
    ] as const) {
      const sides = (await all(client, wallet)).filter(({ type }) => type === "internal_transfer");
      assert.deepEqual(
        sides.map(({ amount }) => amount),
        [2, 30],
      );
      for (const { id } of sides) assert.deepEqual(await named(id, wallet), [undefined, other]);
    }
    const { items } = (await client.get<{ items: Transaction[] }>("/transactions?subAccount=*&limit=100")).body;
    const everywhere = items.filter(({ type }) => type === "internal_transfer");
    assert.deepEqual(new Set(everywhere.map((one) => one.counterpartSubAccount)), new Set(["loja", "principal"]));
    assert.equal(everywhere.length, 4);
    assert.deepEqual(await named(sent.body.id), [undefined, "loja"]);
  });

  test("both sides of a transfer name it; the operator's adjustment belongs to nothing", async () => {
    const { client } = await merchant();
    const sent = await client.post<{ id: string }>("/transfers", { subAccount: "loja", amount: 2 });
    for (const wallet of [null, "loja"]) {
      const side = (await all(client, wallet)).find(({ type }) => type === "internal_transfer")!;
      assert.deepEqual(fields(side, BELONGS), { transferId: sent.body.id });
    }
    const given = (await all(client)).find(({ type }) => type === "adjustment")!;
    assert.deepEqual(fields(given, BELONGS), {});
  });
});
