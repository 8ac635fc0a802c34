/**
 * A payment that is credited and that its institution itself holds while it looks at it (bloqueio cautelar, up to 72 hours): the
 * money is there and not free.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { watchOverdue } from "../../src/claims/blocks/watch-overdue.ts";
import { clockAhead } from "../../src/context.ts";
import { sql } from "../../src/db/sql.ts";
import { LIMITS } from "../../src/lib/limits.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { balancesOf, type Merchant, newMerchant } from "./money.ts";
import { eventOf, type Payment, pay, refundIs, transfersOf } from "./payments.ts";
import { ask } from "./payouts.ts";
import { assertInvalid, assertRefused, nothingMoves } from "./refusal.ts";

type Block = { id: string; amount: number; status: string; heldUntil?: string } & Record<string, unknown>;
const HOURS = 3_600_000;

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
  await gateway.simulator.patch("/behaviour", { openingBalanceCentavos: 1_000_000_00 });
});
after(async () => {
  await gateway.verify();
  await gateway.end();
});

const hold = async ({ client }: Merchant, payment: Payment): Promise<Block> => {
  const body = { transactionId: payment.id, precautionary: true, reason: "Em análise" };
  const reply = await client.post<Block>("/sandbox/balance-blocks", body);
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
};
const end = async ({ client }: Merchant, { id }: Block, outcome: "approved" | "rejected"): Promise<Block> => {
  const reply = await client.post<Block>(`/sandbox/balance-blocks/${id}/resolve`, { outcome });
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};
const money = async ({ client }: Merchant) => {
  const { available, held } = await balancesOf(client);
  return [available, held];
};

/** The payer contests what the institution of the newest case holds. */
const contest = async () => {
  const listed = await gateway.simulator.get<{ items: { id: string; precautionary: boolean }[] }>(
    "/infractions?limit=1",
  );
  const [newest] = listed.body.items;
  assert.equal(newest?.precautionary, true);
  const reply = await gateway.simulator.post(`/infractions/${newest.id}/reopen`, {});
  assert.equal(reply.status, 200, reply.text);
};
/** Lists the cases until the block is as wanted. */
const becomes = (merchant: Merchant, { id }: Block, wanted: string, is: (block: Block) => boolean) =>
  eventually(wanted, async () => {
    const { ctx } = gateway.running;
    await ctx.db.query(sql`update infraction_polls set next_at = ${new Date(Date.now() - 1)}`);
    ctx.hints.wake("infractions");
    const { body } = await merchant.client.get<Block>(`/balance-blocks/${id}`);
    return is(body) && body;
  });

/** The cases about a block whose time is over, as of so many milliseconds from now. */
const overdue = async ({ id }: Block, later: number) => {
  await watchOverdue({ ...gateway.running.ctx, clock: clockAhead(later) });
  const { body } = await gateway.operator.get<{
    items: { objectId: string; status: string; severity: string; amount: number; closedBecause?: string }[];
  }>("/cases?kind=block_overdue&limit=100");
  return body.items
    .filter(({ objectId }) => objectId === id)
    .map(({ status, severity, amount, closedBecause }) => [status, severity, amount, closedBecause]);
};
const OVER = LIMITS.precautionaryHold + LIMITS.precautionaryOverdue;

