/** Balance blocks (interface, GET /balance-blocks; contract, section 3, rows "balance block" and "refund and MED on one payment", sections 4 to 6). */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { bookPspReturn } from "../../src/claims/returns/psp-made.ts";
import { sql } from "../../src/db/sql.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { as, credentialOf } from "./merchant.ts";
import { balancesOf, everyPage, give, type Merchant, newMerchant } from "./money.ts";
import {
  eventOf,
  type Payment,
  pay,
  refundIs,
  refundManually,
  returnsAtPsp,
  settleRefund,
  transfersOf,
} from "./payments.ts";
import { assertInvalid, assertRefused, nothingMoves } from "./refusal.ts";

type Block = { id: string; amount: number; status: string; blockType: string; createdAt: string } & Record<
  string,
  unknown
>;
type Transaction = { id: string; type: string; status: string; amount: number; direction: string };

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
  // The PSP refuses to return more than it has, and the operator's gifts are not there.
  await gateway.simulator.patch("/behaviour", { openingBalanceCentavos: 1_000_000_00 });
});
after(() => gateway.end());

const db = () => gateway.running.ctx.db;
const contest = async (
  { client }: Merchant,
  payment: Payment,
  more: Record<string, unknown> = {},
  wallet: string | null = null,
) => {
  const reply = await client.post<Block>("/sandbox/balance-blocks", { transactionId: payment.id, ...more }, as(wallet));
  assert.equal(reply.status, 201, reply.text);
  return reply.body;
};
const resolve = async (
  { client }: Merchant,
  id: string,
  outcome: "approved" | "rejected",
  wallet: string | null = null,
) => {
  const reply = await client.post<Block>(`/sandbox/balance-blocks/${id}/resolve`, { outcome }, as(wallet));
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
};
const blocksOf = async ({ client }: Merchant, query = "", wallet: string | null = null) => {
  const reply = await client.get<{ items: Block[]; total: number }>(`/balance-blocks${query}`, as(wallet));
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.body.total, reply.body.items.length);
  return reply.body.items;
};
const statusOf = async (merchant: Merchant, id: string) =>
  (await blocksOf(merchant)).find((block) => block.id === id)?.status;
const operatorBlock = async ({ accountId }: Merchant, body: Record<string, unknown>) =>
  gateway.operator.post<Block>(`/accounts/${accountId}/balance-blocks`, body);
const operatorResolve = ({ accountId }: Merchant, id: string, body: Record<string, unknown>) =>
  gateway.operator.post<Block>(`/accounts/${accountId}/balance-blocks/${id}/resolve`, body);
const money = async ({ client }: Merchant, wallet: string | null = null) => {
  const { available, held } = await balancesOf(client, wallet);
  return [available, held];
};
const chargebacks = async ({ client }: Merchant) =>
  (await everyPage<Transaction>(client, "/transactions?type=chargeback")).map(({ amount, direction, status }) => [
    amount,
    direction,
    status,
  ]);
/** The PSP gives back without being asked, outside any case. */
const medReturn = async (payment: Payment, amount: number) => {
  const reply = await gateway.simulator.post<{ rtrId: string }>(`/pix/${payment.e2eId}/med-return`, {
    amountCentavos: Math.round(amount * 100),
  });
  assert.equal(reply.status, 200, reply.text);
  await eventually("the PSP's return in the books", async () => {
    const { rowCount } = await db().query(sql`select from psp_returns where rtr_id = ${reply.body.rtrId}`);
    return rowCount > 0;
  });
  return reply.body.rtrId;
};

