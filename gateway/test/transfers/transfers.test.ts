/** `POST /transfers` (contract, sections 2 and 5): money between wallets of one account, in one transaction. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { as, credentialOf } from "../contract/merchant.ts";
import { balancesOf, give, type Merchant, newMerchant } from "../contract/money.ts";
import { assertInvalid, assertRefused, nothingMoves } from "../contract/refusal.ts";
import type { Client } from "../harness/client.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";
import { type GatewayProcess, startBeside } from "../harness/process.ts";
import { assertPublished } from "../harness/published.ts";

type Transfer = {
  id: string;
  amount: number;
  currency: string;
  from: string;
  to: string;
  description?: string;
  createdAt: string;
};
type Transaction = {
  id: string;
  type: string;
  status: string;
  direction: string;
  amount: number;
  counterpartSubAccount?: string;
};

let gateway: TestGateway;
let second: GatewayProcess;
before(async () => {
  gateway = await startGateway();
  second = await startBeside(gateway);
});
after(async () => {
  await second.stop();
  await gateway.end();
});

const send = (client: Client, body: unknown, from: string | null = null, headers: Record<string, string> = {}) =>
  client.post<Transfer>("/transfers", body, as(from, headers));
const available = async (client: Client, wallet: string | null = null) => (await balancesOf(client, wallet)).available;
const withKey = (key: string) => ({ "idempotency-key": key });
/** The same merchant on the other process. */
const across =
  ({ client }: Merchant) =>
  async (body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${second.url}/v2/transfers`, {
      method: "POST",
      headers: { authorization: `Bearer ${client.token}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    const reply = { status: response.status, headers: response.headers, text: await response.text() };
    assertPublished("POST", `${second.url}/v2/transfers`, reply);
    return reply;
  };

