/** `POST /transactions/{id}/refund` and what belongs to it (contract, section 3, row "refund", sections 4 and 5). */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { finishReturn } from "../../src/claims/returns/finish.ts";
import { sql } from "../../src/db/sql.ts";
import { BANK } from "../harness/bank.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { as, credentialOf } from "./merchant.ts";
import { balancesOf, everyPage, give, type Merchant, newMerchant, type Page } from "./money.ts";
import {
  eventOf,
  pay,
  type Refund,
  refundIs,
  refundManually,
  refundsOf,
  returnsAtPsp,
  settleRefund,
  transfersOf,
} from "./payments.ts";
import { assertInvalid, assertRefused, bare, nothingMoves } from "./refusal.ts";

type Transaction = { id: string; type: string; status: string; amount: number; direction: string } & Record<
  string,
  unknown
>;

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

const db = () => gateway.running.ctx.db;
const feeOf = async (merchant: Merchant, refund: Record<string, number>) => {
  const reply = await gateway.operator.patch(`/accounts/${merchant.accountId}`, { fees: { refund } });
  assert.equal(reply.status, 200, reply.text);
};
/** A merchant with a refund fee of 0.25 and some money beside the payments. */
const shop = async (subAccounts: string[] = []): Promise<Merchant> => {
  const merchant = await newMerchant(gateway, subAccounts);
  await feeOf(merchant, { fixed: 0.25 });
  await give(gateway, merchant.accountId, 10);
  return merchant;
};
const ask = ({ client }: Merchant, id: string, body?: unknown, headers: Record<string, string> = {}) =>
  client.post<Refund>(`/transactions/${id}/refund`, body, { headers });
const show = async ({ client }: Merchant, id: string) => (await client.get<Transaction>(`/transactions/${id}`)).body;

