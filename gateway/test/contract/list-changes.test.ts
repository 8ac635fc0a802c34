/** `GET /transactions` over all wallets, by time of change and of payment, and by what belongs together. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { Client } from "../harness/client.ts";
import { eventually, laterMoment } from "../harness/eventually.ts";
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
after(() => gateway.end());

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
    const polled = (await laterMoment()).toISOString();
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

describe("the other lists over all wallets, with subAccount=*", () => {
  test("withdrawals, events and balance blocks show each item's wallet, page by page, and need the access", async () => {
    const { accountId, client } = await newMerchant(gateway, ["a-shop", "b-shop"]);
    const wallets = [null, "a-shop", "b-shop"] as const;
    const made = { withdrawals: [] as string[], blocks: [] as string[] };
    for (const wallet of wallets) {
      const paid = await pay(client, 50, {}, wallet);
      made.withdrawals.push((await waiting(client, {}, wallet)).id);
      const block = await client.post<{ id: string }>(
        "/sandbox/balance-blocks",
        { transactionId: paid.id },
        as(wallet),
      );
      assert.ok(block.status < 300, block.text);
      made.blocks.push(block.body.id);
    }
    type Item = { id: string; subAccount: string | null };
    const of = (wallet: string | null) => wallet ?? "principal";
    const expected = (made: readonly string[]) => made.map((id, i) => [id, of(wallets[i]!)]).reverse();
    const shown = (items: readonly Item[]) => items.map(({ id, subAccount }) => [id, subAccount]);
    await settle(client, made.withdrawals[0]!, { outcome: "fail" });
    const withdrawals = await everyPage<Item>(client, "/withdrawals?subAccount=*&limit=2");
    assert.deepEqual(shown(withdrawals), expected(made.withdrawals));
    // Those under way go on between two reads.
    await eventually("the list to show what reading each one shows, its failureCode too", async () => {
      const listed = await everyPage<Item>(client, "/withdrawals?subAccount=*&limit=2");
      const read = listed.map(async ({ id, subAccount }) => {
        const { body } = await client.get<object>(`/withdrawals/${id}`, as(subAccount));
        return { ...body, subAccount };
      });
      return isDeepStrictEqual(listed, await Promise.all(read));
    });
    const own = await client.get<Page<Item>>("/withdrawals", as("a-shop"));
    assert.deepEqual(
      own.body.items.map(({ id, subAccount }) => [id, subAccount]),
      [[made.withdrawals[1], undefined]],
    );
    const blocks = await client.get<{ items: Item[]; total: number }>("/balance-blocks?subAccount=*");
    assert.deepEqual(shown(blocks.body.items), expected(made.blocks));
    assert.deepEqual([blocks.body.total, "nextCursor" in blocks.body], [3, false]);
    const events = await everyPage<Item & { event: string }>(client, "/events?subAccount=*&limit=2");
    const reported = wallets.flatMap((wallet) => [`balance_block_created ${wallet}`, `payment_completed ${wallet}`]);
    assert.deepEqual(
      events.map(({ event, subAccount }) => `${event} ${subAccount}`).sort(),
      [...reported, "withdrawal_failed null"].sort(),
    );
    const narrow = await credentialOf(gateway, accountId, { subAccountAccess: false });
    for (const path of ["/withdrawals", "/events", "/balance-blocks"]) {
      assertRefused(await narrow.get(`${path}?subAccount=*`), 403, "SUB_ACCOUNT_FORBIDDEN");
    }
  });
});

describe("GET /statement?subAccount=*", () => {
  type Line = { subAccount?: string; balance: string; line: number; kind: string; bookedAt: string; amount: number };
  type Statement = Page<Line> & { openingBalance?: number; closingBalance?: number };
  const keyOf = ({ subAccount, balance, line }: Line) => `${subAccount} ${balance} ${line}`;
  const read = async (client: Client, query: string, wallet: string | null = null): Promise<Statement> => {
    const reply = await client.get<Statement>(`/statement?${query}`, as(wallet));
    assert.equal(reply.status, 200, reply.text);
    return reply.body;
  };
  const WALLETS = [null, "a-shop", "b-shop"] as const;
  /** Payments with a split, transfers, promotional credit and holds, in three wallets. */
  async function busy() {
    const made = await newMerchant(gateway, ["a-shop", "b-shop"]);
    const { accountId, client } = made;
    await give(gateway, accountId, 5, { balance: "promotional" });
    const { id: paid } = await pay(client, 50, { split: [{ subAccount: "a-shop", amount: 20 }] });
    await pay(client, 30, {}, "b-shop");
    for (const amount of [1, 2]) await client.post("/transfers", { subAccount: "b-shop", amount });
    await waiting(client, { amount: 10 }, "a-shop");
    return { ...made, paid };
  }
  /** The lines of each wallet's own statement, each with its wallet. */
  const ofEach = async (client: Client, query = "limit=100"): Promise<Line[]> => {
    const each = WALLETS.map(async (wallet) =>
      (await read(client, query, wallet)).items.map((line) => ({ ...line, subAccount: wallet ?? "principal" })),
    );
    return (await Promise.all(each)).flat();
  };
  const byKey = (lines: readonly Line[]) => [...lines].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

  test("has the lines of every wallet as their own statements have them, once, in an order that pages do not change", async () => {
    const { client, accountId, paid } = await busy();
    const { items, nextCursor } = await read(client, "subAccount=*&limit=100");
    assert.deepEqual(byKey(items), byKey(await ofEach(client)));
    assert.ok(items.length >= 11 && nextCursor === null);
    assert.deepEqual(
      items.map(({ bookedAt }) => bookedAt),
      items
        .map(({ bookedAt }) => bookedAt)
        .sort()
        .reverse(),
    );
    for (const limit of [1, 2, 5]) {
      const paged = await everyPage<Line>(client, `/statement?subAccount=*&limit=${limit}`);
      assert.deepEqual(paged.map(keyOf), items.map(keyOf), `${limit}`);
    }
    // What is booked while a reader turns pages comes before them.
    const grow = () =>
      Promise.all([give(gateway, accountId, 1), client.post("/transfers", { subAccount: "a-shop", amount: 1 })]);
    const between = await everyPage<Line>(client, "/statement?subAccount=*&limit=3", { between: grow });
    assert.deepEqual(between.map(keyOf), items.map(keyOf));
    assert.deepEqual((await read(client, "subAccount=*&limit=100", "b-shop")).items.slice(-items.length), items);
    const split = await read(client, "subAccount=*&kind=charge_split");
    assert.deepEqual(split.items.map(({ subAccount, amount }) => [subAccount, amount]).sort(), [
      ["a-shop", 20],
      ["principal", -20],
    ]);
    const own = await read(client, `transactionId=${paid}`);
    const found = await read(client, `subAccount=*&transactionId=${paid}`, "b-shop");
    assert.deepEqual(
      found.items,
      own.items.map((line) => ({ subAccount: "principal", ...line })),
    );
  });

  test("is cut by time with the total of all wallets before and after, and is CSV with the wallet after the columns of one", async () => {
    const { client, accountId } = await busy();
    const all = (await read(client, "subAccount=*&limit=100")).items;
    const middle = all[Math.floor(all.length / 2)]!.bookedAt;
    const [later, earlier] = [
      await read(client, `subAccount=*&limit=100&from=${middle}`),
      await read(client, `subAccount=*&limit=100&to=${middle}`),
    ];
    assert.deepEqual([...later.items, ...earlier.items].map(keyOf), all.map(keyOf));
    for (const cut of [`from=${middle}`, `to=${middle}`]) {
      const paged: Line[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page = await read(client, `subAccount=*&limit=2&${cut}${cursor === "" ? "" : `&cursor=${cursor}`}`);
        paged.push(...page.items);
        cursor = page.nextCursor;
      }
      assert.deepEqual(paged.map(keyOf), (cut.startsWith("from") ? later : earlier).items.map(keyOf), cut);
      assert.deepEqual(byKey(paged), byKey(await ofEach(client, `limit=100&${cut}`)), cut);
    }
    const sum = (lines: readonly Line[]) =>
      Math.round(lines.reduce((total, { amount }) => total + amount * 100, 0)) / 100;
    assert.deepEqual([earlier.openingBalance, earlier.closingBalance], [0, sum(earlier.items)]);
    assert.deepEqual([later.openingBalance, later.closingBalance], [sum(earlier.items), sum(all)]);

    const csv = await client.get("/statement?subAccount=*", { headers: { accept: "text/csv" } });
    const [head, ...rows] = csv.text
      .trimEnd()
      .split("\r\n")
      .map((row) => row.split(","));
    assert.deepEqual([head![14], head!.length, rows.length], ["subAccount", 20, all.length]);
    assert.deepEqual(
      rows.map((row) => row[14]),
      all.map(({ subAccount }) => subAccount),
    );
    assertInvalid(await client.get("/statement?subAccount=*", { headers: { accept: "application/x-ofx" } }), [
      "subAccount",
    ]);

    const narrow = await credentialOf(gateway, accountId, { subAccountAccess: false });
    assertRefused(await narrow.get("/statement?subAccount=*"), 403, "SUB_ACCOUNT_FORBIDDEN");
    const other = await newMerchant(gateway, ["a-shop"]);
    const { nextCursor } = await read(client, "subAccount=*&limit=1");
    for (const query of ["subAccount=*", `subAccount=*&cursor=${nextCursor}`, "subAccount=*&from=2026-01-01"]) {
      assert.deepEqual((await read(other.client, query)).items, [], query);
    }
    const single = await read(client, "limit=1");
    for (const cursor of [
      single.nextCursor,
      "x",
      Buffer.from('["statement of all wallets",1,2,-3]').toString("base64url"),
    ]) {
      assertInvalid(await client.get(`/statement?subAccount=*&cursor=${cursor}`), ["cursor"]);
    }
    for (const path of [`/statement?cursor=${nextCursor}`, "/statement?subAccount=a-shop"]) {
      assert.equal((await client.get(path)).status, 400, path);
    }
  });
});

