/** Reads of a wallet's history read a bounded number of its lines, however many it has, and give the same as if they read all. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { LINES, writeHistory } from "../../../bench/harness/history.ts";
import { audit } from "../../src/auditor/audit.ts";
import type { Queries } from "../../src/db/pool.ts";
import { type Sql, sql } from "../../src/db/sql.ts";
import { BALANCES, readStatement, type StatementPosition } from "../../src/ledger/statement.ts";
import { KEY_COLUMNS, keyJoinsOfLine } from "../../src/statement/by-key.ts";
import { summariseDay } from "../../src/statement/day.ts";
import { type EveryPosition, readEveryWallet } from "../../src/statement/every-wallet.ts";
import { explainBalance } from "../../src/statement/explain-balance.ts";
import { summarise } from "../../src/statement/summary.ts";
import { newAccount } from "../contract/merchant.ts";
import { newMerchant } from "../contract/money.ts";
import { MARIA } from "../contract/payouts.ts";
import { eventually } from "../harness/eventually.ts";
import { startGateway, type TestGateway } from "../harness/gateway.ts";

/** More than are counted at once. */
const CHARGES = 45_000;
/** What a page of one kind may read: it searches 20,000 lines of a balance. */
const SEARCHED = 21_000;
/** Lines after the last kept sum before each end of 24 hours. */
const OF_DAY = 8_000;
/** Lines after the last kept sum, or before the first, in each of three balances at both ends of the time; and searches by time. */
const SUMMED = 1_700;

let gateway: TestGateway;
let accountId: string;
before(async () => {
  gateway = await startGateway();
  accountId = await newAccount(gateway);
  await writeHistory(gateway.ownerUrl, [
    { payee: { accountId, walletId: accountId }, charges: CHARGES, endpointId: null },
  ]);
  // The auditor keeps the sums of what it has checked.
  await audit(gateway.running.ctx, "fresh");
});
after(() => gateway.end());

type Plan = {
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
};
/** Rows of the ledger that a plan has read. Charges of a day are counted less often where they are many (paced-count.test.ts). */
const rowsOf = (plan: Plan): number =>
  (plan["Relation Name"] === "ledger_transfers"
    ? (plan["Actual Rows"] + (plan["Rows Removed by Filter"] ?? 0)) * plan["Actual Loops"]
    : 0) + (plan.Plans ?? []).reduce((sum, one) => sum + rowsOf(one), 0);

/** The history's connections, with what each statement has read. */
function counting(): { readonly queries: Queries; rows: number } {
  const { history } = gateway.running.ctx;
  const counted = {
    rows: 0,
    queries: {
      async query<R>(statement: Sql) {
        const explained = await history.query<{ "QUERY PLAN": [{ Plan: Plan }] }>({
          text: `explain (analyze, timing off, format json) ${statement.text}`,
          values: statement.values,
        });
        counted.rows += rowsOf(explained.rows[0]!["QUERY PLAN"][0].Plan);
        return history.query<R>(statement);
      },
    } as Queries,
  };
  return counted;
}

const dayOfNewest = async (): Promise<{ day: string; now: Date }> => {
  const { rows } = await gateway.owner.query<{ day: string }>(sql`
    select to_char(max(booked_at) at time zone 'America/Sao_Paulo', 'YYYY-MM-DD') as day from ledger_transfers
    where account_id = ${accountId}`);
  return { day: rows[0]!.day, now: new Date() };
};