describe("A transfer", () => {
  test("moves money from the main account to a sub-account, and both wallets have their side of it", {
    rules: ["transaction.type"],
  }, async () => {
    const { accountId, client } = await newMerchant(gateway, ["loja"]);
    await give(gateway, accountId, 100);
    const reply = await send(client, { subAccount: "loja", amount: 30.25, description: "Repasse" });
    assert.equal(reply.status, 201, reply.text);
    const { id, createdAt, ...rest } = reply.body;
    assert.deepEqual(rest, { amount: 30.25, currency: "BRL", from: "principal", to: "loja", description: "Repasse" });
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.equal(new Date(createdAt).toISOString(), createdAt);
    assert.equal(await available(client), 6_975);
    assert.equal(await available(client, "loja"), 3_025);

    const sides = await Promise.all(
      [null, "loja"].map(async (wallet) => {
        const list = await client.get<{ items: Transaction[] }>("/transactions?type=internal_transfer", as(wallet));
        assert.equal(list.body.items.length, 1);
        return list.body.items[0]!;
      }),
    );
    assert.deepEqual(
      sides.map(({ status, direction, amount }) => ({ status, direction, amount })),
      [
        { status: "completed", direction: "out", amount: 30.25 },
        { status: "completed", direction: "in", amount: 30.25 },
      ],
    );
    assert.equal(sides[0]!.id, id);
    const others = sides.map(({ counterpartSubAccount }) => counterpartSubAccount);
    assert.deepEqual(others, ["loja", "principal"]);
    for (const [wallet, other] of [
      [null, "loja"],
      ["loja", "principal"],
    ] as const) {
      const lines = await client.get<{ items: { kind: string; counterpartSubAccount?: string }[] }>(
        "/statement",
        as(wallet),
      );
      const named = lines.body.items.filter(({ kind }) => kind === "transfer").map((one) => one.counterpartSubAccount);
      assert.deepEqual(named, [other]);
    }
    const read = await client.get(`/transactions/${id}`);
    assert.deepEqual(read.body, {
      id,
      status: "completed",
      type: "internal_transfer",
      direction: "out",
      paymentMethod: "pix",
      amount: 30.25,
      currency: "BRL",
      createdAt,
      description: "Repasse",
      counterpartSubAccount: "loja",
      transferId: id,
      blockedDeposit: null,
      updatedAt: createdAt,
    });
    assertRefused(await client.get(`/transactions/${id}`, as("loja")), 404, "RESOURCE_NOT_FOUND");
    assertRefused(await client.get(`/transactions/${sides[1]!.id}`), 404, "RESOURCE_NOT_FOUND");
  });

  test("goes from a sub-account to principal and to another sub-account", async () => {
    const { accountId, client } = await newMerchant(gateway, ["a1", "b1"]);
    await give(gateway, accountId, 10, { subAccount: "a1" });
    const up = await send(client, { subAccount: "principal", amount: 4 }, "a1");
    assert.equal(up.status, 201, up.text);
    assert.deepEqual([up.body.from, up.body.to, "description" in up.body], ["a1", "principal", false]);
    assert.equal((await send(client, { subAccount: "b1", amount: 6 }, "a1")).status, 201);
    assert.deepEqual(
      [await available(client), await available(client, "a1"), await available(client, "b1")],
      [400, 0, 600],
    );
  });

  test("takes 0.01 and the whole balance, and nothing beyond either", async () => {
    const { accountId, client } = await newMerchant(gateway, ["loja"]);
    await give(gateway, accountId, 5);
    await nothingMoves(gateway, async () => {
      for (const amount of [0, -1, 0.001, 1.005, 10_000_000_000, "1", true, null]) {
        assertInvalid(await send(client, { subAccount: "loja", amount }), ["amount"], String(amount));
      }
      const refused = assertRefused(
        await send(client, { subAccount: "loja", amount: 5.01 }),
        400,
        "INSUFFICIENT_BALANCE",
      );
      assert.deepEqual([refused.details.available, refused.details.required], [5, 5.01]);
    });
    assert.equal((await send(client, { subAccount: "loja", amount: 0.01 })).status, 201);
    assert.equal((await send(client, { subAccount: "loja", amount: 4.99 })).status, 201);
    assert.deepEqual([await available(client), await available(client, "loja")], [0, 500]);
    const most = 9_999_999_999.99;
    await give(gateway, accountId, most);
    assert.equal((await send(client, { subAccount: "loja", amount: most })).status, 201);
    assert.equal(await available(client, "loja"), 999_999_999_999 + 500);
  });

  test("cannot spend promotional credit", async () => {
    const { accountId, client } = await newMerchant(gateway, ["loja"]);
    await give(gateway, accountId, 50, { balance: "promotional" });
    await nothingMoves(gateway, async () => {
      assertRefused(await send(client, { subAccount: "loja", amount: 1 }), 400, "INSUFFICIENT_BALANCE");
    });
  });

  test("is refused to itself, to nobody, to or from a suspended wallet, and nothing moves", async () => {
    const { accountId, client } = await newMerchant(gateway, ["good", "bad"]);
    await give(gateway, accountId, 50);
    await give(gateway, accountId, 50, { subAccount: "good" });
    await give(gateway, accountId, 50, { subAccount: "bad" });
    const suspended = await gateway.operator.patch(`/accounts/${accountId}/sub-accounts/bad`, { status: "suspended" });
    assert.equal(suspended.status, 200);
    await nothingMoves(gateway, async () => {
      for (const [body, from] of [
        [{ subAccount: "principal", amount: 1 }, null],
        [{ subAccount: "good", amount: 1 }, "good"],
      ] as const) {
        const { details } = assertRefused(await send(client, body, from), 400, "TRANSFER_INVALID_RECIPIENT");
        assert.equal(details.field, "subAccount");
      }
      for (const reference of ["nowhere", "NO", ""]) {
        const reply = await send(client, { subAccount: reference, amount: 1 });
        const { details } = assertRefused(reply, 404, "SUB_ACCOUNT_NOT_FOUND");
        assert.deepEqual([details.reference, details.field], [reference, "subAccount"]);
      }
      assertRefused(await send(client, { subAccount: "bad", amount: 1 }), 403, "SUB_ACCOUNT_SUSPENDED");
      assertRefused(await send(client, { subAccount: "principal", amount: 1 }, "bad"), 403, "SUB_ACCOUNT_SUSPENDED");
      assertInvalid(await send(client, { amount: 1 }), ["subAccount"]);
      assertInvalid(await send(client, { subAccount: "good", amount: 1, to: "x" }), ["to"]);
      assertInvalid(await send(client, { subAccount: "good", amount: 1, description: "x".repeat(256) }), [
        "description",
      ]);
    });
    assert.equal((await send(client, { subAccount: "good", amount: 1, description: "x".repeat(255) })).status, 201);
  });

  test("is refused to another account's wallet, without the permission, and in a suspended account", async () => {
    const { accountId, client } = await newMerchant(gateway, ["mine"]);
    await newMerchant(gateway, ["theirs"]);
    await give(gateway, accountId, 5);
    const reader = await credentialOf(gateway, accountId, { permissions: ["ACCOUNT:READ", "PIX:WRITE"] });
    await nothingMoves(gateway, async () => {
      assertRefused(await send(client, { subAccount: "theirs", amount: 1 }), 404, "SUB_ACCOUNT_NOT_FOUND");
      const { details } = assertRefused(
        await send(reader, { subAccount: "mine", amount: 1 }),
        403,
        "PERMISSION_DENIED",
      );
      assert.equal(details.required, "TRANSFER:WRITE");
    });
    const writer = await credentialOf(gateway, accountId, { permissions: ["TRANSFER:WRITE"], subAccountAccess: false });
    assert.equal((await send(writer, { subAccount: "mine", amount: 1 })).status, 201);
    await gateway.operator.patch(`/accounts/${accountId}`, { status: "suspended" });
    await nothingMoves(gateway, async () => {
      // What the process still believes of the account is a second old at most; the lane reads it as it is.
      assertRefused(await send(client, { subAccount: "mine", amount: 1 }), 403, "ACCOUNT_SUSPENDED");
    });
  });
});

