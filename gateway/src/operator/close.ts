import { Readable } from "node:stream";
import { Type } from "typebox";
import { lastClosed } from "../close/close.ts";
import { type AccountSums, type Closed, readAccountClose, readClosed, readFees } from "../close/read.ts";
import { AccountClose, Close, FeeReport } from "../close/shapes.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { Raw } from "../http/answer.ts";
import { PathId, ref } from "../http/contract.ts";
import { invalid, notFound } from "../http/errors.ts";
import { PAGE, PageQuery, readCursor, writeCursor } from "../http/pages.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { decimal, prefersCsv, text } from "../lib/csv.ts";
import { dayOf, dayWindow, monthDays } from "../lib/days.ts";
import { isUuid } from "../lib/ids.ts";
import { toBrl } from "../lib/money.ts";

const DAY = "^\\d{4}-\\d{2}-\\d{2}$";
const Month = Type.String({
  pattern: "^\\d{4}-\\d{2}$",
  description: "A month, such as `2026-11`.",
  examples: ["2026-11"],
});
const Day = (description: string) => Type.String({ pattern: DAY, description, examples: ["2026-11-20"] });
const FEES = "fees";
const fits = (position: readonly unknown[]): position is readonly [string] =>
  position.length === 1 && isUuid(position[0]);

type Days = { readonly first: string; readonly last: string };

function requireMonth(month: string): Days {
  const days = monthDays(month);
  if (days === null) throw invalid("month", "is no month");
  return days;
}

/** Closed days and months, and what was earned in them. */
export function closeRoutes(route: OperatorRoutes, ctx: Context): void {
  const show = async (days: Days, accept: string | undefined) => {
    const [closed, until] = [await readClosed(ctx.db, days), await lastClosed(ctx.db)];
    const isClosed = until !== null && until >= days.last;
    if (prefersCsv(accept)) return asCsv(`close-${days.first}-${days.last}`, closeLines(days, closed));
    return toClose(days, closed, isClosed);
  };
  const alsoAs = { "text/csv": "A line for each opening, movement and closing." };
  const about = { role: "finance", status: 200, answer: ref(Close), alsoAs } as const;

  route({
    ...about,
    method: "GET",
    path: "/close/:date",
    operationId: "closes.day",
    summary: "What a day came to at each institution",
    description:
      "A day is closed four hours after its end. It never changes then: what is booked later and occurred on it shows as late on the day of its booking.",
    params: Type.Object({ date: Day("A day of São Paulo, such as `2026-11-20`.") }),
    handle({ params: { date }, accept }) {
      if (dayWindow(date) === null) throw invalid("date", "is no day");
      return show({ first: date, last: date }, accept);
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
    handle: ({ params: { month }, accept }) => show(requireMonth(month), accept),
  });

  route({
    method: "GET",
    path: "/accounts/:id/close/:month",
    operationId: "accounts.close",
    summary: "What a month came to for an account",
    description: "All its wallets together; the sum of the month's closed days.",
    role: "finance",
    params: Type.Object({ id: PathId("account", "Id of the account."), month: Month }),
    status: 200,
    answer: ref(AccountClose),
    alsoAs: { "text/csv": "A line for the opening, each kind, each fee and the closing." },
    async handle({ params: { id: accountId, month }, accept }) {
      const days = requireMonth(month);
      const { rows } = await ctx.db.query(sql`select from accounts where account_id = ${accountId} and not is_house`);
      if (rows.length === 0) throw notFound("account", accountId);
      const [close, until] = [await readAccountClose(ctx.db, accountId, days), await lastClosed(ctx.db)];
      if (prefersCsv(accept)) return asCsv(`close-${accountId}-${month}`, accountLines(accountId, month, close));
      return { accountId, month, closed: until !== null && until >= days.last, ...inBrl(close) };
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
      ...PageQuery,
    }),
    status: 200,
    answer: ref(FeeReport),
    alsoAs: { "text/csv": "A line for each account and operation." },
    async handle({ query, accept }) {
      const today = dayOf(ctx.clock.date());
      const { from = `${today.slice(0, 7)}-01`, to = today, limit = PAGE.standard, cursor } = query;
      for (const [name, day] of Object.entries({ from, to })) {
        if (dayWindow(day) === null) throw invalid(name, "is no day");
      }
      const days = { first: from, last: to };
      if (prefersCsv(accept)) return asCsv(`fees-${from}-${to}`, feeLines(ctx, days));
      const after = readCursor(FEES, cursor, fits)?.[0] ?? null;
      const { rows, next } = await readFees(ctx.db, days, { after, limit });
      const items = rows.map((row) => ({ ...row, amount: toBrl(row.amount) }));
      const closedUntil = await lastClosed(ctx.db);
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
      cases: cases.map((one) => ({ ...one, amount: orNull(one.amount) })),
    })),
  };
}

const inBrl = ({ opening, items, fees, closing }: AccountSums) => ({
  opening: toBrl(opening),
  items: items.map((item) => ({ ...item, in: toBrl(item.in), out: toBrl(item.out) })),
  fees: fees.map((fee) => ({ ...fee, amount: toBrl(fee.amount) })),
  closing: toBrl(closing),
});

function asCsv(name: string, lines: Iterable<string> | AsyncIterable<string>): Raw {
  const headers = { "content-disposition": `attachment; filename="${name}.csv"` };
  return new Raw("text/csv; charset=utf-8", Readable.from(lines), headers);
}

function* closeLines({ first, last }: Days, { institutions }: Closed): Generator<string> {
  yield "from,to,institutionId,name,line,late,countIn,amountIn,countOut,amountOut,balance\r\n";
  for (const { institutionId, name, opening, movements, closing, theirs } of institutions) {
    const head = `${first},${last},${institutionId},${text(name)}`;
    yield `${head},opening,,,,,,${decimal(opening)}\r\n`;
    for (const { kind, late, countIn, amountIn, countOut, amountOut } of movements) {
      yield `${head},${kind},${late},${countIn},${decimal(amountIn)},${countOut},${decimal(amountOut)},\r\n`;
    }
    yield `${head},closing,,,,,,${decimal(closing)}\r\n`;
    if (theirs === null) continue;
    yield `${head},theirs,,,,,,${decimal(theirs)}\r\n`;
    yield `${head},difference,,,,,,${decimal(theirs - closing)}\r\n`;
  }
}

function* accountLines(accountId: string, month: string, close: AccountSums): Generator<string> {
  yield "accountId,month,line,type,count,in,out,balance\r\n";
  const head = `${accountId},${month}`;
  yield `${head},opening,,,,,${decimal(close.opening)}\r\n`;
  for (const item of close.items) {
    yield `${head},item,${item.type},${item.count},${decimal(item.in)},${decimal(item.out)},\r\n`;
  }
  for (const fee of close.fees) yield `${head},fee,${fee.operation},${fee.count},,${decimal(fee.amount)},\r\n`;
  yield `${head},closing,,,,,${decimal(close.closing)}\r\n`;
}

/** Accounts that are read at once. */
const ACCOUNTS = 500;

async function* feeLines(ctx: Context, days: Days): AsyncGenerator<string> {
  yield "accountId,name,operation,count,amount\r\n";
  for (let after: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof readFees>> = await readFees(ctx.db, days, { after, limit: ACCOUNTS });
    for (const { accountId, name, operation, count, amount } of page.rows) {
      yield `${accountId},${text(name)},${operation},${count},${decimal(amount)}\r\n`;
    }
    after = page.next;
    if (after === null) return;
  }
}