describe("/sub-accounts and /balance-blocks", () => {
  test("are whole without a limit, and come in pages with one", async () => {
    const { client } = await newMerchant(gateway, ["one", "two", "three"]);
    for (const _ of [1, 2, 3]) {
      const { id } = await pay(client, 10);
      assert.ok((await client.post("/sandbox/balance-blocks", { transactionId: id })).status < 300);
    }
    for (const [path, field] of [
      ["/sub-accounts", "data"],
      ["/balance-blocks", "items"],
    ] as const) {
      type List = Record<string, { id: string }[]> & { nextCursor?: string | null };
      const read = async (query: string) => (await client.get<List>(`${path}${query}`)).body;
      const whole = await read("");
      assert.equal(whole[field]!.length, 3);
      assert.equal("nextCursor" in whole, false);
      const first = await read("?limit=2");
      const second = await read(`?limit=2&cursor=${first.nextCursor}`);
      assert.deepEqual([...first[field]!, ...second[field]!], whole[field]);
      assert.deepEqual([second.nextCursor, (await read("?limit=3")).nextCursor], [null, null]);
      assert.deepEqual((await read(`?cursor=${first.nextCursor}`))[field], second[field]);
      for (const query of ["limit=0", "limit=1001", "cursor=x"]) {
        assertInvalid(await client.get(`${path}?${query}`), [query.split("=")[0]!]);
      }
    }
  });
});