describe("A sent transfer", () => {
  const page = (client: Client, query = "", wallet: string | null = null) =>
    client.get<{ items: Transfer[]; nextCursor: string | null }>(`/transfers${query}`, as(wallet));

  test("keeps its reference and metadata, is found by both wallets under one id, and by nobody else", async () => {
    const { accountId, client } = await newMerchant(gateway, ["loja", "other"]);
    await give(gateway, accountId, 100);
    const metadata = { seller: 7, lines: [{ sku: "a", gone: null }] };
    const body = { subAccount: "loja", amount: 30, description: "Repasse", externalReference: "payout-1", metadata };
    const sent = await send(client, body, null, withKey("transfer-noted"));
    assert.equal(sent.status, 201, sent.text);
    const { externalReference, metadata: kept } = sent.body as Transfer & {
      externalReference: string;
      metadata: object;
    };
    assert.deepEqual([externalReference, kept], ["payout-1", metadata]);
    const again = await send(client, body, null, withKey("transfer-noted"));
    assert.deepEqual([again.status, again.text], [201, sent.text]);
    for (const wallet of [null, "loja"]) {
      assert.deepEqual((await client.get(`/transfers/${sent.body.id}`, as(wallet))).body, sent.body);
      assert.deepEqual((await page(client, "", wallet)).body, { items: [sent.body], nextCursor: null });
    }
    assertRefused(await client.get(`/transfers/${sent.body.id}`, as("other")), 404, "RESOURCE_NOT_FOUND");
    assertRefused(await client.get("/transfers/nonsense"), 404, "RESOURCE_NOT_FOUND");
    assert.deepEqual((await page(client, "", "other")).body, { items: [], nextCursor: null });
    const transaction = await client.get<Transaction & Record<string, unknown>>("/transactions/payout-1");
    assert.deepEqual([transaction.body.id, transaction.body.metadata], [sent.body.id, metadata]);
    const received = await client.get<{ items: Record<string, unknown>[] }>("/transactions", as("loja"));
    assert.equal(received.body.items[0]!.transferId, sent.body.id);
    assert.equal("externalReference" in received.body.items[0]!, false);
    // A transaction of the recipient's is no transfer's id, nor is an adjustment.
    assertRefused(await client.get(`/transfers/${received.body.items[0]!.id}`, as("loja")), 404, "RESOURCE_NOT_FOUND");
    const reader = await credentialOf(gateway, accountId, { permissions: ["TRANSFER:WRITE"] });
    assertRefused(await page(reader), 403, "PERMISSION_DENIED");
  });

  test("is in the list of its wallets, newest first, by pages, reference and time; legs and adjustments are not", async () => {
    const { accountId, client } = await newMerchant(gateway, ["loja", "other"]);
    await give(gateway, accountId, 100);
    const split = await client.post<{ id: string }>("/pix", {
      amount: 10,
      description: "d",
      split: [{ subAccount: "loja", amount: 5 }],
    });
    assert.equal((await client.post(`/sandbox/pix/${split.body.id}/pay`)).status, 200);
    assert.deepEqual((await page(client)).body.items, []);
    const sent: Transfer[] = [];
    for (const [subAccount, from, externalReference] of [
      ["loja", null, "a"],
      ["other", null, "b"],
      ["principal", "loja", "a"],
      ["other", "loja", "c"],
    ] as const) {
      const reply = await send(client, { subAccount, amount: 1, externalReference }, from);
      assert.equal(reply.status, 201, reply.text);
      sent.unshift(reply.body);
    }
    const [fourth, third, other, first] = sent;
    assert.deepEqual((await page(client)).body.items, [third, other, first]);
    assert.deepEqual((await page(client, "", "loja")).body.items, [fourth, third, first]);
    assert.deepEqual((await page(client, "", "other")).body.items, [fourth, other]);
    assert.deepEqual((await page(client, "?externalReference=a")).body.items, [third, first]);
    assert.deepEqual((await page(client, `?to=${third!.createdAt}`)).body.items, [other, first]);
    assert.deepEqual((await page(client, `?from=${third!.createdAt}`)).body.items, [third]);
    const begin = await page(client, "?limit=2");
    assert.deepEqual(begin.body.items, [third, other]);
    const rest = await page(client, `?limit=2&cursor=${begin.body.nextCursor}`);
    assert.deepEqual(rest.body, { items: [first], nextCursor: null });
    assertInvalid(await page(client, "?cursor=x"), ["cursor"]);
  });

  test("is refused with more metadata than 16 KiB or 50 keys, and nothing moves", async () => {
    const { accountId, client } = await newMerchant(gateway, ["loja"]);
    await give(gateway, accountId, 10);
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
    const bytes = (count: number) => ({ text: "x".repeat(count - '{"text":""}'.length) });
    const noted = (metadata: unknown) => send(client, { subAccount: "loja", amount: 1, metadata });
    await nothingMoves(gateway, async () => {
      for (const metadata of [keys(51), bytes(16 * 1024 + 1), "x", [1]]) {
        assertInvalid(await noted(metadata), ["metadata"]);
      }
      const long = { subAccount: "loja", amount: 1, externalReference: "x".repeat(256) };
      assertInvalid(await send(client, long), ["externalReference"]);
    });
    for (const metadata of [keys(50), bytes(16 * 1024), {}]) assert.equal((await noted(metadata)).status, 201);
  });
});