describe("A MED block", () => {
  test("is born awaiting_response with every field, moves its amount to held, and is reported", {
    rules: [
      "block.id",
      "block.transactionId",
      "block.amount",
      "block.status",
      "block.blockType",
      "block.referenceNumber",
      "block.reason",
      "block.createdAt",
      "block.externalReference",
      "block.e2eId",
      "block.state.1",
      "event.kind.balance_block_created",
    ],
  }, async () => {
    const merchant = await newMerchant(gateway);
    const payment = await pay(merchant.client, 80, { externalReference: "order-9" });
    const block = await contest(merchant, payment, { reason: "Golpe" });
    const { id, createdAt, referenceNumber, respondBy, ...rest } = block;
    assert.deepEqual(rest, {
      amount: 80, status: "awaiting_response", blockType: "med", transactionId: payment.id, reason: "Golpe",
      externalReference: "order-9", e2eId: payment.e2eId,
    }); // biome-ignore format: a table
    assert.match(String(referenceNumber), /^\d+$/);
    assert.ok(Date.parse(String(respondBy)) > Date.now());
    assert.deepEqual(await money(merchant), [0, 8_000]);
    assert.deepEqual(await transfersOf(gateway, id), ["block_held 8000 available → held"]);
    // A list also names the payer.
    assert.deepEqual(await blocksOf(merchant), [{ ...block, payerName: "Ana Pessoa" }]);
    const { data, timestamp: _, ...envelope } = await eventOf(gateway, `balance_block_created_${id}`);
    assert.deepEqual(envelope, {
      event: "balance_block_created",
      eventId: `balance_block_created_${id}`,
      subAccount: null,
    });
    assert.deepEqual(data, {
      objectId: id, blockId: id, environment: "sandbox", amount: 80, currency: "BRL", blockType: "med", status: "awaiting_response", createdAt,
      transactionId: payment.id, referenceNumber, reason: "Golpe", externalReference: "order-9", e2eId: payment.e2eId, respondBy,
    }); // biome-ignore format: the table of the contract
  });

  test("approved: the money leaves as a chargeback, and the PSP's return of it is booked against the block, once", {
    rules: ["block.resolutionReason", "block.resolvedAt", "block.state.2", "event.kind.balance_block_approved"],
  }, async () => {
    const merchant = await newMerchant(gateway);
    const payment = await pay(merchant.client, 80);
    const block = await contest(merchant, payment);
    const approved = await resolve(merchant, block.id, "approved");
    assert.deepEqual(
      [approved.status, typeof approved.resolvedAt, typeof approved.resolutionReason],
      ["approved", "string", "string"],
    );
    assert.deepEqual(await money(merchant), [0, 0]);
    assert.deepEqual(await chargebacks(merchant), [[80, "out", "completed"]]);
    assert.equal((await returnsAtPsp(gateway, payment.id)).length, 1);
    await eventually("the PSP's return in the books", async () => {
      const { rows } = await db().query<{ amount: number }>(sql`
        select sum(amount)::bigint as amount from psp_returns where e2e_id = ${payment.e2eId} and block_id = ${block.id}`);
      return rows[0]?.amount === 8_000;
    });
    const { data } = await eventOf(gateway, `balance_block_approved_${block.id}`);
    assert.deepEqual(
      [data.status, data.resolvedAt, data.resolutionReason],
      ["approved", approved.resolvedAt, approved.resolutionReason],
    );
    const refund = await merchant.client.post(`/transactions/${payment.id}/refund`);
    assertRefused(refund, 400, "TRANSACTION_NOT_REFUNDABLE");
    await gateway.verify();
  });

  test("rejected: the money is available again, and the payment may be refunded", {
    rules: ["block.state.3", "event.kind.balance_block_rejected"],
  }, async () => {
    const merchant = await newMerchant(gateway);
    const payment = await pay(merchant.client, 80);
    const block = await contest(merchant, payment);
    const rejected = await resolve(merchant, block.id, "rejected");
    assert.equal(rejected.status, "rejected");
    assert.deepEqual(await money(merchant), [8_000, 0]);
    assert.deepEqual(await transfersOf(gateway, block.id), [
      "block_held 8000 available → held",
      "block_released 8000 held → available",
    ]);
    assert.equal((await eventOf(gateway, `balance_block_rejected_${block.id}`)).data.status, "rejected");
    assert.deepEqual(await chargebacks(merchant), []);
    await refundManually(merchant.client, payment.id);
    assert.equal((await settleRefund(merchant.client, payment.id, "confirm")).status, "CONFIRMED");
  });

  test("takes available below zero: it is a debt, and transfers and refunds stop", async () => {
    const merchant = await newMerchant(gateway, ["loja"]);
    const { client } = merchant;
    const [payment, other] = [await pay(client, 80), await pay(client, 5)];
    assert.equal((await client.post("/transfers", { subAccount: "loja", amount: 85 })).status, 201);
    await contest(merchant, payment);
    assert.deepEqual(await money(merchant), [-8_000, 8_000]);
    await give(gateway, merchant.accountId, 20);
    await nothingMoves(gateway, async () => {
      assertRefused(await client.post("/transfers", { subAccount: "loja", amount: 0.01 }), 400, "INSUFFICIENT_BALANCE");
      const { details } = assertRefused(
        await client.post(`/transactions/${other.id}/refund`),
        400,
        "INSUFFICIENT_BALANCE",
      );
      assert.deepEqual([details.available, details.required], [-60, 5]);
    });
  });

  test("of a part holds that part, and a second case only what is left", async () => {
    const merchant = await newMerchant(gateway);
    const payment = await pay(merchant.client, 80);
    const part = await contest(merchant, payment, { amount: 30 });
    assert.deepEqual([part.amount, await money(merchant)], [30, [5_000, 3_000]]);
    await resolve(merchant, part.id, "approved");
    await eventually(
      "the PSP's return",
      async () => (await db().query(sql`select from psp_returns where block_id = ${part.id}`)).rowCount > 0,
    );
    const rest = await contest(merchant, payment);
    assert.deepEqual([rest.amount, await money(merchant)], [50, [0, 5_000]]);
    await resolve(merchant, rest.id, "rejected");
    assert.deepEqual(await money(merchant), [5_000, 0]);
    const over = await merchant.client.post(`/transactions/${payment.id}/refund`, { amount: 50.01 });
    assert.equal(assertRefused(over, 400, "REFUND_EXCEEDS_PAYMENT").details.left, 50);
    const rested = await merchant.client.post<{ amount: number }>(`/transactions/${payment.id}/refund`);
    assert.deepEqual([rested.status, rested.body.amount], [201, 50]);
  });

  test("belongs to the wallet whose payment it is; split recipients are never debited", {
    rules: ["split.5"],
  }, async () => {
    const merchant = await newMerchant(gateway, ["loja"]);
    const { client } = merchant;
    const payment = await pay(client, 100, { split: [{ subAccount: "principal", amount: 60 }] }, "loja");
    const block = await contest(merchant, payment, {}, "loja");
    assert.deepEqual(
      [await money(merchant, "loja"), await money(merchant)],
      [
        [-6_000, 10_000],
        [6_000, 0],
      ],
    );
    assert.deepEqual(await blocksOf(merchant), []);
    assert.equal((await blocksOf(merchant, "", "loja")).length, 1);
    assert.equal((await eventOf(gateway, `balance_block_created_${block.id}`)).subAccount, "loja");
    assertRefused(
      await client.post(`/sandbox/balance-blocks/${block.id}/resolve`, { outcome: "approved" }),
      404,
      "RESOURCE_NOT_FOUND",
    );
    await resolve(merchant, block.id, "approved", "loja");
    assert.deepEqual(
      [await money(merchant, "loja"), await money(merchant)],
      [
        [-6_000, 0],
        [6_000, 0],
      ],
    );
  });
});

