/** A dispute whose institution says later that it is of more or of less: what its blocks hold follows (docs/guides/disputes.md). */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { balancesOf, type Merchant, newMerchant } from "./money.ts";
import { eventOf, type Payment, pay, refundIs, settleRefund, transfersOf } from "./payments.ts";
import { assertInvalid, assertRefused, nothingMoves } from "./refusal.ts";

type Block = { id: string; amount: number; status: string } & Record<string, unknown>;

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
  await gateway.simulator.patch("/behaviour", { openingBalanceCentavos: 1_000_000_00 });
});
after(async () => {
  await gateway.verify();
  await gateway.end();
});

const contested = async ({ client }: Merchant, payment: Payment, amount: number): Promise<Block> => {
  const reply = await client.post<Block>("/sandbox/balance-blocks", { transactionId: payment.id, amount });
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
};
const change = async ({ client }: Merchant, { id }: Block, amount: number): Promise<Block> => {
  const reply = await client.patch<Block>(`/sandbox/balance-blocks/${id}`, { amount });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};
const resolve = async ({ client }: Merchant, { id }: Block, outcome: "approved" | "rejected"): Promise<Block> => {
  const reply = await client.post<Block>(`/sandbox/balance-blocks/${id}/resolve`, { outcome });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};
const blocksOf = async ({ client }: Merchant) =>
  (await client.get<{ items: Block[] }>("/balance-blocks")).body.items.map(
    ({ amount, status }) => `${amount} ${status}`,
  );
const money = async ({ client }: Merchant) => {
  const { available, held } = await balancesOf(client);
  return [available, held];
};
/** The data of the events about a block's changes, the oldest first. */
const changesOf = async ({ id }: Block) => {
  const { rows } = await gateway.running.ctx.db.query<{ id: string; body: string }>(sql`
    select event_id as id, body from events where kind = 'balance_block_changed' and body like ${`%${id}%`} order by created_at`);
  return rows.map((row) => ({ ...row, data: JSON.parse(row.body).data as Record<string, unknown> }));
};

/** What the block itself says of its changes, the oldest first. */
const shownChanges = async ({ client }: Merchant, { id }: Block) => {
  const { body } = await client.get<{ amountChanges?: { previousAmount: number; amount: number }[] }>(
    `/balance-blocks/${id}`,
  );
  return body.amountChanges?.map(({ previousAmount, amount }) => `${previousAmount} → ${amount}`);
};

/** The newest case at the institution is of so many centavos by now. */
const caseIs = async (amountCentavos: number) => {
  const listed = await gateway.simulator.get<{ items: { id: string }[] }>("/infractions?limit=1");
  const { id } = listed.body.items[0]!;
  const reply = await gateway.simulator.post(`/infractions/${id}/amount`, { amountCentavos });
  assert.equal(reply.status, 200, reply.text);
};
/** Lists the cases until the wallet has this much available and held. */
const comesTo = (merchant: Merchant, wanted: readonly number[]) =>
  eventually(`${wanted.join(" and ")} in the wallet`, async () => {
    const { ctx } = gateway.running;
    await ctx.db.query(sql`update infraction_polls set next_at = ${new Date(Date.now() - 1)}`);
    ctx.hints.wake("infractions");
    return (await money(merchant)).join() === wanted.join();
  });

