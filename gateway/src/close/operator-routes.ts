import { Type } from "typebox";
import type { Context } from "../context.ts";
import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { PathId, ref } from "../http/contract.ts";
import { CsvQuery, csvFile, prefersCsv } from "../http/csv.ts";
import { invalid, notFound } from "../http/errors.ts";
import { isOneId, PAGE, PageQuery, readCursor, writeCursor } from "../http/pages.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { findBounds, totalsOf } from "../ledger/window.ts";
import { amount as brl, type CsvFormat, type CsvWriter } from "../lib/csv.ts";
import { dayOf, daysBefore, dayWindow, monthDays } from "../lib/days.ts";
import { toBrl } from "../lib/money.ts";
import { lastClosed } from "./close.ts";
import { type AccountSums, type Closed, readAccountClose, readClosed, readFees, readRunning } from "./read.ts";
import { AccountClose, Close, FeeReport } from "./shapes.ts";

const DAY = "^\\d{4}-\\d{2}-\\d{2}$";
const Month = Type.String({
  pattern: "^\\d{4}-\\d{2}$",
  description: "A month, such as `2026-11`.",
  examples: ["2026-11"],
});
const Day = (description: string) => Type.String({ pattern: DAY, description, examples: ["2026-11-20"] });
const FEES = "fees";

type Days = { readonly first: string; readonly last: string };

function requireMonth(month: string): Days {
  const days = monthDays(month);
  if (days === null) throw invalid("month", "is no month");
  return days;
}

/** Closed days and months, and what was earned in them. */
export function closeRoutes(route: OperatorRoutes, ctx: Context): void {
  const show = async (days: Days, accept: string | undefined, format: CsvFormat | undefined) => {
    // Read first: a day that is closed in between has its figures, and one that counts as closed never lacks them.
    const until = await lastClosed(ctx.db);
    const closed = await readClosed(ctx.db, days);
    const isClosed = until !== null && until >= days.last;
    if (prefersCsv(accept)) return csvFile(`close-${days.first}-${days.last}`, format, closeLines(days, closed));
    const today = dayOf(ctx.clock.date());
    const isRunning = !isClosed && days.first <= today && days.last >= daysBefore(today, 1);
    const running = isRunning && {
      running: (await readRunning(ctx.history)).map(({ lastClosing, now, ...of }) => ({
        ...{ ...of, lastClosing: toBrl(lastClosing), now: toBrl(now) },
      })),
    };
    return { ...toClose(days, closed, isClosed), ...running };
  };
  const alsoAs = { "text/csv": "A line for each opening, movement and closing." };
  const about = { role: "finance", query: Type.Object(CsvQuery), answer: ref(Close), alsoAs } as const;

  route({
    ...about,
    method: "GET",
    path: "/close/:date",
    operationId: "closes.day",
    summary: "What a day came to at each institution",
    description:
      "A day is closed four hours after its end. It never changes then: what is booked later and occurred on it shows as late on the day of its booking.",
    params: Type.Object({ date: Day("A day of São Paulo, such as `2026-11-20`.") }),
    handle({ params: { date }, query, accept }) {
      if (dayWindow(date) === null) throw invalid("date", "is no day");
      return show({ first: date, last: date }, accept, query.format);
    },
  });

  route({
    ...about,
    method: "GET",
    path: "/close/month/:month",
    operationId: "closes.month",
    summary: "What a month came to at each institution",
    description: "The sum of its closed days.",
    params: Type.Object({ month: Month }),
    handle: ({ params: { month }, query, accept }) => show(requireMonth(month), accept, query.format),
  });

  route({
    method: "GET",
    path: "/accounts/:id/close/:month",
    operationId: "accounts.close",
    summary: "What a month came to for an account",
    description:
      "All its wallets together; the sum of the month's closed days, each line in the month in which it occurred. `statement` has the same month by the time of booking, and what the two differ by.",
    role: "finance",
    params: Type.Object({ id: PathId("account", "Id of the account."), month: Month }),
    query: Type.Object(CsvQuery),
    answer: ref(AccountClose),
    alsoAs: { "text/csv": "A line for the opening, each kind, each fee and the closing." },
    async handle({ params: { id: accountId, month }, query: { format }, accept }) {
      const days = requireMonth(month);
      const { rows } = await ctx.db.query(sql`select from accounts where account_id = ${accountId} and not is_house`);
      if (rows.length === 0) throw notFound("account", accountId);
      const until = await lastClosed(ctx.db);
      const close = await readAccountClose(ctx.db, accountId, days);
      const closed = until !== null && until >= days.last;
      const statement = closed ? await readStatements(ctx.history, accountId, days) : null;
      if (prefersCsv(accept))
        return csvFile(`close-${accountId}-${month}`, format, accountLines(accountId, month, close, statement));
      return { accountId, month, closed, ...inBrl(close), statement: statement && besideStatements(close, statement) };
    },
  });

  route({
    method: "GET",
    path: "/reports/fees",
    operationId: "fees.report",
    summary: "What was earned, by account and operation",
    description: "Of the closed days from `from` to `to`, both included: a page of accounts as JSON, all as CSV.",
    role: "finance",
    query: Type.Object({
      from: Type.Optional(Day("First day; left out: the first of this month.")),
      to: Type.Optional(Day("Last day; left out: today.")),
      ...CsvQuery,
      ...PageQuery,
    }),
    answer: ref(FeeReport),
    alsoAs: { "text/csv": "A line for each account and operation." },
    async handle({ query, accept }) {
      const today = dayOf(ctx.clock.date());
      const { from = `${today.slice(0, 7)}-01`, to = today, limit = PAGE.standard, cursor } = query;
      for (const [name, day] of Object.entries({ from, to })) {
        if (dayWindow(day) === null) throw invalid(name, "is no day");
      }
      if (to < from) throw invalid("from", "must not be after to");
      const days = { first: from, last: to };
      if (prefersCsv(accept)) return csvFile(`fees-${from}-${to}`, query.format, feeLines(ctx, days));
      // Not `readPage`: the page is of accounts, and an account has as many items as operations, or none.
      const after = readCursor(FEES, cursor, isOneId)?.[0] ?? null;
      const closedUntil = await lastClosed(ctx.db);
      const { rows, next } = await readFees(ctx.db, days, { after, limit });
      const items = rows.map((row) => ({ ...row, amount: toBrl(row.amount) }));
      return { from, to, closedUntil, items, nextCursor: next === null ? null : writeCursor(FEES, [next]) };
    },
  });
}