describe("GET /balance-blocks", () => {
  test("filters by status, newest first, and refuses any other value", {
    rules: ["block.list", "route.balance-blocks"],
  }, async () => {
    const merchant = await newMerchant(gateway);
    assert.deepEqual(await blocksOf(merchant), []);
    const [first, second] = [await pay(merchant.client, 10), await pay(merchant.client, 20)];
    const blocks = [await contest(merchant, first), await contest(merchant, second)];
    await resolve(merchant, blocks[0]!.id, "rejected");
    assert.deepEqual(
      (await blocksOf(merchant)).map((block) => block.id),
      [blocks[1]!.id, blocks[0]!.id],
    );
    assert.deepEqual(
      (await blocksOf(merchant, "?status=rejected")).map((block) => block.id),
      [blocks[0]!.id],
    );
    assert.deepEqual(
      (await blocksOf(merchant, "?status=awaiting_response")).map((block) => block.id),
      [blocks[1]!.id],
    );
    assert.deepEqual(await blocksOf(merchant, "?status=defended"), []);
    assertInvalid(await merchant.client.get("/balance-blocks?status=open"), ["status"]);
    const writer = await credentialOf(gateway, merchant.accountId, { permissions: ["BALANCE_BLOCK:WRITE"] });
    assertRefused(await writer.get("/balance-blocks"), 403, "PERMISSION_DENIED");
  });

  test("reads one by its id, as the list shows it, in its own wallet only", async () => {
    const merchant = await newMerchant(gateway, ["loja"]);
    const block = await contest(merchant, await pay(merchant.client, 10, {}, "loja"), {}, "loja");
    const one = `/balance-blocks/${block.id}`;
    const { body } = await merchant.client.get(one, { headers: { "x-sub-account": "loja" } });
    assert.deepEqual({ ...(body as Block), payerName: "Ana Pessoa" }, (await blocksOf(merchant, "", "loja"))[0]);
    assertRefused(await merchant.client.get(one), 404, "RESOURCE_NOT_FOUND");
    const { client: stranger } = await newMerchant(gateway);
    assertRefused(await stranger.get(one), 404, "RESOURCE_NOT_FOUND");
  });
});

