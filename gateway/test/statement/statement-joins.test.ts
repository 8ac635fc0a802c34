/** A statement's lines can be joined, cut by time, and read by accountants: CSV, OFX, the sums of a month. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "../../src/db/sql.ts";
import { writeCursor } from "../../src/http/pages.ts";
import { PRINCIPAL } from "../../src/http/wallet.ts";
import { dayOf } from "../../src/lib/days.ts";
import { changesTotal } from "../../src/statement/kinds.ts";
import { linesOfTransaction, type OfTransactionPosition } from "../../src/statement/of-transaction.ts";
import { as } from "../contract/merchant.ts";
import { balancesOf, everyPage, give, newMerchant } from "../contract/money.ts";
import { pay, refundIs } from "../contract/payments.ts";
import { settle, waiting } from "../contract/payouts.ts";
import { assertInvalid } from "../contract/refusal.ts";
import { clearOfMidnight } from "../harness/clear-of-midnight.ts";
import type { Client } from "../harness/client.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

type Line = {
  balance: string; line: number; kind: string; amount: number; balanceAfter: number; bookedAt: string; transactionId?: string;
  originalTransactionId?: string; refundTransactionId?: string; blockId?: string; withdrawalId?: string; transferId?: string;
  externalReference?: string; e2eId?: string;
}; // biome-ignore format: fields

let gateway: TestGateway;
before(async () => {
  await clearOfMidnight();
  gateway = await startGateway();
});
after(() => gateway.end());

const centavos = (brl: number) => Math.round(brl * 100);
const linesOf = (client: Client, query = "", wallet: string | null = null) =>
  everyPage<Line>(client, `/statement?limit=100${query}`, { subAccount: wallet });

/** A merchant to whom everything has happened once. */
async function eventful() {
  const { accountId, client } = await newMerchant(gateway, ["loja"]);
  const fees = { charge: { fixed: 0.5 }, withdrawal: { fixed: 1 }, refund: { fixed: 0.25 } };
  await gateway.operator.patch(`/accounts/${accountId}`, { fees });
  await give(gateway, accountId, 300);
  const split = [{ subAccount: "loja", amount: 30 }];
  const paid = await pay(client, 100, { split, externalReference: "order-1" });
  const refunded = await pay(client, 40, { externalReference: "order-2" });
  await client.post(`/transactions/${refunded.id}/refund`);
  await refundIs(client, refunded.id, "CONFIRMED");
  const contested = await pay(client, 25);
  const block = await client.post<{ id: string }>("/sandbox/balance-blocks", { transactionId: contested.id });
  await client.post(`/sandbox/balance-blocks/${block.body.id}/resolve`, { outcome: "approved" });
  const withdrawal = await waiting(client, { amount: 10, externalReference: "payout-1" });
  await settle(client, withdrawal.id, { outcome: "complete" });
  await settle(client, withdrawal.id, { outcome: "reverse", amount: 4 });
  await settle(client, withdrawal.id, { outcome: "reverse", amount: 5 });
  const transfer = await client.post<{ id: string }>("/transfers", { subAccount: "loja", amount: 2 });
  return { accountId, client, paid, refunded, contested, block: block.body.id, withdrawal, transfer: transfer.body.id };
}