describe("A refund", () => {
  test("is reserved with its fee, and gone with it when the PSP has settled the return", {
    rules: [
      "refund.originalTransactionId",
      "refund.pspProvider",
      "refund.pspRefundTransactionId",
      "refund.status",
      "refund.state.*",
      "refund.total",
      "service.4",
      "event.kind.refund_completed",
      "event.refund_completed.*",
    ],
  }, async () => {
    const merchant = await shop();
    const { client } = merchant;
    const payment = await pay(client, 100, { externalReference: "order-7", metadata: { cart: 7 } });
    const refund = await refundManually(client, payment.id);
    const { refundTransactionId: refundId, pspRefundTransactionId, createdAt, ...rest } = refund;
    assert.deepEqual(rest, {
      originalTransactionId: payment.id, pspProvider: BANK, status: "PENDING", amount: 100, feeAmount: 0.25, currency: "BRL",
      reason: "manual",
    }); // biome-ignore format: a table
    assert.match(pspRefundTransactionId, /^[0-9a-z]{26,35}$/);
    assert.deepEqual(await balancesOf(client), { available: 975, promotional: 0, held: 10_025, total: 11_000 });
    assert.deepEqual(await transfersOf(gateway, refundId), ["refund_held 10025 available → held"]);
    const pending = await show(merchant, refundId);
    assert.deepEqual(
      [pending.type, pending.status, pending.direction, pending.amount, pending.originalTransactionId],
      ["refund", "pending", "out", 100, payment.id],
    );

    const confirmed = await settleRefund(client, payment.id, "confirm");
    assert.deepEqual([confirmed.status, confirmed.refundTransactionId], ["CONFIRMED", refundId]);
    assert.deepEqual(await balancesOf(client), { available: 975, promotional: 0, held: 0, total: 975 });
    assert.deepEqual(await transfersOf(gateway, refundId), [
      "refund_fee 25 held → fees",
      "refund_held 10025 available → held",
      "refund_sent 10000 held → psp",
    ]);
    const done = await show(merchant, refundId);
    assert.deepEqual([done.status, done.e2eId], ["completed", confirmed.e2eId]);
    assert.equal((await show(merchant, payment.id)).status, "completed");

    const event = await eventOf(gateway, refundId);
    const { data, timestamp, ...envelope } = event;
    assert.deepEqual(envelope, { event: "refund_completed", eventId: refundId, subAccount: null });
    assert.equal(new Date(timestamp as string).toISOString(), timestamp);
    assert.deepEqual(data, {
      objectId: refundId, refundTransactionId: refundId, originalTransactionId: payment.id, environment: "sandbox", amount: 100, feeAmount: 0.25,
      netAmount: 100, currency: "BRL", paymentMethod: "pix", status: "completed", refundedAt: confirmed.refundedAt,
      e2eId: confirmed.e2eId, externalReference: "order-7", metadata: { cart: 7 },
    }); // biome-ignore format: the table of the contract
    // The PSP has one return of it, under our id.
    const returns = await returnsAtPsp(gateway, payment.id);
    assert.deepEqual(
      returns.map(({ id, status, amountCentavos }) => [id, status, amountCentavos]),
      [[pspRefundTransactionId, "DEVOLVIDO", 10_000]],
    );
  });

  test("shows its fee as a transaction of type fee, once it is taken", async () => {
    const merchant = await shop();
    const payment = await pay(merchant.client);
    await refundManually(merchant.client, payment.id);
    const fees = () => everyPage<Transaction>(merchant.client, "/transactions?type=fee");
    assert.deepEqual(await fees(), []);
    await settleRefund(merchant.client, payment.id, "confirm");
    const [fee, ...others] = await fees();
    assert.deepEqual([fee!.type, fee!.status, fee!.direction, fee!.amount], ["fee", "completed", "out", 0.25]);
    assert.deepEqual(others, []);
    const refunds = await everyPage<Transaction>(merchant.client, "/transactions?type=refund&status=completed");
    assert.equal(refunds.length, 1);
  });

  test("is released whole when the PSP does not carry it out, and another one may be asked for", async () => {
    const merchant = await shop();
    const { client } = merchant;
    const payment = await pay(client);
    const before = await balancesOf(client);
    const first = await refundManually(client, payment.id);
    const failed = await settleRefund(client, payment.id, "fail");
    assert.equal(failed.status, "ERROR");
    assert.equal(typeof failed.failureReason, "string");
    assert.deepEqual(await balancesOf(client), before);
    assert.deepEqual(await transfersOf(gateway, first.refundTransactionId), [
      "refund_held 10025 available → held",
      "refund_released 10025 held → available",
    ]);
    const shown = await show(merchant, first.refundTransactionId);
    assert.deepEqual([shown.status, shown.failureReason], ["failed", failed.failureReason]);
    assert.equal((await db().query(sql`select from events where event_id = ${first.refundTransactionId}`)).rowCount, 0);
    const event = await eventOf(gateway, `refund_failed_${first.refundTransactionId}`);
    assert.deepEqual([event.event, event.subAccount], ["refund_failed", null]);
    assert.deepEqual(event.data, {
      objectId: first.refundTransactionId, refundTransactionId: first.refundTransactionId, originalTransactionId: payment.id, environment: "sandbox", amount: 100,
      feeAmount: 0.25, netAmount: 100, currency: "BRL", paymentMethod: "pix", status: "failed",
      failedAt: event.timestamp, failureReason: failed.failureReason,
    }); // biome-ignore format: the table of the contract

    const second = await ask(merchant, payment.id);
    assert.equal(second.status, 201, second.text);
    assert.notEqual(second.body.pspRefundTransactionId, first.pspRefundTransactionId);
    await refundIs(client, payment.id, "CONFIRMED");
    assert.deepEqual(
      (await refundsOf(client, payment.id)).map((refund) => refund.status),
      ["CONFIRMED", "ERROR"],
    );
    assert.equal((await balancesOf(client)).total, before.total - 10_025);
  });

  test("confirms by itself, without a body and without a content type", async () => {
    const merchant = await shop();
    const { client } = merchant;
    for (const body of [undefined, "{}", '{"reason":null}']) {
      const payment = await pay(client);
      await give(gateway, merchant.accountId, 1);
      const headers = body === undefined ? {} : { "content-type": "application/json" };
      const reply = await bare(
        client,
        "POST",
        `/transactions/${payment.id}/refund`,
        body,
        headers as Record<string, string>,
      );
      assert.equal(reply.status, 201, reply.text);
      assert.equal("reason" in reply.body, false);
      await refundIs(client, payment.id, "CONFIRMED");
    }
  });

  test("takes the percentage, minimum and maximum of its fee, and no fee where there is none", async () => {
    const merchant = await newMerchant(gateway);
    for (const [fee, expected] of [
      [{ fixed: 0 }, 0],
      [{ fixed: 0.1, percent: 1.5 }, 0.48],
      [{ fixed: 0, percent: 1, min: 5 }, 5],
      [{ fixed: 0, percent: 50, max: 0.01 }, 0.01],
    ] as const) {
      await feeOf(merchant, fee);
      const payment = await pay(merchant.client, 25);
      await give(gateway, merchant.accountId, 5);
      const refund = await refundManually(merchant.client, payment.id);
      assert.equal(refund.feeAmount, expected);
      // What was promised is what is taken, whatever the fee is by then.
      await feeOf(merchant, { fixed: 1 });
      const before = await balancesOf(merchant.client);
      await settleRefund(merchant.client, payment.id, "confirm");
      assert.equal((await balancesOf(merchant.client)).total, before.total - 2_500 - Math.round(expected * 100));
      assert.equal((await eventOf(gateway, refund.refundTransactionId)).data.feeAmount, expected);
    }
  });

  test("of a split payment is the originator's alone: no recipient is debited", { rules: ["split.5"] }, async () => {
    const merchant = await shop(["loja"]);
    const { client } = merchant;
    const payment = await pay(client, 100, { split: [{ subAccount: "loja", amount: 60 }] });
    assertRefused(await ask(merchant, payment.id), 400, "INSUFFICIENT_BALANCE");
    await give(gateway, merchant.accountId, 60);
    await refundManually(client, payment.id);
    await settleRefund(client, payment.id, "confirm");
    assert.equal((await balancesOf(client, "loja")).total, 6_000);
    assert.equal((await balancesOf(client)).total, 975);
  });

  test("belongs to the sub-account whose payment it is, and its event says so", async () => {
    const merchant = await shop(["loja"]);
    const { client, accountId } = merchant;
    await give(gateway, accountId, 1, { subAccount: "loja" });
    const payment = await pay(client, 20, {}, "loja");
    assertRefused(await ask(merchant, payment.id), 404, "RESOURCE_NOT_FOUND");
    assertRefused(await client.get(`/transactions/${payment.id}/refunds`), 404, "RESOURCE_NOT_FOUND");
    assertRefused(
      await client.post(`/sandbox/refunds/${payment.id}/settle`, { outcome: "confirm" }),
      404,
      "RESOURCE_NOT_FOUND",
    );
    const refund = await refundManually(client, payment.id, "loja");
    await settleRefund(client, payment.id, "confirm", "loja");
    assert.equal((await balancesOf(client, "loja")).total, 75);
    assert.equal((await eventOf(gateway, refund.refundTransactionId)).subAccount, "loja");
  });
});