describe("A payment that its institution holds while it looks at it", () => {
  test("is a case for a person once its time is long over, stays held, and the institution's word ends the case", async () => {
    const merchant = await newMerchant(gateway);
    const block = await hold(merchant, await pay(merchant.client, 80));
    assert.deepEqual(await overdue(block, OVER - HOURS / 60), []);
    for (let times = 0; times < 2; times++)
      assert.deepEqual(await overdue(block, OVER + HOURS), [["open", "warning", 80, undefined]]);
    assert.deepEqual(await money(merchant), [0, 8_000]);
    assert.equal((await merchant.client.get<Block>(`/balance-blocks/${block.id}`)).body.status, "awaiting_response");
    await end(merchant, block, "rejected");
    assert.deepEqual(await overdue(block, OVER + HOURS), [["closed", "warning", 80, "resolved"]]);
    assert.deepEqual(await money(merchant), [8_000, 0]);
  });

  test("is no such case any more once the payer contests it, nor where the institution names a later time", async () => {
    const merchant = await newMerchant(gateway);
    const block = await hold(merchant, await pay(merchant.client, 80));
    assert.equal((await overdue(block, OVER + HOURS)).length, 1);
    await contest();
    await becomes(merchant, block, "the dispute", ({ blockType }) => blockType === "med");
    assert.deepEqual(await overdue(block, OVER + HOURS), [["closed", "warning", 80, "resolved"]]);

    const other = await hold(merchant, await pay(merchant.client, 80));
    assert.equal((await overdue(other, OVER + HOURS)).length, 1);
    // The next list would show the bank's own time again.
    const far = new Date(Date.now() + HOURS);
    await gateway.owner.query(sql`update infraction_polls set next_at = ${far}`);
    const { rows } = await gateway.owner.query<{ later: Date }>(sql`
      select held_until + interval '1 day' as later from balance_blocks where block_id = ${other.id}`);
    await gateway.owner.query(sql`
      update balance_blocks set held_until = ${rows[0]!.later} where block_id = ${other.id}`);
    assert.deepEqual(await overdue(other, OVER + HOURS), [["closed", "warning", 80, "resolved"]]);
    // Without a time the longest that there is counts.
    await gateway.owner.query(sql`update balance_blocks set held_until = null where block_id = ${other.id}`);
    assert.deepEqual(
      (await overdue(other, OVER - HOURS / 60)).filter(([status]) => status === "open"),
      [],
    );
    assert.deepEqual((await overdue(other, OVER + HOURS)).filter(([status]) => status === "open").length, 1);
    await end(merchant, other, "rejected");
  });

  test("is such a case too where it was a defended dispute before, counted from when the institution holds it again", async () => {
    const merchant = await newMerchant(gateway);
    const block = await hold(merchant, await pay(merchant.client, 80));
    // As of a block that was defended and of which the bank says nine days later that it holds it again, without a time.
    const days = 9 * 24 * HOURS;
    await gateway.owner.query(sql`update infraction_polls set next_at = ${new Date(Date.now() + HOURS)}`);
    await gateway.owner.query(sql`
      update balance_blocks set status = 'defended', held_until = null, updated_at = ${new Date(Date.now() + days)}
      where block_id = ${block.id}`);
    assert.deepEqual(await overdue(block, days + OVER - HOURS / 60), []);
    assert.deepEqual(await overdue(block, days + OVER + HOURS), [["open", "warning", 80, undefined]]);
    await gateway.owner.query(sql`
      update balance_blocks set status = 'awaiting_response', updated_at = ${new Date()} where block_id = ${block.id}`);
    await end(merchant, block, "rejected");
    assert.deepEqual(await overdue(block, days + OVER + HOURS), [["closed", "warning", 80, "resolved"]]);
  });

  test("is credited and held, with the time until when, and its event says so", async () => {
    const merchant = await newMerchant(gateway);
    const payment = await pay(merchant.client, 80, { externalReference: "order-7" });
    const { id, createdAt, referenceNumber, heldUntil, ...rest } = await hold(merchant, payment);
    assert.deepEqual(rest, {
      amount: 80, status: "awaiting_response", blockType: "precautionary", transactionId: payment.id, reason: "Em análise",
      externalReference: "order-7", e2eId: payment.e2eId,
    }); // biome-ignore format: a table
    const hours = (Date.parse(heldUntil!) - Date.now()) / HOURS;
    assert.ok(hours > 71 && hours <= 72, `${hours} hours`);
    assert.deepEqual(await money(merchant), [0, 8_000]);
    assert.deepEqual(await transfersOf(gateway, id), ["block_held 8000 available → held"]);
    const { data } = await eventOf(gateway, `balance_block_created_${id}`);
    assert.deepEqual(
      [data.blockType, data.heldUntil, data.respondBy, data.createdAt, data.referenceNumber],
      ["precautionary", heldUntil, undefined, createdAt, referenceNumber],
    );
    const before = await balancesOf(merchant.client);
    assertRefused(await ask(merchant.client, { amount: 1 }), 400, "INSUFFICIENT_BALANCE");
    assert.deepEqual(await balancesOf(merchant.client), before);
  });

  test("is free once the institution releases it", async () => {
    const merchant = await newMerchant(gateway);
    const block = await hold(merchant, await pay(merchant.client, 80));
    const released = await end(merchant, block, "rejected");
    assert.deepEqual([released.status, released.resolutionReason], ["rejected", "other"]);
    assert.deepEqual(await money(merchant), [8_000, 0]);
    assert.equal((await eventOf(gateway, `balance_block_rejected_${block.id}`)).data.blockType, "precautionary");
  });

  test("goes back to the payer where the institution returns it", async () => {
    const merchant = await newMerchant(gateway);
    const block = await hold(merchant, await pay(merchant.client, 80));
    const returned = await end(merchant, block, "approved");
    assert.deepEqual([returned.status, returned.takenAmount], ["approved", 80]);
    assert.deepEqual(await money(merchant), [0, 0]);
    assert.deepEqual(await transfersOf(gateway, block.id), [
      "block_held 8000 available → held",
      "block_taken 8000 held → psp",
    ]);
  });

  test("takes no defence, and nothing moves when one is sent", async () => {
    const merchant = await newMerchant(gateway);
    const block = await hold(merchant, await pay(merchant.client, 80));
    await nothingMoves(gateway, async () => {
      const defence = await merchant.client.post(`/balance-blocks/${block.id}/defense`, { text: "Entregue." });
      assertRefused(defence, 400, "BALANCE_BLOCK_NOT_DEFENDABLE");
    });
    const { rows } = await gateway.running.ctx.db.query<{ status: string; defence: string | null }>(
      sql`select status, defence from balance_blocks where block_id = ${block.id}`,
    );
    assert.deepEqual(rows, [{ status: "awaiting_response", defence: null }]);
  });

  test("is a dispute once the payer contests it: the merchant is told, and defends it in time", async () => {
    const merchant = await newMerchant(gateway);
    const block = await hold(merchant, await pay(merchant.client, 80));
    await contest();
    const dispute = await becomes(merchant, block, "a dispute", ({ blockType }) => blockType === "med");
    assert.deepEqual(
      [dispute.status, dispute.heldUntil, dispute.amountChanges],
      ["awaiting_response", undefined, undefined],
    );
    assert.ok(Date.parse(String(dispute.respondBy)) - Date.now() > 4 * 24 * HOURS, String(dispute.respondBy));
    assert.deepEqual(await money(merchant), [0, 8_000]);
    assert.deepEqual(await transfersOf(gateway, block.id), ["block_held 8000 available → held"]);
    const { rows } = await gateway.running.ctx.db.query<{ body: string }>(sql`
      select body from events where account_id = ${merchant.accountId} and kind = 'balance_block_changed'`);
    assert.equal(rows.length, 1);
    const { data } = JSON.parse(rows[0]!.body);
    assert.deepEqual(
      [data.blockId, data.blockType, data.respondBy, data.heldUntil, data.amount, data.previousAmount],
      [block.id, "med", dispute.respondBy, undefined, 80, 80],
    );
    const defence = await merchant.client.post<Block>(`/balance-blocks/${block.id}/defense`, { text: "Entregue." });
    assert.deepEqual([defence.status, defence.body.status], [200, "defended"], defence.text);
    await becomes(
      merchant,
      block,
      "the institution to have the defence",
      ({ defenseStatus }) => defenseStatus === "sent",
    );
    const ended = await end(merchant, block, "rejected");
    assert.deepEqual([ended.status, ended.resolutionReason, ended.blockType], ["rejected", "defended", "med"]);
    assert.deepEqual(await money(merchant), [8_000, 0]);
  });

  test("can be refunded meanwhile: the refund takes over what is held", async () => {
    const merchant = await newMerchant(gateway);
    const payment = await pay(merchant.client, 80);
    const block = await hold(merchant, payment);
    const refund = await merchant.client.post(`/transactions/${payment.id}/refund`, {});
    assert.equal(refund.status, 201, refund.text);
    await refundIs(merchant.client, payment.id, "CONFIRMED");
    assert.deepEqual(await money(merchant), [0, 0]);
    const shown = await merchant.client.get<Block>(`/balance-blocks/${block.id}`);
    assert.deepEqual([shown.body.status, shown.body.resolutionReason], ["rejected", "refunded"]);
  });

  test("is never made by an operator: only the institution can hold its own money", async () => {
    const merchant = await newMerchant(gateway);
    await nothingMoves(gateway, async () => {
      const made = await gateway.operator.post(`/accounts/${merchant.accountId}/balance-blocks`, {
        ...{ amount: 1, blockType: "precautionary" },
      });
      assertInvalid(made, ["blockType"]);
    });
  });
});