describe("A defence", () => {
  const defend = ({ client }: Merchant, id: string, body: unknown, headers: Record<string, string> = {}) =>
    client.post<Block>(`/balance-blocks/${id}/defense`, body, { headers });
  const atPsp = async (caseOf: string) => {
    const { body } = await gateway.simulator.get<{ items: { id: string; status: string; defence: string | null }[] }>(
      "/infractions",
    );
    const { rows } = await db().query<{ case_id: string }>(
      sql`select case_id from balance_blocks where block_id = ${caseOf}`,
    );
    return body.items.find((item) => item.id === rows[0]!.case_id)!;
  };

  test("moves the block to defended, and the PSP has it; the block ends as the PSP says", async () => {
    const merchant = await newMerchant(gateway);
    const block = await contest(merchant, await pay(merchant.client, 10));
    const reply = await defend(merchant, block.id, { text: "Entregue em 12/03." });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(
      [reply.body.status, reply.body.defense, reply.body.defenseStatus],
      ["defended", "Entregue em 12/03.", "pending"],
    );
    const sent = await eventually("the defence at the PSP", async () => {
      const [now] = await blocksOf(merchant);
      return now!.defenseStatus === "sent" && now;
    });
    assert.equal(sent.status, "defended");
    assert.deepEqual(await money(merchant), [0, 1_000]);
    const reported = await atPsp(block.id);
    assert.deepEqual([reported.status, reported.defence], ["EM_DEFESA", "Entregue em 12/03."]);
    await resolve(merchant, block.id, "rejected");
    assert.deepEqual(await money(merchant), [1_000, 0]);
  });

  for (const fault of [
    { kind: "timeoutAfter", ms: 200 },
    { kind: "resetAfter" },
    { kind: "error5xxBefore" },
    { kind: "error5xxAfter" },
    { kind: "brokenJson" },
    { kind: "notFound" },
    { kind: "notFound", generic: true },
  ]) {
    test(`whose call meets ${fault.kind}${fault.generic ? " in the bank's words" : ""} is reported all the same, once`, async () => {
      const merchant = await newMerchant(gateway);
      const block = await contest(merchant, await pay(merchant.client, 10));
      await gateway.simulator.patch("/behaviour", {
        faults: { seed: 1, rules: [{ route: "postDefence", ...fault, probability: 1, timesPerId: 1 }] },
      });
      assert.equal((await defend(merchant, block.id, { text: "Não." })).status, 200);
      await eventually("the defence at the PSP", async () => (await blocksOf(merchant))[0]!.defenseStatus === "sent");
      assert.equal((await atPsp(block.id)).defence, "Não.");
      await gateway.simulator.patch("/behaviour", { faults: { seed: 1, rules: [] } });
    });
  }

  test("is refused when the block awaits none, is another wallet's, or after respondBy", async () => {
    const merchant = await newMerchant(gateway);
    const other = await newMerchant(gateway);
    const block = await contest(merchant, await pay(merchant.client, 10));
    assertRefused(await defend(other, block.id, { text: "x" }), 404, "RESOURCE_NOT_FOUND");
    for (const body of [{}, { text: "" }, { text: 1 }, { text: "x".repeat(4001) }]) {
      assertInvalid(await defend(merchant, block.id, body), ["text"]);
    }
    await db().query(
      sql`update balance_blocks set respond_by = ${new Date(Date.now() - 1)} where block_id = ${block.id}`,
    );
    assertRefused(await defend(merchant, block.id, { text: "x" }), 400, "BALANCE_BLOCK_NOT_DEFENDABLE");
    assert.equal(await statusOf(merchant, block.id), "awaiting_response");
    await db().query(sql`update balance_blocks set respond_by = null where block_id = ${block.id}`);
    const headers = { "idempotency-key": "defence-key-1" };
    const first = await defend(merchant, block.id, { text: "x" }, headers);
    const again = await defend(merchant, block.id, { text: "x" }, headers);
    assert.deepEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"]);
    assertRefused(await defend(merchant, block.id, { text: "y" }), 400, "BALANCE_BLOCK_NOT_DEFENDABLE");
    const reader = await credentialOf(gateway, merchant.accountId, { permissions: ["BALANCE_BLOCK:READ"] });
    assertRefused(await reader.post(`/balance-blocks/${block.id}/defense`, { text: "x" }), 403, "PERMISSION_DENIED");
    await resolve(merchant, block.id, "approved");
    assertRefused(await defend(merchant, block.id, { text: "y" }), 400, "BALANCE_BLOCK_NOT_DEFENDABLE");
  });
});