describe("An Idempotency-Key", () => {
  test("gives the first answer again, byte for byte, and moves nothing twice", async () => {
    const { accountId, client } = await newMerchant(gateway, ["loja"]);
    await give(gateway, accountId, 10);
    const key = withKey("transfer-again");
    const first = await send(client, { subAccount: "loja", amount: 3 }, null, key);
    assert.equal(first.status, 201, first.text);
    assert.equal(first.headers.get("idempotent-replayed"), null);
    await nothingMoves(gateway, async () => {
      const again = await send(client, { amount: 3, subAccount: "loja" }, null, key);
      assert.deepEqual([again.status, again.text], [201, first.text]);
      assert.equal(again.headers.get("idempotent-replayed"), "true");
      assert.equal(again.headers.get("content-type"), first.headers.get("content-type"));
      const elsewhere = await across({ accountId, client })({ subAccount: "loja", amount: 3 }, key);
      assert.deepEqual([elsewhere.status, elsewhere.text], [201, first.text]);
    });
    const found = await client.get<Transaction>("/transactions/transfer-again");
    assert.equal(found.body.id, first.body.id);
  });

  test("is refused for another body, valid or not, and moves nothing", async () => {
    const { accountId, client } = await newMerchant(gateway, ["loja"]);
    await give(gateway, accountId, 10);
    await send(client, { subAccount: "loja", amount: 3 }, null, withKey("transfer-other"));
    await nothingMoves(gateway, async () => {
      for (const body of [
        { subAccount: "loja", amount: 3.01 },
        { subAccount: "nowhere", amount: 3 },
        { subAccount: "loja", amount: -3 },
        { subAccount: "loja", amount: 3, description: "x" },
      ]) {
        assertRefused(await send(client, body, null, withKey("transfer-other")), 422, "IDEMPOTENCY_KEY_REUSED");
      }
      assertInvalid(await send(client, { subAccount: "loja", amount: 3 }, null, withKey("short")), ["Idempotency-Key"]);
    });
  });

  test("belongs to its wallet, and a refusal leaves it free", async () => {
    const { accountId, client } = await newMerchant(gateway, ["loja"]);
    const key = withKey("transfer-free");
    await nothingMoves(gateway, async () => {
      assertRefused(await send(client, { subAccount: "loja", amount: 3 }, null, key), 400, "INSUFFICIENT_BALANCE");
    });
    await give(gateway, accountId, 10);
    assert.equal((await send(client, { subAccount: "loja", amount: 4 }, null, key)).status, 201);
    const other = await send(client, { subAccount: "principal", amount: 1 }, "loja", key);
    assert.equal(other.status, 201, other.text);
    assert.equal(other.headers.get("idempotent-replayed"), null);
  });

  test("64 calls at once with one key through two processes make one transfer and get the same bytes", async () => {
    const merchant = await newMerchant(gateway, ["loja"]);
    await give(gateway, merchant.accountId, 100);
    const there = across(merchant);
    const body = { subAccount: "loja", amount: 7 };
    const replies = await Promise.all(
      Array.from({ length: 64 }, (_, i) =>
        i % 2 ? there(body, withKey("transfer-storm")) : send(merchant.client, body, null, withKey("transfer-storm")),
      ),
    );
    assert.deepEqual([...new Set(replies.map((reply) => reply.status))], [201]);
    assert.equal(new Set(replies.map((reply) => reply.text)).size, 1);
    assert.equal(replies.filter((reply) => reply.headers.get("idempotent-replayed") === "true").length, 63);
    assert.equal(await available(merchant.client, "loja"), 700);
  });

  test("of calls at once with one key and different bodies one wins, and the others get that answer", async () => {
    const { accountId, client } = await newMerchant(gateway, ["loja"]);
    await give(gateway, accountId, 100);
    const replies = await Promise.all(
      Array.from({ length: 16 }, (_, i) =>
        send(client, { subAccount: "loja", amount: i + 1 }, null, withKey("transfer-race")),
      ),
    );
    const won = replies.filter((reply) => reply.status === 201);
    assert.equal(won.length, 1);
    for (const reply of replies.filter((one) => one.status !== 201)) {
      assertRefused(reply, 422, "IDEMPOTENCY_KEY_REUSED");
    }
    assert.equal(await available(client, "loja"), won[0]!.body.amount * 100);
  });

  test("is written in the transaction of its effects", async () => {
    const { accountId, client } = await newMerchant(gateway, ["loja"]);
    await give(gateway, accountId, 10);
    const { id } = (await send(client, { subAccount: "loja", amount: 1 }, null, withKey("transfer-xid"))).body;
    const { rows } = await gateway.running.ctx.db.query<{ transactions: number; answers: number }>(sql`
      select count(distinct xmin::text) as transactions, count(*) as answers from (
        select xmin from idempotency_keys where account_id = ${accountId} and key = 'transfer-xid' and response is not null
        union all select xmin from movements where account_id = ${accountId} and cause_id = ${id}
        union all select xmin from ledger_transfers where account_id = ${accountId} and source_id = ${id}
      ) written`);
    assert.deepEqual(rows[0], { transactions: 1, answers: 3 });
  });
});