describe("A refund is refused, and nothing moves,", () => {
  test("when the balance is short: available and required are reported", async () => {
    const merchant = await newMerchant(gateway);
    await feeOf(merchant, { fixed: 0.25 });
    const payment = await pay(merchant.client, 100);
    await nothingMoves(gateway, async () => {
      const { details } = assertRefused(await ask(merchant, payment.id), 400, "INSUFFICIENT_BALANCE");
      assert.deepEqual([details.available, details.required], [100, 100.25]);
    });
    await give(gateway, merchant.accountId, 0.25);
    assert.equal((await ask(merchant, payment.id)).status, 201);
    await refundIs(merchant.client, payment.id, "CONFIRMED");
    assert.equal((await balancesOf(merchant.client)).total, 0);
  });

  test("when the payment is not completed, or is no payment: TRANSACTION_NOT_REFUNDABLE", async () => {
    const merchant = await shop(["loja"]);
    const { client } = merchant;
    const charge = async () => (await client.post<{ id: string }>("/pix", { amount: 5, description: "x" })).body.id;
    const pending = await charge();
    const cancelled = await charge();
    assert.equal((await client.post(`/pix/${cancelled}/cancel`)).status, 200);
    const failed = await charge();
    assert.equal((await client.post(`/sandbox/pix/${failed}/pay`, { amount: 4 })).status, 200);
    const transfer = await client.post<{ id: string }>("/transfers", { subAccount: "loja", amount: 1 });
    const payment = await pay(client, 5);
    const refund = await refundManually(client, payment.id);
    await nothingMoves(gateway, async () => {
      for (const id of [pending, cancelled, failed, transfer.body.id, refund.refundTransactionId]) {
        assertRefused(await ask(merchant, id), 400, "TRANSACTION_NOT_REFUNDABLE", id);
      }
    });
  });

  test("while another one is PENDING, and after it is CONFIRMED: REFUND_ALREADY_EXISTS", async () => {
    const merchant = await shop();
    const payment = await pay(merchant.client);
    await give(gateway, merchant.accountId, 500);
    const { refundTransactionId } = await refundManually(merchant.client, payment.id);
    const again = () =>
      nothingMoves(gateway, async () => {
        const { details } = assertRefused(await ask(merchant, payment.id), 400, "REFUND_ALREADY_EXISTS");
        assert.equal(details.refundTransactionId, refundTransactionId);
      });
    await again();
    await settleRefund(merchant.client, payment.id, "confirm");
    await again();
  });

  test("over 90 days after the payment: REFUND_WINDOW_EXPIRED, and to the day it is taken", async () => {
    const merchant = await shop();
    const paidAt = async (e2eId: string, ms: number) => {
      const when = new Date(Date.now() - 90 * 86_400_000 + ms);
      const { rowCount } = await gateway.owner.query(
        sql`update received_pix set paid_at = ${when} where e2e_id = ${e2eId}`,
      );
      assert.equal(rowCount, 1);
      await gateway.owner.query(sql`
        with paid as (update charges set paid_at = ${when} where e2e_id = ${e2eId} returning account_id, charge_id)
        update ledger_transfers t set occurred_at = ${when} from paid
        where t.account_id = paid.account_id and t.source_id = paid.charge_id`);
    };
    const [late, inTime] = [await pay(merchant.client), await pay(merchant.client)];
    await paidAt(late.e2eId, -1);
    await paidAt(inTime.e2eId, 60_000);
    await nothingMoves(gateway, async () => {
      assertRefused(await ask(merchant, late.id), 400, "REFUND_WINDOW_EXPIRED");
    });
    assert.equal((await ask(merchant, inTime.id)).status, 201);
    await refundIs(merchant.client, inTime.id, "CONFIRMED");
  });

  test("of a payment that is not there, or another account's: 404 with resource and id", {
    rules: ["refund.errors"],
  }, async () => {
    const [merchant, other] = [await shop(), await shop()];
    const payment = await pay(other.client);
    await nothingMoves(gateway, async () => {
      for (const id of [payment.id, "01900000-0000-7000-8000-000000000000"]) {
        const { details } = assertRefused(await ask(merchant, id), 404, "RESOURCE_NOT_FOUND");
        assert.deepEqual([details.resource, details.id], ["transaction", id]);
      }
      assertRefused(await ask(merchant, "not-a-uuid"), 404, "RESOURCE_NOT_FOUND");
    });
  });

  test("with a reason over 255 characters, of another type, or an unknown field", {
    rules: ["refund.reason", "limit.refund.reason"],
  }, async () => {
    const merchant = await shop();
    const payment = await pay(merchant.client);
    await nothingMoves(gateway, async () => {
      assertInvalid(await ask(merchant, payment.id, { reason: "x".repeat(256) }), ["reason"]);
      assertInvalid(await ask(merchant, payment.id, { reason: 1 }), ["reason"]);
      assertInvalid(await ask(merchant, payment.id, { value: 1 }), ["value"]);
    });
    const taken = await ask(merchant, payment.id, { reason: "é".repeat(255) });
    assert.equal(taken.status, 201, taken.text);
    assert.equal(taken.body.reason, "é".repeat(255));
    await refundIs(merchant.client, payment.id, "CONFIRMED");
  });

  test("without REFUND:WRITE, for a suspended sub-account, and for a suspended account", {
    rules: ["route.refund"],
  }, async () => {
    const merchant = await shop(["loja"]);
    const { client, accountId } = merchant;
    const payment = await pay(client, 20, {}, "loja");
    const reader = await credentialOf(gateway, accountId, { permissions: ["TRANSACTION:READ"] });
    const path = `/transactions/${payment.id}/refund`;
    const set = (status: string) => gateway.operator.patch(`/accounts/${accountId}/sub-accounts/loja`, { status });
    assertRefused(await reader.post(path, {}, as("loja")), 403, "PERMISSION_DENIED");
    assert.equal((await reader.get(`${path}s`, as("loja"))).status, 200);
    await set("suspended");
    assertRefused(await client.post(path, {}, as("loja")), 403, "SUB_ACCOUNT_SUSPENDED");
    await set("approved");
    await gateway.operator.patch(`/accounts/${accountId}`, { status: "suspended" });
    await eventually("the suspension to be felt", async () => (await client.post(path, {}, as("loja"))).status === 403);
    assertRefused(await client.post(path, {}, as("loja")), 403, "ACCOUNT_SUSPENDED");
    assert.deepEqual(await refundsOf(client, payment.id, "loja"), []);
  });
});