const orNull = (centavos: number | null): number | null => (centavos === null ? null : toBrl(centavos));

function toClose({ first, last }: Days, { closedAt, positions, institutions }: Closed, closed: boolean) {
  return {
    ...{ from: first, to: last, closed, closedAt: closedAt?.toISOString() ?? null },
    positions: Object.fromEntries(Object.entries(positions).map(([kind, balance]) => [kind, toBrl(balance)])),
    institutions: institutions.map(({ movements, theirs, sampledAt, cases, opening, closing, ...of }) => ({
      ...of,
      opening: toBrl(opening),
      movements: movements.map(({ kind, late, countIn, amountIn, countOut, amountOut }) => ({
        ...{ kind, late, in: { count: countIn, amount: toBrl(amountIn) } },
        out: { count: countOut, amount: toBrl(amountOut) },
      })),
      closing: toBrl(closing),
      theirs: orNull(theirs),
      sampledAt: sampledAt?.toISOString() ?? null,
      difference: theirs === null ? null : toBrl(theirs - closing),
      cases: cases.map((caseRow) => ({ ...caseRow, amount: orNull(caseRow.amount) })),
    })),
  };
}

const inBrl = ({ opening, items, fees, closing }: AccountSums) => ({
  opening: toBrl(opening),
  items: items.map((item) => ({ ...item, in: toBrl(item.in), out: toBrl(item.out) })),
  fees: fees.map((fee) => ({ ...fee, amount: toBrl(fee.amount) })),
  closing: toBrl(closing),
});

/** The opening and closing balances in the statements of all wallets of an account, for a range of days. Centavos. */
type Statements = { readonly openingBalance: number; readonly closingBalance: number };

const readStatements = async (queries: Queries, accountId: string, { first, last }: Days): Promise<Statements> =>
  totalsOf(await findBounds(queries, { accountId, walletId: null }, dayWindow(first)!.from, dayWindow(last)!.to));

const besideStatements = (close: AccountSums, { openingBalance, closingBalance }: Statements) => ({
  opening: toBrl(openingBalance),
  occurredBefore: toBrl(close.opening - openingBalance),
  closing: toBrl(closingBalance),
  bookedAfter: toBrl(close.closing - closingBalance),
});

type Lines = (csv: CsvWriter) => Iterable<string>;

const closeLines = ({ first, last }: Days, { institutions }: Closed): Lines =>
  function* (csv) {
    yield csv.head([
      ...["from", "to", "institutionId", "name", "line", "late"],
      ...["countIn", "amountIn", "countOut", "amountOut", "balance", "enteredBy"],
    ]);
    for (const { institutionId, name, opening, movements, closing, theirs, enteredBy } of institutions) {
      const head = [first, last, institutionId, name];
      const balance = (line: string, centavos: number, by: string | null = null) =>
        csv.line([...head, line, null, null, null, null, null, brl(centavos), by]);
      yield balance("opening", opening);
      for (const { kind, late, countIn, amountIn, countOut, amountOut } of movements) {
        yield csv.line([...head, kind, late, countIn, brl(amountIn), countOut, brl(amountOut), null, null]);
      }
      yield balance("closing", closing);
      if (theirs === null) continue;
      yield balance("theirs", theirs, enteredBy);
      yield balance("difference", theirs - closing);
    }
  };

const accountLines = (accountId: string, month: string, close: AccountSums, statements: Statements | null): Lines =>
  function* (csv) {
    yield csv.head(["accountId", "month", "line", "type", "count", "in", "out", "balance"]);
    const head = [accountId, month];
    yield csv.line([...head, "opening", null, null, null, null, brl(close.opening)]);
    for (const item of close.items) {
      yield csv.line([...head, "item", item.type, item.count, brl(item.in), brl(item.out), null]);
    }
    for (const { operation, count, amount } of close.fees)
      yield csv.line([...head, "fee", operation, count, null, brl(amount), null]);
    const balance = (line: string, centavos: number) =>
      csv.line([...head, line, null, null, null, null, brl(centavos)]);
    yield balance("closing", close.closing);
    if (statements === null) return;
    yield balance("statementOpening", statements.openingBalance);
    yield balance("occurredBefore", close.opening - statements.openingBalance);
    yield balance("statementClosing", statements.closingBalance);
    yield balance("bookedAfter", close.closing - statements.closingBalance);
  };

/** Accounts that are read at once. */
const ACCOUNTS = 500;

const feeLines = (ctx: Context, days: Days) =>
  async function* (csv: CsvWriter): AsyncGenerator<string> {
    yield csv.head(["accountId", "name", "operation", "count", "amount"]);
    for (let after: string | null = null; ; ) {
      const page: Awaited<ReturnType<typeof readFees>> = await readFees(ctx.db, days, { after, limit: ACCOUNTS });
      for (const { accountId, name, operation, count, amount } of page.rows) {
        yield csv.line([accountId, name, operation, count, brl(amount)]);
      }
      after = page.next;
      if (after === null) return;
    }
  };