describe("GET /statement", () => {
  test("every line names a transaction of the wallet that is found, and the object that caused it", async () => {
    const made = await eventful();
    const { client } = made;
    for (const wallet of [null, "loja"]) {
      const lines = await linesOf(client, "", wallet);
      for (const line of lines) {
        const what = JSON.stringify(line);
        assert.ok(line.transactionId, what);
        const found = await client.get(`/transactions/${line.transactionId}`, as(wallet));
        assert.equal(found.status, 200, what);
        const own = await linesOf(client, `&transactionId=${line.transactionId}`, wallet);
        assert.ok(
          own.some((one) => one.balance === line.balance && one.line === line.line),
          what,
        );
        assert.ok(
          own.every((one) => one.transactionId === line.transactionId),
          what,
        );
      }
    }
    const lines = await linesOf(client);
    const of = (kind: string) => lines.find((line) => line.kind === kind)!;
    assert.equal(of("charge_split").originalTransactionId, made.paid.id);
    assert.equal(of("charge_split").externalReference, "order-1");
    assert.equal(of("charge_split").e2eId, made.paid.e2eId);
    assert.equal(of("refund_fee").originalTransactionId, made.refunded.id);
    assert.equal(of("refund_fee").externalReference, "order-2");
    assert.equal(of("block_held").blockId, made.block);
    assert.equal(of("block_held").transactionId, made.contested.id);
    for (const line of lines.filter(({ kind }) => kind === "block_taken" || kind === "psp_return")) {
      assert.deepEqual([line.blockId, line.originalTransactionId], [made.block, made.contested.id]);
    }
    for (const kind of ["withdrawal_sent", "withdrawal_returned", "withdrawal_fee_returned"]) {
      assert.deepEqual([of(kind).withdrawalId, of(kind).externalReference], [made.withdrawal.id, "payout-1"], kind);
    }
    assert.equal(of("transfer").transferId, made.transfer);
    // What a return brings is one transaction, with the fee where it makes the withdrawal whole.
    const last = of("withdrawal_fee_returned").transactionId!;
    const sum = lines
      .filter((line) => line.transactionId === last)
      .reduce((total, line) => total + centavos(line.amount), 0);
    assert.equal(sum, 600);
    assert.deepEqual(
      (await linesOf(client, "&kind=withdrawal_returned")).map(({ amount }) => amount),
      [5, 4],
    );
    assertInvalid(await client.get("/statement?kind=x"), ["kind"]);
  });

  test("of a type has the lines that make up the type's sum in the month, in one wallet, in all and as CSV", async () => {
    const { client } = await eventful();
    type Item = { type: string; count: number; in: number; out: number };
    const { body } = await client.get<{ items: Item[] }>("/statement/summary");
    assert.deepEqual(
      body.items.map(({ type }) => type),
      ["adjustment", "chargeback", "fee", "internal_transfer", "payment", "refund", "withdrawal"],
    );
    for (const { type, count, ...sums } of body.items) {
      const lines = await linesOf(client, `&type=${type}`);
      const sum = (sign: 1 | -1) =>
        lines.reduce((total, { amount }) => total + Math.max(0, sign * centavos(amount)), 0) / 100;
      assert.deepEqual([lines.length, sum(1), sum(-1)], [count, sums.in, sums.out], type);
      const csv = await client.get(`/statement?type=${type}`, as(null, { accept: "text/csv" }));
      assert.equal(csv.text.trimEnd().split("\r\n").length, 1 + count, type);
      const every = await linesOf(client, `&type=${type}&subAccount=*`);
      assert.ok(every.length >= count, type);
      assert.deepEqual(new Set(every.map(({ kind }) => kind)), new Set(lines.map(({ kind }) => kind)), type);
    }
    assertInvalid(await client.get("/statement?type=x"), ["type"]);
    assertInvalid(await client.get("/statement?type=fee&kind=charge_fee"), ["type"]);
  });

  test("of a withdrawal has the lines of its returns, and their sum is what it has cost", async () => {
    const { client, withdrawal } = await eventful();
    const sent = await waiting(client, { amount: 10 });
    await settle(client, sent.id, { outcome: "complete" });
    const all = await linesOf(client);
    for (const [{ id }, cost] of [
      [withdrawal, 0],
      [sent, -1000],
    ] as const) {
      const own = await linesOf(client, `&originalTransactionId=${id}`);
      assert.deepEqual(
        own,
        all.filter(({ withdrawalId }) => withdrawalId === id),
      );
      assert.equal(
        own.reduce((sum, { amount }) => sum + centavos(amount), 0),
        cost,
      );
    }
  });

  test("of a payment has all lines that followed from it, and their sum is what it has brought", async () => {
    const { client, paid, refunded, contested, accountId } = await eventful();
    const all = await linesOf(client);
    for (const payment of [paid, refunded, contested]) {
      const own = await linesOf(client, `&originalTransactionId=${payment.id}`);
      const about = all.filter(
        (line) => line.originalTransactionId === payment.id || line.transactionId === payment.id,
      );
      assert.deepEqual(own, about);
    }
    const sumOf = async (id: string) =>
      (await linesOf(client, `&originalTransactionId=${id}`)).reduce((sum, { amount }) => sum + centavos(amount), 0);
    const { rows } = await gateway.running.ctx.db.query<{ id: string; fees: number }>(sql`
      select c.charge_id as id, c.fee_amount + coalesce(sum(r.fee_amount), 0)::bigint as fees
      from charges c left join refunds r on r.account_id = c.account_id and r.charge_id = c.charge_id
      where c.account_id = ${accountId} group by c.charge_id, c.fee_amount`);
    const feesOf = (id: string) => rows.find((row) => row.id === id)!.fees;
    // A split leg has left it, a refund has gone back with both fees lost, a lost dispute took the whole payment.
    assert.equal(await sumOf(paid.id), 7_000 - feesOf(paid.id));
    assert.equal(await sumOf(refunded.id), -feesOf(refunded.id));
    assert.equal(await sumOf(contested.id), -feesOf(contested.id));
    const both = await client.get(`/statement?transactionId=${paid.id}&originalTransactionId=${paid.id}`);
    assertInvalid(both, ["originalTransactionId"]);
  });

  test("of a payment ends a page with a cursor, and goes on from there: every line once, in one wallet and in all", async () => {
    const { client, accountId, refunded, paid } = await eventful();
    const { history } = gateway.running.ctx;
    const { rows } = await gateway.owner.query<{ walletId: string }>(sql`
      select wallet_id as "walletId" from wallets where account_id = ${accountId} and reference = ${PRINCIPAL}`);
    for (const { id } of [paid, refunded]) {
      for (const [walletId, query] of [
        [rows[0]!.walletId, ""],
        [null, "&subAccount=*"],
      ] as const) {
        const all = await linesOf(client, `&originalTransactionId=${id}${query}`);
        assert.ok(all.length >= 3);
        const cut = { from: null, to: null, kinds: null };
        let after: OfTransactionPosition | null = null;
        for (let seen = 0; seen < all.length; seen += 1) {
          const of = { accountId, walletId };
          const page: Awaited<ReturnType<typeof linesOfTransaction>> = await linesOfTransaction(
            ...[history, of, { originalTransactionId: id }, { ...cut, after }, 1],
          );
          assert.deepEqual(
            page.lines.map(({ balance, line }) => [balance, line]),
            [[all[seen]!.balance, all[seen]!.line]],
          );
          after = page.next;
          if (after === null) assert.equal(seen, all.length - 1);
          else {
            const cursor = writeCursor("statement of a transaction", after);
            const rest = await linesOf(client, `&originalTransactionId=${id}${query}&cursor=${cursor}`);
            assert.deepEqual(rest, all.slice(seen + 1));
          }
        }
        assert.equal(after, null);
      }
    }
    const other = await client.get<{ nextCursor: string }>("/statement?limit=1");
    assertInvalid(await client.get(`/statement?transactionId=${paid.id}&cursor=${other.body.nextCursor}`), ["cursor"]);
  });

  test("as CSV and OFX, and by time, has the lines that its filters name and no others", async () => {
    const { client, refunded } = await eventful();
    const time = `&from=${(await linesOf(client)).at(-1)!.bookedAt}`;
    for (const filter of [
      `transactionId=${refunded.id}`,
      `originalTransactionId=${refunded.id}`,
      `originalTransactionId=${refunded.id}&kind=refund_fee`,
      `originalTransactionId=${refunded.id}&from=2020-01-01&to=2020-01-02`,
      `originalTransactionId=${refunded.id}${time}`,
    ]) {
      const lines = await linesOf(client, `&${filter}`);
      assert.equal(lines.length === 0, filter.includes("2020"), filter);
      for (const wallets of ["", "&subAccount=*"]) {
        const csv = await client.get(`/statement?${filter}${wallets}`, as(null, { accept: "text/csv" }));
        assert.equal(csv.status, 200, csv.text);
        const [head, ...rows] = csv.text.trimEnd().split("\r\n");
        const at = ["balance", "line"].map((name) => head!.split(",").indexOf(name));
        assert.deepEqual(
          rows.map((row) => at.map((column) => row.split(",")[column])),
          lines.map(({ balance, line }) => [balance, String(line)]),
          `${filter}${wallets}`,
        );
      }
      const ofx = await client.get(`/statement?${filter}`, as(null, { accept: "application/x-ofx" }));
      assert.equal(ofx.status, 200, ofx.text);
      assert.deepEqual(
        [...ofx.text.matchAll(/<FITID>([^<]*)</g)].map(([, id]) => id),
        lines
          .filter(({ kind }) => changesTotal(kind as Parameters<typeof changesTotal>[0]))
          .map(({ balance, line }) => `${balance}-${line}`),
        filter,
      );
    }
  });

  test("by time has the lines of that time, the totals before and after, and windows that meet share nothing", async () => {
    const { client, accountId } = await newMerchant(gateway);
    for (let i = 0; i < 30; i += 1) await give(gateway, accountId, 1, i % 3 === 0 ? { balance: "promotional" } : {});
    const all = await linesOf(client);
    const cuts = ["1970-01-02T00:00:00Z", all[22]!.bookedAt, all[9]!.bookedAt, "9999-12-31T00:00:00Z"];
    const seen: Line[] = [];
    for (let i = cuts.length - 1; i > 0; i -= 1) {
      const query = `from=${cuts[i - 1]}&to=${cuts[i]}`;
      const reply = await client.get<{ items: Line[]; openingBalance: number; closingBalance: number }>(
        `/statement?limit=100&${query}`,
      );
      assert.equal(reply.status, 200, reply.text);
      const { items, openingBalance, closingBalance } = reply.body;
      const sum = items.reduce((total, { amount }) => total + centavos(amount), 0);
      assert.equal(centavos(closingBalance) - centavos(openingBalance), sum, query);
      const expected = all.filter(({ bookedAt }) => bookedAt >= cuts[i - 1]! && bookedAt < cuts[i]!);
      assert.deepEqual(
        items.map(({ line }) => line),
        expected.map(({ line }) => line),
      );
      seen.push(...items);
    }
    assert.deepEqual(seen, all);
    const today = dayOf(new Date());
    const day = await client.get<{ items: Line[]; closingBalance: number }>(
      `/statement?limit=100&from=${today}&to=${today}`,
    );
    assert.deepEqual([day.body.items.length, day.body.closingBalance], [30, 30]);
    for (const bad of ["x", "2026-13-01", "2026-02-30", "2026-11-20T12:00:00"]) {
      assertInvalid(await client.get(`/statement?from=${bad}`), ["from"], bad);
    }
  });

  test("as OFX is a document whose transactions are what the total changed by", async () => {
    const { client } = await eventful();
    const reply = await client.get("/statement?from=2020-01-01", as(null, { accept: "application/x-ofx" }));
    assert.equal(reply.status, 200, reply.text);
    assert.match(reply.headers.get("content-type")!, /^application\/x-ofx/);
    const [header, body] = reply.text.split("\r\n\r\n") as [string, string];
    assert.match(header, /^OFXHEADER:100\r\nDATA:OFXSGML\r\nVERSION:102\r\n/);
    // Every element is closed, inside the one that it began in.
    const open: string[] = [];
    for (const [, end, name] of body.matchAll(/<(\/?)([A-Z0-9.]+)>/g)) {
      if (end === "") open.push(name!);
      else assert.equal(open.pop(), name);
    }
    assert.deepEqual(open, []);
    const order = [
      "SIGNONMSGSRSV1",
      "BANKMSGSRSV1",
      "CURDEF",
      "BANKACCTFROM",
      "BANKTRANLIST",
      "DTSTART",
      "DTEND",
      "STMTTRN",
      "LEDGERBAL",
    ];
    const at = order.map((name) => body.indexOf(`<${name}>`));
    assert.deepEqual(
      at,
      at.toSorted((a, b) => a - b),
    );
    assert.ok(at[0]! >= 0);
    const transactions = [...body.matchAll(/<STMTTRN>(.*?)<\/STMTTRN>/gs)].map(([, text]) => text!);
    const field = (text: string, name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
    for (const text of transactions) {
      assert.match(field(text, "TRNTYPE")!, /^(CREDIT|DEBIT|FEE|XFER)$/);
      assert.match(field(text, "DTPOSTED")!, /^\d{14}\[-3:BRT\]$/);
      assert.match(field(text, "TRNAMT")!, /^-?\d+\.\d\d$/);
      assert.ok(field(text, "MEMO"));
    }
    const ids = transactions.map((text) => field(text, "FITID"));
    assert.equal(new Set(ids).size, ids.length);
    const sum = transactions.reduce((total, text) => total + centavos(Number(field(text, "TRNAMT"))), 0);
    const { total } = await balancesOf(client);
    assert.deepEqual([sum, centavos(Number(field(body, "BALAMT")))], [total, total]);
  });
});

describe("GET /statement/summary", () => {
  test("adds up to the difference between the balances, with fees by operation", async () => {
    const { client } = await eventful();
    const month = dayOf(new Date()).slice(0, 7);
    const reply = await client.get<{
      openingBalance: number;
      closingBalance: number;
      closed: boolean;
      items: { type: string; count: number; in: number; out: number }[];
      fees: unknown[];
    }>(`/statement/summary?month=${month}`);
    assert.equal(reply.status, 200, reply.text);
    const { items, fees, openingBalance, closingBalance, closed } = reply.body;
    const sum = items.reduce((total, one) => total + centavos(one.in) - centavos(one.out), 0);
    assert.deepEqual([openingBalance, centavos(closingBalance), closed], [0, (await balancesOf(client)).total, false]);
    assert.equal(sum, centavos(closingBalance));
    assert.deepEqual(
      items.find(({ type }) => type === "payment"),
      { type: "payment", count: 3, in: 165, out: 0 },
    );
    assert.deepEqual(fees, [
      { operation: "charge", count: 3, amount: 1.5 },
      { operation: "withdrawal", count: 1, amount: 0 },
      { operation: "refund", count: 1, amount: 0.25 },
    ]);
    const before = await client.get(`/statement/summary?month=2020-02`);
    assert.deepEqual(before.body, {
      month: "2020-02", openingBalance: 0, closingBalance: 0, items: [], fees: [], closed: true,
    }); // biome-ignore format: a row
    assertInvalid(await client.get("/statement/summary?month=2026-13"), ["month"]);
  });
});

type Day = {
  date: string;
  until?: string;
  charges: { created: number; paid: number };
  received: { count: number; amount: number; hours: { count: number; amount: number }[] };
};

describe("GET /account/summary", () => {
  let day = "";
  before(() => {
    day = dayOf(new Date());
  });

  test("adds up a day as its statement does, by the hour, and counts the day's charges and those paid", async () => {
    const { client } = await eventful();
    await client.post("/pix", { amount: 12, description: "not paid" });
    const reply = await client.get<Day>(`/account/summary?date=${day}`);
    assert.equal(reply.status, 200, reply.text);
    const { received, charges } = reply.body;
    assert.deepEqual([received.count, received.amount, charges], [3, 165, { created: 4, paid: 3 }]);
    const hours = Array.from({ length: 24 }, () => ({ count: 0, amount: 0 }));
    for (const { kind, amount, bookedAt } of await linesOf(client)) {
      if (kind !== "charge_paid") continue;
      const hour = hours[(new Date(bookedAt).getUTCHours() + 21) % 24]!;
      hour.count += 1;
      hour.amount = (centavos(hour.amount) + centavos(amount)) / 100;
    }
    assert.deepEqual(received.hours, hours);
    assert.deepEqual((await client.get<Day>("/account/summary")).body, reply.body, "today is the standard");
    const shop = await client.get<Day>("/account/summary", as("loja"));
    assert.deepEqual(
      [shop.body.received.count, shop.body.received.amount, shop.body.charges],
      [0, 0, { created: 0, paid: 0 }],
      "a leg of a split is no payment of the wallet that gets it",
    );
  });

  test("counts until a time only what was before it", async () => {
    const { client } = await eventful();
    const lines = (await linesOf(client)).filter(({ kind }) => kind === "charge_paid").reverse();
    const until = lines[1]!.bookedAt;
    const before = lines.filter(({ bookedAt }) => bookedAt < until);
    const { body } = await client.get<Day>(`/account/summary?date=${day}&until=${until}`);
    const sum = before.reduce((total, { amount }) => total + centavos(amount), 0);
    assert.deepEqual([body.until, body.received.count, centavos(body.received.amount)], [until, before.length, sum]);
    const list = await everyPage<{ createdAt: string; paidAt: string }>(client, "/transactions?type=payment");
    assert.deepEqual(body.charges, {
      created: list.filter(({ createdAt }) => createdAt < until).length,
      paid: list.filter(({ createdAt, paidAt }) => createdAt < until && paidAt < until).length,
    });
    assert.ok(body.charges.created < list.length, "the third charge came later");
    const start = `${day}T03:00:00.000Z`;
    const none = await client.get<Day>(`/account/summary?date=${day}&until=${start}`);
    assert.deepEqual([none.body.received.count, none.body.charges], [0, { created: 0, paid: 0 }]);
  });

  test("answers the first day of PIX, and refuses what is no day, a day to come, or no time of the day", async () => {
    const { client } = await newMerchant(gateway);
    const first = await client.get<Day>("/account/summary?date=2020-11-16");
    assert.deepEqual([first.status, first.body.received.count, first.body.received.hours.length], [200, 0, 24]);
    for (const [query, field] of [
      ["date=2020-11-15", "date"],
      ["date=0001-01-01", "date"],
      ["date=9999-12-31", "date"],
      ["date=2026-02-30", "date"],
      ["date=today", "date"],
      ["date=", "date"],
      ["date=2024-05-02&until=2024-05-01T12:00:00Z", "until"],
      ["date=2024-05-02&until=2024-05-03T03:00:00.001Z", "until"],
      ["date=2024-05-02&until=12:00", "until"],
      ["day=2024-05-02", "day"],
    ] as const) {
      assertInvalid(await client.get(`/account/summary?${query}`), [field], query);
    }
  });
});