describe("A refund with an Idempotency-Key", () => {
  test("is made once: the same answer byte for byte, and its transaction is found by the key", async () => {
    const merchant = await shop();
    const payment = await pay(merchant.client);
    const headers = { "idempotency-key": "refund-key-1" };
    const first = await ask(merchant, payment.id, { reason: "manual" }, headers);
    const second = await ask(merchant, payment.id, { reason: "manual" }, headers);
    assert.deepEqual(
      [second.status, second.text, second.headers.get("idempotent-replayed")],
      [201, first.text, "true"],
    );
    assertRefused(await ask(merchant, payment.id, { reason: "other" }, headers), 422, "IDEMPOTENCY_KEY_REUSED");
    assert.equal((await show(merchant, "refund-key-1")).id, first.body.refundTransactionId);
    await settleRefund(merchant.client, payment.id, "confirm");
    assert.equal((await ask(merchant, payment.id, { reason: "manual" }, headers)).text, first.text);
    assert.equal((await refundsOf(merchant.client, payment.id)).length, 1);
  });

  test("leaves the key free when it is refused", async () => {
    const merchant = await newMerchant(gateway);
    await feeOf(merchant, { fixed: 1 });
    const payment = await pay(merchant.client);
    const headers = { "idempotency-key": "refund-key-2" };
    assertRefused(await ask(merchant, payment.id, {}, headers), 400, "INSUFFICIENT_BALANCE");
    await give(gateway, merchant.accountId, 1);
    assert.equal((await ask(merchant, payment.id, {}, headers)).status, 201);
    await refundIs(merchant.client, payment.id, "CONFIRMED");
  });

  test("and twenty at once, with keys and without: one refund", async () => {
    const merchant = await shop();
    const payment = await pay(merchant.client);
    await give(gateway, merchant.accountId, 1_000);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        ask(merchant, payment.id, { reason: "manual" }, i % 2 ? {} : { "idempotency-key": `race-key-${i % 4}` }),
      ),
    );
    const made = new Set(
      replies.filter((reply) => reply.status === 201).map((reply) => reply.body.refundTransactionId),
    );
    assert.equal(made.size, 1);
    for (const reply of replies) if (reply.status !== 201) assertRefused(reply, 400, "REFUND_ALREADY_EXISTS");
    assert.equal((await balancesOf(merchant.client)).held, 10_025);
  });
});