describe("Refund and MED on one payment", () => {
  test("a refund takes over the open block's hold: the block ends rejected as refunded, and its event is sent", async () => {
    const merchant = await newMerchant(gateway);
    const payment = await pay(merchant.client, 80);
    const block = await contest(merchant, payment);
    assert.deepEqual(await money(merchant), [0, 8_000]);
    const refund = await refundManually(merchant.client, payment.id);
    assert.deepEqual(await money(merchant), [0, 8_000]);
    const [ended] = await blocksOf(merchant);
    assert.deepEqual([ended!.id, ended!.status, ended!.resolutionReason], [block.id, "rejected", "refunded"]);
    assert.equal((await eventOf(gateway, `balance_block_rejected_${block.id}`)).data.resolutionReason, "refunded");
    await settleRefund(merchant.client, payment.id, "confirm");
    assert.deepEqual(await money(merchant), [0, 0]);
    assert.deepEqual(await transfersOf(gateway, refund.refundTransactionId), [
      "refund_held 8000 available → held",
      "refund_sent 8000 held → psp",
    ]);
    // The case is accepted all the same: there is nothing more to take.
    const { rows } = await db().query<{ case_id: string }>(
      sql`select case_id from balance_blocks where block_id = ${block.id}`,
    );
    await gateway.simulator.post(`/infractions/${rows[0]!.case_id}/resolve`, { outcome: "accepted" });
    await listedAgain();
    assert.deepEqual([await money(merchant), (await blocksOf(merchant)).length], [[0, 0], 1]);
  });

  test("a case that the operator approves keeps its hold until the institution shows a return, and is free where it decides otherwise", async () => {
    for (const outcome of ["rejected", "accepted"] as const) {
      const merchant = await newMerchant(gateway);
      const payment = await pay(merchant.client, 80);
      const block = await contest(merchant, payment);
      const approved = await operatorResolve(merchant, block.id, { outcome: "approved" });
      assert.deepEqual([approved.status, approved.body.status, approved.body.takenAmount], [200, "approved", 0]);
      assert.deepEqual(await money(merchant), [0, 8_000]);
      const { rows } = await db().query<{ case_id: string }>(
        sql`select case_id from balance_blocks where block_id = ${block.id}`,
      );
      await gateway.simulator.post(`/infractions/${rows[0]!.case_id}/resolve`, { outcome });
      await listedAgain();
      const expected = outcome === "rejected" ? [8_000, 0] : [0, 0];
      await eventually("the money to be where the institution says", async () => {
        return JSON.stringify(await money(merchant)) === JSON.stringify(expected);
      });
      await gateway.verify();
    }
  });

  test("a refund that fails brings the block back as a new one, so that a dispute cannot be refunded away", async () => {
    const merchant = await newMerchant(gateway);
    const payment = await pay(merchant.client, 80);
    const block = await contest(merchant, payment);
    await refundManually(merchant.client, payment.id);
    await settleRefund(merchant.client, payment.id, "fail");
    const [again, before] = await blocksOf(merchant);
    assert.deepEqual([before!.id, before!.status], [block.id, "rejected"]);
    assert.deepEqual([again!.status, again!.amount, await money(merchant)], ["awaiting_response", 80, [0, 8_000]]);
    await eventOf(gateway, `balance_block_created_${again!.id}`);
    await resolve(merchant, again!.id, "approved");
    assert.deepEqual(await money(merchant), [0, 0]);
    assert.deepEqual(await chargebacks(merchant), [[80, "out", "completed"]]);
  });

  test("needs what the block does not hold, and no fee beside it: short of that, the block stays", async () => {
    const merchant = await newMerchant(gateway, ["loja"]);
    await gateway.operator.patch(`/accounts/${merchant.accountId}`, { fees: { refund: { fixed: 0.25 } } });
    const payment = await pay(merchant.client, 80);
    const block = await contest(merchant, payment, { amount: 70 });
    assert.equal((await merchant.client.post("/transfers", { subAccount: "loja", amount: 0.01 })).status, 201);
    await nothingMoves(gateway, async () => {
      const { details } = assertRefused(
        await merchant.client.post(`/transactions/${payment.id}/refund`),
        400,
        "INSUFFICIENT_BALANCE",
      );
      assert.deepEqual([details.available, details.required], [79.99, 80]);
    });
    assert.equal(await statusOf(merchant, block.id), "awaiting_response");
    await give(gateway, merchant.accountId, 0.01);
    await refundManually(merchant.client, payment.id);
    assert.deepEqual(await money(merchant), [-25, 8_025]);
  });

  test("a case about a payment whose refund is under way finds nothing to hold, until the refund fails", async () => {
    const merchant = await newMerchant(gateway);
    const payment = await pay(merchant.client, 80);
    await refundManually(merchant.client, payment.id);
    const before = await money(merchant);
    const refused = await merchant.client.post("/sandbox/balance-blocks", { transactionId: payment.id });
    assertRefused(refused, 400, "TRANSACTION_NOT_BLOCKABLE");
    const ended = async () => (await blocksOf(merchant)).map(({ amount, status }) => `${amount} ${status}`).sort();
    assert.deepEqual([await money(merchant), await ended()], [before, ["80 rejected"]]);
    await settleRefund(merchant.client, payment.id, "fail");
    // At once, and not when the case is listed again: what is free can be withdrawn.
    assert.deepEqual(
      [await ended(), await money(merchant)],
      [
        ["80 awaiting_response", "80 rejected"],
        [0, 8_000],
      ],
    );
    await listedAgain();
    assert.deepEqual(await money(merchant), [0, 8_000]);
  });

  test("a case about a payment of which a part is on its way back holds all of it again when that fails", async () => {
    const merchant = await newMerchant(gateway);
    const payment = await pay(merchant.client, 80);
    const part = await merchant.client.post(`/transactions/${payment.id}/refund`, { amount: 30, reason: "manual" });
    assert.equal(part.status, 201, part.text);
    const block = await contest(merchant, payment);
    assert.equal(block.amount, 50);
    await settleRefund(merchant.client, payment.id, "fail");
    assert.deepEqual(await money(merchant), [0, 8_000]);
    await gateway.verify();
    const lost = await merchant.client.post(`/sandbox/balance-blocks/${block.id}/resolve`, { outcome: "approved" });
    assert.equal(lost.status, 200, lost.text);
    await eventually("all of it to have gone back", async () => (await money(merchant))[1] === 0);
    assert.deepEqual(await money(merchant), [0, 0]);
    await gateway.verify();
  });

  test("a return that the PSP makes with no case is a chargeback from available, once, even below zero", async () => {
    const merchant = await newMerchant(gateway, ["loja"]);
    const payment = await pay(merchant.client, 80);
    assert.equal((await merchant.client.post("/transfers", { subAccount: "loja", amount: 80 })).status, 201);
    await medReturn(payment, 30);
    await medReturn(payment, 50);
    assert.deepEqual(await money(merchant), [-8_000, 0]);
    assert.deepEqual(await chargebacks(merchant), [
      [50, "out", "completed"],
      [30, "out", "completed"],
    ]);
    assertRefused(await merchant.client.post(`/transactions/${payment.id}/refund`), 400, "TRANSACTION_NOT_REFUNDABLE");
    const refused = await merchant.client.post("/sandbox/balance-blocks", { transactionId: payment.id });
    assertRefused(refused, 400, "TRANSACTION_NOT_BLOCKABLE");
  });

  test("reported again, in any number of copies at once: booked once", async () => {
    const merchant = await newMerchant(gateway);
    const payment = await pay(merchant.client, 80);
    const rtrId = await medReturn(payment, 30);
    const shown = { id: rtrId, rtrId, amount: 3_000, status: "settled" as const, med: true };
    const { lanes, psps } = gateway.running.ctx;
    const { institutionId } = (await psps.all())[0]!;
    const of = { accountId: merchant.accountId, e2eId: payment.e2eId, institutionId };
    const command = { ...of, environment: "sandbox" as const, shown };
    const reported = await Promise.all(Array.from({ length: 5 }, () => lanes.run(bookPspReturn, command)));
    assert.deepEqual([...new Set(reported)], ["already"]);
    assert.deepEqual(await money(merchant), [5_000, 0]);
  });

  test("a PSP-made return before the case is decided comes out of the hold; whole, it approves the block", async () => {
    const merchant = await newMerchant(gateway);
    const payment = await pay(merchant.client, 80);
    const block = await contest(merchant, payment);
    await medReturn(payment, 30);
    assert.deepEqual([await money(merchant), await statusOf(merchant, block.id)], [[0, 5_000], "awaiting_response"]);
    await medReturn(payment, 50);
    assert.deepEqual([await money(merchant), await statusOf(merchant, block.id)], [[0, 0], "approved"]);
    assert.deepEqual(await chargebacks(merchant), [
      [50, "out", "completed"],
      [30, "out", "completed"],
    ]);
    await eventOf(gateway, `balance_block_approved_${block.id}`);
  });

  test("a part returned and the case refused: the rest is available again", async () => {
    const merchant = await newMerchant(gateway);
    const payment = await pay(merchant.client, 80);
    const block = await contest(merchant, payment);
    await medReturn(payment, 30);
    await resolve(merchant, block.id, "rejected");
    assert.deepEqual(await money(merchant), [5_000, 0]);
    assert.deepEqual(await transfersOf(gateway, block.id), [
      "block_held 8000 available → held",
      "block_released 5000 held → available",
      "block_taken 3000 held → psp",
    ]);
  });

  test("a PSP-made return while a refund is under way ends the refund, and is paid from what it held", async () => {
    const merchant = await newMerchant(gateway);
    const payment = await pay(merchant.client, 80);
    // Not sent yet, so that the PSP is free to return by itself.
    await gateway.simulator.patch("/behaviour", {
      faults: { seed: 1, rules: [{ route: "putReturn", kind: "error5xxBefore", probability: 1 }] },
    });
    await refundManually(merchant.client, payment.id);
    await medReturn(payment, 80);
    await gateway.simulator.patch("/behaviour", { faults: { seed: 1, rules: [] } });
    const refund = await refundIs(merchant.client, payment.id, "ERROR");
    assert.match(String(refund.failureReason), /^The PSP returned the Pix by itself/);
    assert.deepEqual(await money(merchant), [0, 0]);
    assert.equal((await returnsAtPsp(gateway, payment.id)).length, 1);
  });
});

