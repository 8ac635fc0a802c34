/** `POST /operator/v1/accounts/{id}/adjustments` (contract, section 6): money between the operator and a wallet. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { as } from "../contract/merchant.ts";
import { balancesOf, give, newMerchant } from "../contract/money.ts";
import { assertInvalid, assertRefused, nothingMoves } from "../contract/refusal.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Adjustment = Record<string, unknown> & { id: string; createdAt: string };
type Transaction = { id: string; type: string; direction: string; amount: number; description: string };

let gateway: TestGateway;
before(async () => {
  gateway = await startGateway();
});
after(() => gateway.end());

const adjust = (accountId: string, body: unknown, headers: Record<string, string> = {}) =>
  gateway.operator.post<Adjustment>(`/accounts/${accountId}/adjustments`, body, { headers });
const plus = { amount: 1, balance: "available", reason: "r" };

describe("An adjustment", () => {
  test("gives and takes, and is the wallet's transaction and a line of the audit log", async () => {
    const { accountId, client } = await newMerchant(gateway);
    const given = await adjust(accountId, { amount: 12.34, balance: "available", reason: "Acordo 17" });
    assert.equal(given.status, 201, given.text);
    const { id, createdAt, ...rest } = given.body;
    assert.deepEqual(rest, {
      accountId,
      subAccount: null,
      amount: 12.34,
      currency: "BRL",
      balance: "available",
      type: "adjustment",
      reason: "Acordo 17",
    });
    const taken = await adjust(accountId, { amount: -2.34, balance: "available", reason: "Erro no acordo 17" });
    assert.deepEqual([taken.status, taken.body.amount], [201, -2.34]);
    assert.deepEqual(await balancesOf(client), { available: 1_000, promotional: 0, held: 0, total: 1_000 });

    const list = await client.get<{ items: Transaction[] }>("/transactions?type=adjustment");
    assert.deepEqual(
      list.body.items.map((one) => [one.id, one.direction, one.amount, one.description]),
      [
        [taken.body.id, "out", 2.34, "Erro no acordo 17"],
        [id, "in", 12.34, "Acordo 17"],
      ],
    );
    const { rows } = await gateway.running.ctx.db.query<Record<string, unknown>>(sql`
      select actor, action, object_id, before, after, created_at from audit_log
      where account_id = ${accountId} and object_id = ${id}`);
    assert.deepEqual(rows, [
      {
        actor: "operator",
        action: "adjustment.create",
        object_id: id,
        before: null,
        after: given.body,
        created_at: new Date(createdAt),
      },
    ]);
  });

  test("of promotional credit changes that balance alone", async () => {
    const { accountId, client } = await newMerchant(gateway);
    await give(gateway, accountId, 10, { balance: "promotional" });
    await give(gateway, accountId, -4, { balance: "promotional" });
    assert.deepEqual(await balancesOf(client), { available: 0, promotional: 600, held: 0, total: 600 });
  });

  test("can be a referral commission, in either balance", async () => {
    const { accountId, client } = await newMerchant(gateway);
    for (const balance of ["available", "promotional"]) {
      await give(gateway, accountId, 3, { balance, type: "referral_commission" });
    }
    const list = await client.get<{ items: Transaction[] }>("/transactions?type=referral_commission");
    assert.deepEqual(
      list.body.items.map((one) => [one.type, one.amount]),
      [
        ["referral_commission", 3],
        ["referral_commission", 3],
      ],
    );
    assert.deepEqual(await balancesOf(client), { available: 300, promotional: 300, held: 0, total: 600 });
  });

  test("reaches the sub-account that it names, suspended or not, and `principal` is the main account", async () => {
    const { accountId, client } = await newMerchant(gateway, ["loja"]);
    const reply = await adjust(accountId, { ...plus, subAccount: "loja" });
    assert.deepEqual([reply.status, reply.body.subAccount], [201, "loja"]);
    const main = await adjust(accountId, { ...plus, subAccount: "principal" });
    assert.deepEqual([main.status, main.body.subAccount], [201, null]);
    assert.equal((await balancesOf(client)).available, 100);
    assert.equal((await balancesOf(client, "loja")).available, 100);
    assertRefused(await client.get(`/transactions/${reply.body.id}`), 404, "RESOURCE_NOT_FOUND");
    assert.equal((await client.get(`/transactions/${reply.body.id}`, as("loja"))).status, 200);
    await gateway.operator.patch(`/accounts/${accountId}/sub-accounts/loja`, { status: "suspended" });
    await gateway.operator.patch(`/accounts/${accountId}`, { status: "suspended" });
    assert.equal((await adjust(accountId, { ...plus, subAccount: "loja" })).status, 201);
  });

  test("takes a balance to zero and never below", async () => {
    const { accountId, client } = await newMerchant(gateway);
    for (const balance of ["available", "promotional"]) {
      await give(gateway, accountId, 5, { balance });
      await nothingMoves(gateway, async () => {
        const { details } = assertRefused(
          await adjust(accountId, { amount: -5.01, balance, reason: "r" }),
          400,
          "INSUFFICIENT_BALANCE",
        );
        assert.deepEqual([details.available, details.required, details.balance], [5, 5.01, balance]);
      });
      await give(gateway, accountId, -5, { balance });
    }
    assert.equal((await balancesOf(client)).total, 0);
  });

  test("20 at once that each take it all: one does", async () => {
    const { accountId, client } = await newMerchant(gateway);
    await give(gateway, accountId, 5);
    const replies = await Promise.all(Array.from({ length: 20 }, () => adjust(accountId, { ...plus, amount: -5 })));
    assert.deepEqual(replies.map((reply) => reply.status).sort(), [201, ...Array.from({ length: 19 }, () => 400)]);
    assert.equal((await balancesOf(client)).available, 0);
  });

  test("is refused when anything about it is wrong, and nothing moves", async () => {
    const { accountId } = await newMerchant(gateway);
    const most = 9_999_999_999.99;
    await nothingMoves(gateway, async () => {
      for (const amount of [0, -0, 0.001, -1.005, most + 0.01, -most - 0.01, "1", true, null]) {
        assertInvalid(await adjust(accountId, { ...plus, amount }), ["amount"], String(amount));
      }
      for (const balance of ["held", "", null, 1]) {
        assertInvalid(await adjust(accountId, { ...plus, balance }), ["balance"]);
      }
      assertInvalid(await adjust(accountId, { ...plus, type: "fee" }), ["type"]);
      assertInvalid(await adjust(accountId, { ...plus, reason: "" }), ["reason"]);
      assertInvalid(await adjust(accountId, { ...plus, reason: "x".repeat(256) }), ["reason"]);
      assertInvalid(await adjust(accountId, { amount: 1, balance: "available" }), ["reason"]);
      assertInvalid(await adjust(accountId, { ...plus, wallet: "x" }), ["wallet"]);
      assertRefused(await adjust(accountId, { ...plus, subAccount: "nowhere" }), 404, "SUB_ACCOUNT_NOT_FOUND");
      const nobody = randomUUID();
      const { details } = assertRefused(await adjust(nobody, plus), 404, "RESOURCE_NOT_FOUND");
      assert.deepEqual([details.resource, details.id], ["account", nobody]);
      assertRefused(await adjust("x", plus), 404, "RESOURCE_NOT_FOUND");
      const stranger = await gateway.operator.post(`/accounts/${accountId}/adjustments`, plus, { token: "x" });
      assertRefused(stranger, 401, "TOKEN_INVALID");
    });
    assert.equal((await adjust(accountId, { ...plus, amount: most, reason: "x".repeat(255) })).status, 201);
    assert.equal((await adjust(accountId, { ...plus, amount: -most })).status, 201);
    assert.equal((await adjust(accountId, { ...plus, amount: 0.01 })).status, 201);
  });

  test("with an Idempotency-Key is made once, however often it is asked for", async () => {
    const { accountId, client } = await newMerchant(gateway);
    const key = { "idempotency-key": "adjust-once" };
    const replies = await Promise.all(Array.from({ length: 10 }, () => adjust(accountId, plus, key)));
    assert.deepEqual([...new Set(replies.map((reply) => reply.status))], [201]);
    assert.equal(new Set(replies.map((reply) => reply.text)).size, 1);
    assert.equal(replies.filter((reply) => reply.headers.get("idempotent-replayed") === "true").length, 9);
    await nothingMoves(gateway, async () => {
      assertRefused(await adjust(accountId, { ...plus, amount: 2 }, key), 422, "IDEMPOTENCY_KEY_REUSED");
      assertInvalid(await adjust(accountId, plus, { "idempotency-key": "short" }), ["Idempotency-Key"]);
    });
    assert.equal((await balancesOf(client)).available, 100);
  });
});