describe("GET /transactions/{id}/refunds and the sandbox's settle", () => {
  test("every refund with its status, newest first, in pages; an empty list of a payment without any", async () => {
    const merchant = await shop();
    const payment = await pay(merchant.client);
    assert.deepEqual((await merchant.client.get(`/transactions/${payment.id}/refunds`)).body, {
      items: [],
      nextCursor: null,
    });
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      ids.unshift((await refundManually(merchant.client, payment.id)).refundTransactionId);
      await settleRefund(merchant.client, payment.id, "fail");
    }
    const paged = await everyPage<Refund>(merchant.client, `/transactions/${payment.id}/refunds?limit=1`);
    assert.deepEqual(
      paged.map((refund) => refund.refundTransactionId),
      ids,
    );
    assertInvalid(await merchant.client.get(`/transactions/${payment.id}/refunds?limit=0`), ["limit"]);
    assertInvalid(await merchant.client.get(`/transactions/${payment.id}/refunds?cursor=x`), ["cursor"]);
  });

  test("GET /refunds lists those of every payment of the wallet by status, time and payment, and shows no other wallet's", async () => {
    const merchant = await shop(["loja"]);
    const { client } = merchant;
    const [first, second, third] = [
      await pay(client, 50, { externalReference: "pedido-1" }),
      await pay(client, 60),
      await pay(client, 70, { externalReference: "pedido-3" }),
    ];
    const elsewhere = await pay(client, 80, {}, "loja");
    await give(gateway, merchant.accountId, 1, { subAccount: "loja" });
    const ids = [await refundManually(client, first!.id), await refundManually(client, second!.id)].map(
      ({ refundTransactionId }) => refundTransactionId,
    );
    const { createdAt: last, refundTransactionId } = await refundManually(client, third!.id);
    ids.push(refundTransactionId);
    const other = (await refundManually(client, elsewhere.id, "loja")).refundTransactionId;
    await settleRefund(client, first!.id, "confirm");
    await settleRefund(client, second!.id, "fail");
    await refundIs(client, first!.id, "CONFIRMED");
    await refundIs(client, second!.id, "ERROR");

    const find = async (query: string, wallet: string | null = null) => {
      const reply = await client.get<Page<Refund>>(`/refunds?${query}`, as(wallet));
      assert.equal(reply.status, 200, reply.text);
      return reply.body.items.map((refund) => refund.refundTransactionId);
    };
    assert.deepEqual(await find(""), ids.toReversed());
    assert.deepEqual(await find("", "loja"), [other]);
    assert.deepEqual(await find("subAccount=*"), [other, ...ids.toReversed()]);
    assert.deepEqual(await find("status=CONFIRMED"), [ids[0]]);
    assert.deepEqual(await find("status=ERROR"), [ids[1]]);
    assert.deepEqual(await find("status=PENDING"), [ids[2]]);
    assert.deepEqual(await find(`originalTransactionId=${second!.id}`), [ids[1]]);
    assert.deepEqual(await find(`from=${last}`), [ids[2]]);
    assert.deepEqual(await find(`to=${last}`), ids.slice(0, 2).toReversed());
    const paged = await everyPage<Refund>(client, "/refunds?limit=1");
    assert.deepEqual(paged.map((refund) => refund.refundTransactionId), ids.toReversed()); // biome-ignore format: one line

    const one = (await client.get<Record<string, unknown>>(`/refunds/${ids[0]}`)).body;
    assert.deepEqual(one, paged.at(-1));
    assert.equal(one.externalReference, "pedido-1");
    assert.equal(typeof one.counterpartName, "string");
    assert.equal((await client.get<Page<{ subAccount: string }>>("/refunds?subAccount=*")).body.items[0]!.subAccount, "loja"); // biome-ignore format: one line
    assertRefused(await client.get(`/refunds/${other}`), 404, "RESOURCE_NOT_FOUND");
    const stranger = await newMerchant(gateway);
    assertRefused(await stranger.client.get(`/refunds/${ids[0]}`), 404, "RESOURCE_NOT_FOUND");
    assert.deepEqual((await stranger.client.get<Page<Refund>>("/refunds?subAccount=*")).body.items, []);
    assertInvalid(await client.get("/refunds?status=maybe"), ["status"]);
    assertInvalid(await client.get("/refunds?cursor=x"), ["cursor"]);
  });

  test("settle: 404 without a refund, REFUND_NOT_PENDING after its end, 400 for another outcome", async () => {
    const merchant = await shop();
    const payment = await pay(merchant.client);
    const settle = (body: unknown) => merchant.client.post(`/sandbox/refunds/${payment.id}/settle`, body);
    assertRefused(await settle({ outcome: "confirm" }), 404, "RESOURCE_NOT_FOUND");
    await refundManually(merchant.client, payment.id);
    assertInvalid(await settle({ outcome: "maybe" }), ["outcome"]);
    assertInvalid(await settle({}), ["outcome"]);
    await settleRefund(merchant.client, payment.id, "confirm");
    assertRefused(await settle({ outcome: "confirm" }), 400, "REFUND_NOT_PENDING");
  });
});