describe("Under a race", () => {
  test("50 transfers at once on a balance for 5, through two processes: 5 are made, 45 refused, nothing below zero", async () => {
    const merchant = await newMerchant(gateway, ["loja"]);
    await give(gateway, merchant.accountId, 5.99);
    const there = across(merchant);
    const body = { subAccount: "loja", amount: 1 };
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => (i % 2 ? there(body) : send(merchant.client, body))),
    );
    assert.equal(replies.filter((reply) => reply.status === 201).length, 5);
    for (const reply of replies.filter((one) => one.status !== 201)) {
      assert.equal(reply.status, 400, reply.text);
      const { details } = JSON.parse(reply.text) as { details: Record<string, unknown> };
      assert.equal(details.code, "INSUFFICIENT_BALANCE");
    }
    assert.deepEqual([await available(merchant.client), await available(merchant.client, "loja")], [99, 500]);
    const { rows } = await gateway.running.ctx.db.query<{ lowest: number }>(sql`
      select min(from_balance) as lowest from ledger_transfers
      where account_id = ${merchant.accountId} and kind = 'transfer'`);
    assert.equal(rows[0]!.lowest, 99);
    await gateway.verify();
  });

  test("transfers back and forth between three wallets, through two processes, keep the sum", async () => {
    const merchant = await newMerchant(gateway, ["x1", "x2"]);
    await give(gateway, merchant.accountId, 20);
    const there = across(merchant);
    const wallets = ["principal", "x1", "x2"];
    const replies = await Promise.all(
      Array.from({ length: 150 }, (_, i) => {
        const [from, to] = [wallets[i % 3]!, wallets[(i + 1 + (i % 2)) % 3]!];
        const body = { subAccount: to, amount: 1 + (i % 7) };
        return i % 4 < 2 ? there(body, { "x-sub-account": from }) : send(merchant.client, body, from);
      }),
    );
    assert.deepEqual(
      replies.filter((reply) => reply.status !== 201 && reply.status !== 400).map((reply) => reply.text),
      [],
    );
    const balances = await Promise.all(wallets.map((wallet) => available(merchant.client, wallet)));
    assert.ok(balances.every((balance) => balance >= 0));
    assert.equal(
      balances.reduce((sum, balance) => sum + balance),
      2_000,
    );
  });
});
