/** `GET /transactions` over all wallets, by time of change and of payment, and by what belongs together. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Client } from "../harness/client.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { as, credentialOf } from "./merchant.ts";
import { everyPage, give, newMerchant, type Page } from "./money.ts";
import { pay, refundIs } from "./payments.ts";
import { settle, waiting } from "./payouts.ts";
import { assertInvalid, assertRefused } from "./refusal.ts";

type Transaction = { id: string; type: string; subAccount?: string; updatedAt: string; paidAt?: string } & Record<
  string,
  unknown
>;

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(async () => {
  await gateway.verify();
  await gateway.stop();
});

const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id);
async function list(client: Client, query: string): Promise<Transaction[]> {
  const reply = await client.get<Page<Transaction>>(`/transactions?limit=100&${query}`);
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items;
}

describe("GET /transactions", () => {
  test("with subAccount=* is of all wallets, each item with its own, page by page", async () => {
    const { accountId, client } = await newMerchant(gateway, ["a-shop", "b-shop"]);
    await give(gateway, accountId, 100);
    const paid = await pay(client, 50, { split: [{ subAccount: "b-shop", amount: 5 }] });
    const pending = await client.post<{ id: string }>("/pix", { amount: 3, description: "d" }, as("a-shop"));
    const sent = await client.post<{ id: string }>("/transfers", { subAccount: "a-shop", amount: 7 });
    const items = await list(client, "subAccount=*");
    assert.deepEqual(ids(items), ids(items).sort().reverse(), "newest first");
    const seen = items.map(({ type, subAccount }) => `${type} ${subAccount}`).sort();
    assert.deepEqual(seen, [
      "adjustment principal", "internal_transfer a-shop", "internal_transfer b-shop", "internal_transfer principal",
      "internal_transfer principal", "payment a-shop", "payment principal",
    ]); // biome-ignore format: a list
    assert.deepEqual(ids(await everyPage<Transaction>(client, "/transactions?subAccount=*&limit=2")), ids(items));
    assert.deepEqual(ids(await list(client, "subAccount=*&status=pending")), [pending.body.id]);
    assert.deepEqual(ids(await list(client, "subAccount=*&type=payment&status=completed")), [paid.id]);
    for (const { id, subAccount } of items) {
      const one = await client.get<Transaction>(`/transactions/${id}`, as(subAccount!));
      assert.equal(one.status, 200, one.text);
    }
    assert.ok(ids(items).includes(sent.body.id));
    const narrow = await credentialOf(gateway, accountId, { subAccountAccess: false });
    assertRefused(await narrow.get("/transactions?subAccount=*"), 403, "SUB_ACCOUNT_FORBIDDEN");
    assertInvalid(await client.get("/transactions?subAccount=a-shop"), ["subAccount"]);
  });

  test("by time of change finds an old payment that was refunded since, and by time of payment what was paid then", async () => {
    const { accountId, client } = await newMerchant(gateway);
    await give(gateway, accountId, 100);
    const [old, other] = [await pay(client, 10), await pay(client, 11)];
    const polled = new Date().toISOString();
    assert.deepEqual(await list(client, `updatedFrom=${polled}`), []);
    const refund = await client.post<{ refundTransactionId: string }>(`/transactions/${old.id}/refund`);
    await refundIs(client, old.id, "CONFIRMED");
    const changed = await list(client, `updatedFrom=${polled}`);
    assert.deepEqual(ids(changed), [refund.body.refundTransactionId, old.id]);
    assert.deepEqual(ids(await list(client, `updatedTo=${polled}&type=payment`)), [other.id]);
    const [first, second] = await Promise.all(
      [old, other].map(async ({ id }) => (await client.get<Transaction>(`/transactions/${id}`)).body.paidAt!),
    );
    assert.deepEqual(ids(await list(client, `paidFrom=${second}`)), [other.id]);
    assert.deepEqual(ids(await list(client, `paidFrom=${first}&paidTo=${second}`)), [old.id]);
    assertInvalid(await client.get("/transactions?updatedFrom=x&paidTo=y"), ["updatedFrom", "paidTo"]);
  });

  test("by what belongs to a payment or a withdrawal", async () => {
    const { accountId, client } = await newMerchant(gateway, ["loja"]);
    await gateway.operator.patch(`/accounts/${accountId}`, { fees: { refund: { fixed: 0.25 } } });
    await give(gateway, accountId, 100);
    const { id } = await pay(client, 40, { split: [{ subAccount: "loja", amount: 15 }] });
    await pay(client, 41, { split: [{ subAccount: "loja", amount: 1 }] });
    await client.post(`/transactions/${id}/refund`);
    await refundIs(client, id, "CONFIRMED");
    const related = await list(client, `subAccount=*&originalTransactionId=${id}`);
    const seen = related.map(({ type, subAccount }) => `${type} ${subAccount}`).sort();
    assert.deepEqual(seen, [
      "fee principal",
      "internal_transfer loja",
      "internal_transfer principal",
      "refund principal",
    ]);
    for (const item of related) assert.equal(item.originalTransactionId, id);

    const contested = await pay(client, 30);
    const block = await client.post<{ id: string }>("/sandbox/balance-blocks", { transactionId: contested.id });
    await client.post(`/sandbox/balance-blocks/${block.body.id}/resolve`, { outcome: "approved" });
    const [chargeback, ...more] = await list(client, `originalTransactionId=${contested.id}`);
    assert.deepEqual([chargeback!.type, chargeback!.blockId, more.length], ["chargeback", block.body.id, 0]);

    const withdrawal = await waiting(client, { amount: 5 });
    await settle(client, withdrawal.id, { outcome: "complete" });
    await settle(client, withdrawal.id, { outcome: "reverse" });
    const [back] = await list(client, `originalTransactionId=${withdrawal.id}`);
    assert.deepEqual([back!.type, back!.withdrawalId], ["adjustment", withdrawal.id]);
  });

  test("by end-to-end id finds the payment of a second Pix, and the refund by its return", async () => {
    const { client } = await newMerchant(gateway);
    const { id, e2eId } = await pay(client, 10);
    assert.equal((await client.post(`/sandbox/pix/${id}/pay`)).status, 200);
    const { rows } = await gateway.owner.query<{ e2e_id: string }>({
      text: "select e2e_id from received_pix where charge_id = $1 and outcome = 'second_payment'",
      values: [id],
    });
    for (const one of [e2eId, rows[0]!.e2e_id]) assert.deepEqual(ids(await list(client, `e2eId=${one}`)), [id]);
    const refund = await client.post<{ refundTransactionId: string }>(`/transactions/${id}/refund`);
    await refundIs(client, id, "CONFIRMED");
    const { e2eId: back } = (await client.get<Transaction>(`/transactions/${refund.body.refundTransactionId}`)).body;
    assert.deepEqual(ids(await list(client, `e2eId=${back}`)), [refund.body.refundTransactionId]);
  });
});