describe("What the PSP does with a refund afterwards", () => {
  test("taken for refused and settled all the same: CONFIRMED, paid from available without a fee, reported once", async () => {
    const merchant = await shop();
    const { client, accountId } = merchant;
    const payment = await pay(client);
    const refund = await refundManually(client, payment.id);
    const { psp_id: pspId } = (
      await db().query<{ psp_id: string }>(
        sql`select psp_id from pix_returns where return_id = ${refund.refundTransactionId}`,
      )
    ).rows[0]!;
    await eventually("the PSP to have it", async () => (await returnsAtPsp(gateway, payment.id)).length === 1);
    const { lanes, psps } = gateway.running.ctx;
    const { institutionId } = (await psps.all())[0]!;
    const of = { accountId, e2eId: payment.e2eId, institutionId, environment: "sandbox" as const };
    const base = { ...of, pspId, amount: 10_000 };
    assert.equal((await lanes.run(finishReturn, { ...base, end: { kind: "failed", reason: "no" } }))!.status, "failed");
    // Meanwhile the money is spent, and another refund is impossible.
    await give(gateway, accountId, -110);
    const late = await gateway.simulator.post(`/pix/${payment.e2eId}/returns/${pspId}/settle`, { outcome: "confirm" });
    assert.equal(late.status, 200, late.text);
    const confirmed = await refundIs(client, payment.id, "CONFIRMED");
    assert.equal(confirmed.feeAmount, 0);
    assert.equal("failureReason" in confirmed, false);
    assert.deepEqual(await balancesOf(client), { available: -10_000, promotional: 0, held: 0, total: -10_000 });
    assert.equal((await eventOf(gateway, refund.refundTransactionId)).data.feeAmount, 0);
    await gateway.verify();
  });
});