describe("The operator's balance blocks", () => {
  test("hold money of a wallet, about a payment or about none, and are reported; both ends; each is in the audit log", async () => {
    const merchant = await newMerchant(gateway, ["loja"]);
    await give(gateway, merchant.accountId, 50, { subAccount: "loja" });
    const made = await operatorBlock(merchant, {
      amount: 60, blockType: "judicial", subAccount: "loja", referenceNumber: "0001-23", reason: "Ordem judicial",
    }); // biome-ignore format: a row
    assert.equal(made.status, 201, made.text);
    const { id, createdAt, ...rest } = made.body;
    assert.deepEqual(rest, {
      amount: 60, status: "awaiting_response", blockType: "judicial", referenceNumber: "0001-23", reason: "Ordem judicial",
    }); // biome-ignore format: a row
    assert.deepEqual(await money(merchant, "loja"), [-1_000, 6_000]);
    assert.equal((await eventOf(gateway, `balance_block_created_${id}`)).subAccount, "loja");
    const approved = await operatorResolve(merchant, id, { outcome: "approved", resolutionText: "Cumprida" });
    assert.equal(approved.status, 200, approved.text);
    assert.deepEqual(
      [approved.body.status, approved.body.resolutionReason, approved.body.resolutionText, approved.body.createdAt],
      ["approved", "other", "Cumprida", createdAt],
    );
    assert.deepEqual(await money(merchant, "loja"), [-1_000, 0]);
    assert.deepEqual(await transfersOf(gateway, id), [
      "block_held 6000 available → held",
      "block_taken 6000 held → psp",
    ]);

    const payment = await pay(merchant.client, 10);
    const about = await operatorBlock(merchant, { amount: 10, blockType: "administrative", transactionId: payment.id });
    assert.deepEqual([about.body.transactionId, about.body.e2eId], [payment.id, payment.e2eId]);
    const rejected = await operatorResolve(merchant, about.body.id, { outcome: "rejected" });
    assert.equal(rejected.body.status, "rejected");
    assert.deepEqual(await money(merchant), [1_000, 0]);

    const { rows } = await db().query<{ action: string; object_id: string }>(sql`
      select action, object_id from audit_log where account_id = ${merchant.accountId} and action like 'balance_block.%' order by audit_id`);
    assert.deepEqual(rows.map((row) => [row.action, row.object_id]), [
      ["balance_block.create", id], ["balance_block.resolve", id],
      ["balance_block.create", about.body.id], ["balance_block.resolve", about.body.id],
    ]); // biome-ignore format: a table
  });

  test("about a payment never pass what is left of it", async () => {
    const merchant = await newMerchant(gateway);
    const payment = await pay(merchant.client, 80);
    assert.equal(
      (await operatorBlock(merchant, { amount: 50, blockType: "judicial", transactionId: payment.id })).status,
      201,
    );
    await nothingMoves(gateway, async () => {
      const over = await operatorBlock(merchant, { amount: 30.01, blockType: "med", transactionId: payment.id });
      assert.equal(assertRefused(over, 400, "BALANCE_BLOCK_EXCEEDS_PAYMENT").details.left, 30);
    });
    assert.equal(
      (await operatorBlock(merchant, { amount: 30, blockType: "med", transactionId: payment.id })).status,
      201,
    );
    // An order is not lifted by a refund.
    const refused = await merchant.client.post(`/transactions/${payment.id}/refund`);
    assertRefused(refused, 400, "TRANSACTION_NOT_REFUNDABLE");
  });

  test("are refused for what is not there, and a resolved one keeps its end", async () => {
    const merchant = await newMerchant(gateway);
    const other = await newMerchant(gateway);
    const foreign = await pay(other.client, 10);
    const pending = await merchant.client.post<{ id: string }>("/pix", { amount: 5, description: "x" });
    const made = await operatorBlock(merchant, { amount: 1, blockType: "med" });
    await nothingMoves(gateway, async () => {
      const block = { amount: 1, blockType: "med" };
      assertRefused(await operatorBlock(merchant, { ...block, transactionId: foreign.id }), 404, "RESOURCE_NOT_FOUND");
      assertInvalid(await operatorBlock(merchant, { ...block, transactionId: pending.body.id }), ["transactionId"]);
      assertRefused(await operatorBlock(merchant, { ...block, subAccount: "nobody" }), 404, "SUB_ACCOUNT_NOT_FOUND");
      for (const [body, field] of [
        [{ blockType: "med" }, "amount"],
        [{ amount: 0, blockType: "med" }, "amount"],
        [{ amount: 1.001, blockType: "med" }, "amount"],
        [{ amount: 1, blockType: "other" }, "blockType"],
        [{ amount: 1, blockType: "med", x: 1 }, "x"],
      ] as const) {
        assertInvalid(await operatorBlock(merchant, body), [field]);
      }
      assertRefused(await operatorResolve(other, made.body.id, { outcome: "approved" }), 404, "RESOURCE_NOT_FOUND");
      assertInvalid(await operatorResolve(merchant, made.body.id, { outcome: "defended" }), ["outcome"]);
    });
    const first = await operatorResolve(merchant, made.body.id, { outcome: "rejected" });
    const again = await operatorResolve(merchant, made.body.id, { outcome: "rejected" });
    assert.deepEqual(again.body, first.body);
    const otherwise = await operatorResolve(merchant, made.body.id, { outcome: "approved" });
    assert.equal(assertRefused(otherwise, 400, "BALANCE_BLOCK_RESOLVED").details.status, "rejected");
  });

  test("with an Idempotency-Key are made once", async () => {
    const merchant = await newMerchant(gateway);
    const body = { amount: 1, blockType: "administrative" };
    const send = () =>
      gateway.operator.post<Block>(`/accounts/${merchant.accountId}/balance-blocks`, body, {
        headers: { "idempotency-key": "block-key-1" },
      });
    const [one, two] = [await send(), await send()];
    assert.deepEqual([two.text, two.headers.get("idempotent-replayed")], [one.text, "true"]);
    assert.equal((await blocksOf(merchant)).length, 1);
  });
});

/** Waits until the cases of the PSP have been listed from now on. */
async function listedAgain(): Promise<void> {
  const asked = new Date();
  await db().query(sql`update infraction_polls set next_at = ${asked}`);
  gateway.running.ctx.hints.wake("infractions");
  await eventually("another listing", async () => {
    const { rowCount } = await db().query(sql`select from infraction_polls where covered_until > ${asked}`);
    return rowCount > 0;
  });
}