describe("a wallet of 90,000 lines", () => {
  const reads: readonly [string, number, (queries: Queries, day: string, now: Date) => Promise<unknown>][] = [
    ["the explanation of its balance", SUMMED, (queries, _, now) => explainBalance(queries, wallet(), null, now)],
    ["its month", SUMMED, (queries, day, now) => summarise(queries, wallet(), day.slice(0, 7), now)],
    ["its day", OF_DAY, (queries, day, now) => summariseDay(queries, wallet(), { date: day }, now)],
    [
      "a page of a kind that it has not",
      SEARCHED,
      (queries) =>
        readStatement(
          queries,
          wallet(),
          { after: null, limit: 20, kinds: ["refund_fee"] },
          { columns: KEY_COLUMNS, joins: keyJoinsOfLine(accountId) },
        ),
    ],
    [
      "a page of all wallets, of a kind that they have not",
      SEARCHED,
      (queries) =>
        readEveryWallet(queries, accountId, { from: null, to: null, kinds: ["refund_fee"], after: null, limit: 20 }),
    ],
  ];
  const wallet = () => ({ accountId, walletId: accountId });
  for (const [what, most, read] of reads) {
    test(`${what} reads at most ${most} rows, the first time too`, async () => {
      const { day, now } = await dayOfNewest();
      const counted = counting();
      await read(counted.queries, day, now);
      assert.ok(counted.rows <= most, `${counted.rows} rows`);
    });
  }

  test("its explanation, month and day agree with its lines", async () => {
    const { day, now } = await dayOfNewest();
    const { history } = gateway.running.ctx;
    const { rows } = await gateway.owner.query<{ day: number; month: number; all: number }>(sql`
      select count(*) filter (where to_char(booked_at at time zone 'America/Sao_Paulo', 'YYYY-MM-DD') = ${day}) as day,
        count(*) filter (where to_char(booked_at at time zone 'America/Sao_Paulo', 'YYYY-MM') = ${day.slice(0, 7)}) as month,
        count(*) as all
      from ledger_transfers where account_id = ${accountId} and kind = 'charge_paid'`);
    const wanted = rows[0]!;
    assert.equal(wanted.all * LINES, CHARGES * LINES);
    for (let i = 0; i < 2; i += 1) {
      const { received, charges } = await summariseDay(history, wallet(), { date: day }, now);
      assert.deepEqual([received.count, received.amount, charges.paid], [wanted.day, wanted.day * 100, wanted.day]);
      const month = await summarise(history, wallet(), day.slice(0, 7), now);
      assert.equal(month.items.find(({ type }) => type === "payment")?.count, wanted.month);
      const { balances } = await explainBalance(history, wallet(), null, now);
      assert.equal(balances[0]!.kinds.find(({ kind }) => kind === "charge_paid")?.lines, wanted.all);
    }
  });
});

test("pages of one kind that search few lines each are together the list of the kind, in one wallet and in all", async () => {
  const { client, accountId: id } = await newMerchant(gateway);
  for (let i = 1; i <= 4; i += 1) {
    const { body } = await client.post<{ id: string }>("/pix", { amount: 100 * i, description: "d" });
    assert.equal((await client.post(`/sandbox/pix/${body.id}/pay`, {})).status, 200);
    assert.equal((await client.post("/withdrawals", { ...MARIA, amount: 10 * i })).status, 201);
  }
  const { history } = gateway.running.ctx;
  const of = { accountId: id, walletId: id };
  const beside = { columns: KEY_COLUMNS, joins: keyJoinsOfLine(id) };
  const nameOf = (one: { readonly balance: string; readonly line: number }) => `${one.balance} ${one.line}`;
  const all = await eventually("the payouts to be booked", async () => {
    const { lines } = await readStatement(history, of, { after: null, limit: 1_000 }, beside);
    return lines.filter(({ kind }) => kind === "withdrawal_sent").length === 4 && lines;
  });
  assert.ok(all.length > 12 && new Set(all.map(({ balance }) => balance)).size === 2, all.map(nameOf).join());
  for (const kind of new Set(all.map((line) => line.kind))) {
    const wanted = all.filter((line) => line.kind === kind).map(nameOf);
    for (const searched of [1, 2, 3, 5, 1_000]) {
      for (const limit of [1, 2, 100]) {
        const said = `${kind}, ${searched} searched, ${limit} shown`;
        const found: string[] = [];
        let after: StatementPosition | null = null;
        do {
          const page: Awaited<ReturnType<typeof readStatement>> = await readStatement(
            history,
            of,
            { after, limit, kinds: [kind] },
            beside,
            searched,
          );
          found.push(...page.lines.map(nameOf));
          after = page.next;
        } while (after !== null);
        assert.deepEqual(found, wanted, said);
        const everywhere: string[] = [];
        let from: EveryPosition | null = null;
        const cut = { from: null, to: null, kinds: [kind], limit };
        do {
          const page: Awaited<ReturnType<typeof readEveryWallet>> = await readEveryWallet(
            history,
            id,
            { ...cut, after: from },
            searched,
          );
          everywhere.push(...page.lines.map(nameOf));
          from = page.next;
        } while (from !== null);
        assert.deepEqual(everywhere.toSorted(), wanted.toSorted(), `of all wallets: ${said}`);
      }
    }
  }
  assert.equal(BALANCES.length, 3);
});