describe("A dispute that is of another amount by now", () => {
  test("gets another block when all that it held was returned and it is of more", async () => {
    const merchant = await newMerchant(gateway);
    const payment = await pay(merchant.client, 100);
    await contested(merchant, payment, 30);
    await gateway.simulator.post(`/pix/${payment.e2eId}/med-return`, { amountCentavos: 3_000 });
    await comesTo(merchant, [7_000, 0]);
    await caseIs(10_000);
    await comesTo(merchant, [0, 7_000]);
    assert.deepEqual(await blocksOf(merchant), ["70 awaiting_response", "30 approved"]);
    await gateway.verify();
  });

  test("has another deadline, where the institution moves it and nothing else", async () => {
    const merchant = await newMerchant(gateway);
    const block = await contested(merchant, await pay(merchant.client, 100), 30);
    const before = Date.parse(String(block.respondBy));
    const listed = await gateway.simulator.get<{ items: { id: string }[] }>("/infractions?limit=1");
    const respondBy = new Date(before + 86_400_000).toISOString();
    const path = `/infractions/${listed.body.items[0]!.id}/amount`;
    const moved = await gateway.simulator.post(path, { amountCentavos: 3_000, respondBy });
    assert.equal(moved.status, 200, moved.text);
    await eventually("the new deadline", async () => {
      const { ctx } = gateway.running;
      await ctx.db.query(sql`update infraction_polls set next_at = ${new Date(Date.now() - 1)}`);
      ctx.hints.wake("infractions");
      const { body } = await merchant.client.get<Block>(`/balance-blocks/${block.id}`);
      return Date.parse(String(body.respondBy)) === before + 86_400_000;
    });
    assert.deepEqual(await money(merchant), [7_000, 3_000]);
    assert.deepEqual(await changesOf(block), []);
  });

  test("holds what it could not at first once an order sets it free", async () => {
    const merchant = await newMerchant(gateway);
    const payment = await pay(merchant.client, 100);
    await contested(merchant, payment, 30);
    const blocks = `/accounts/${merchant.accountId}/balance-blocks`;
    const body = { amount: 60, blockType: "judicial", transactionId: payment.id };
    const order = await gateway.operator.post<{ id: string }>(blocks, body);
    assert.equal(order.status, 201, order.text);
    await caseIs(10_000);
    await comesTo(merchant, [0, 10_000]);
    assert.deepEqual(await blocksOf(merchant), ["60 awaiting_response", "40 awaiting_response"]);
    const lifted = await gateway.operator.post(`${blocks}/${order.body.id}/resolve`, { outcome: "rejected" });
    assert.equal(lifted.status, 200, lifted.text);
    await comesTo(merchant, [0, 10_000]);
    assert.deepEqual(await blocksOf(merchant), ["60 rejected", "100 awaiting_response"]);
  });

  test("holds more, and then less, of the payment: each change is booked, reported and audited", async () => {
    const merchant = await newMerchant(gateway);
    const block = await contested(merchant, await pay(merchant.client, 100), 30);
    assert.deepEqual(await money(merchant), [7_000, 3_000]);
    assert.equal(await shownChanges(merchant, block), undefined);
    const grown = await change(merchant, block, 80);
    assert.deepEqual([grown.id, grown.amount, grown.status], [block.id, 80, "awaiting_response"]);
    assert.deepEqual(await money(merchant), [2_000, 8_000]);
    assert.equal((await change(merchant, block, 50)).amount, 50);
    assert.deepEqual(await money(merchant), [5_000, 5_000]);
    assert.deepEqual(await shownChanges(merchant, block), ["30 → 80", "80 → 50"]);
    // The same word again changes nothing.
    await change(merchant, block, 50);
    assert.deepEqual(await transfersOf(gateway, block.id), [
      "block_held 3000 available → held",
      "block_held 5000 available → held",
      "block_released 3000 held → available",
    ]);
    const changes = await changesOf(block);
    assert.deepEqual(
      changes.map(({ data }) => [data.objectId, data.previousAmount, data.amount, data.status]),
      [
        [block.id, 30, 80, "awaiting_response"],
        [block.id, 80, 50, "awaiting_response"],
      ],
    );
    for (const { id, data } of changes) {
      assert.equal(id, `balance_block_changed_${data.changeId}`);
      await eventOf(gateway, id);
    }
    await gateway.verify();
    assert.equal((await resolve(merchant, block, "approved")).takenAmount, 50);
    assert.deepEqual(await money(merchant), [5_000, 0]);
  });

  test("keeps the merchant's defence, and is rejected for what it holds by then", async () => {
    const merchant = await newMerchant(gateway);
    const block = await contested(merchant, await pay(merchant.client, 100), 60);
    const defended = await merchant.client.post(`/balance-blocks/${block.id}/defense`, { text: "It was delivered." });
    assert.ok(defended.status < 300, defended.text);
    const changed = await change(merchant, block, 90);
    assert.deepEqual([changed.status, changed.defense, changed.amount], ["defended", "It was delivered.", 90]);
    assert.equal((await resolve(merchant, block, "rejected")).status, "rejected");
    assert.deepEqual(await money(merchant), [10_000, 0]);
  });

  test("grows up to what is left beside a refund, and takes the rest when that refund fails", async () => {
    const merchant = await newMerchant(gateway);
    const payment = await pay(merchant.client, 100);
    const block = await contested(merchant, payment, 30);
    const asked = await merchant.client.post(`/transactions/${payment.id}/refund`, { amount: 50, reason: "manual" });
    assert.equal(asked.status, 201, asked.text);
    assert.equal((await change(merchant, block, 100)).amount, 50);
    assert.deepEqual(await money(merchant), [0, 10_000]);
    await settleRefund(merchant.client, payment.id, "fail");
    assert.deepEqual(await money(merchant), [0, 10_000]);
    assert.deepEqual(await blocksOf(merchant), ["50 awaiting_response", "50 rejected", "50 awaiting_response"]);
    await gateway.verify();
    // The institution wants only a part of it again: the newest hold ends first.
    await change(merchant, block, 40);
    assert.deepEqual(await blocksOf(merchant), ["50 rejected", "50 rejected", "40 awaiting_response"]);
    assert.deepEqual(await money(merchant), [6_000, 4_000]);
  });

  test("that shrank while a refund had taken its hold over comes back with what it is of by now", async () => {
    const merchant = await newMerchant(gateway);
    const payment = await pay(merchant.client, 100);
    const block = await contested(merchant, payment, 80);
    const asked = await merchant.client.post(`/transactions/${payment.id}/refund`, { reason: "manual" });
    assert.equal(asked.status, 201, asked.text);
    const [{ id: caseId }] = (await gateway.simulator.get<{ items: { id: string }[] }>("/infractions?limit=1")).body
      .items as [{ id: string }];
    assert.equal(
      (await gateway.simulator.post(`/infractions/${caseId}/amount`, { amountCentavos: 3_000 })).status,
      200,
    );
    const due = new Date();
    const { ctx } = gateway.running;
    await ctx.db.query(sql`update infraction_polls set next_at = ${due}`);
    ctx.hints.wake("infractions");
    await eventually("the new amount", async () => {
      const { rowCount } = await ctx.db.query(
        sql`select from balance_blocks where block_id = ${block.id} and case_amount = 3000`,
      );
      return rowCount > 0;
    });
    await settleRefund(merchant.client, payment.id, "fail");
    assert.deepEqual(await blocksOf(merchant), ["30 awaiting_response", "80 rejected"]);
    assert.deepEqual(await money(merchant), [7_000, 3_000]);
  });

  test("changes while refunds of all that is free are asked for, and never claims more than the payment", async () => {
    for (let round = 0; round < 6; round += 1) {
      const merchant = await newMerchant(gateway);
      const payment = await pay(merchant.client, 100);
      const block = await contested(merchant, payment, 40);
      const refund = merchant.client.post<{ status: string }>(`/transactions/${payment.id}/refund`, { amount: 60 });
      const [changed, asked] = await Promise.all([change(merchant, block, round % 2 === 0 ? 100 : 20), refund]);
      if (asked.status === 201) await refundIs(merchant.client, payment.id, "CONFIRMED");
      const refunded = asked.status === 201 ? 6_000 : 0;
      const holds = Math.round(changed.amount * 100);
      assert.deepEqual(await money(merchant), [10_000 - refunded - holds, holds], `round ${round}`);
      assert.ok(refunded + holds <= 10_000);
      await gateway.verify();
    }
  });

  test("is refused beyond the payment, for a block that is over, and for one that is not there", async () => {
    const merchant = await newMerchant(gateway);
    const block = await contested(merchant, await pay(merchant.client, 100), 30);
    const ask = (id: string, amount: unknown) => merchant.client.patch(`/sandbox/balance-blocks/${id}`, { amount });
    await nothingMoves(gateway, async () => {
      assertInvalid(await ask(block.id, 100.01), ["amount"]);
      assertInvalid(await ask(block.id, 0), ["amount"]);
      assertRefused(await ask(crypto.randomUUID(), 10), 404, "RESOURCE_NOT_FOUND");
    });
    await resolve(merchant, block, "rejected");
    await nothingMoves(gateway, async () => {
      assertRefused(await ask(block.id, 50), 400, "BALANCE_BLOCK_RESOLVED");
    });
  });
});
