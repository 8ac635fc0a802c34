import { bigints, ints, texts } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { part, sql } from "../db/sql.ts";
import type { TransferKind } from "../ledger/chart.ts";
import { LINE, LINE_COLUMNS, SEARCHED, type StatementLine } from "../ledger/statement.ts";
import { findBounds, totalsOf } from "../ledger/window.ts";
import type { Explained } from "./by-key.ts";
import { explain } from "./explain.ts";

/** A line of a statement over all wallets, with the wallet that it belongs to. */
export type EveryLine = StatementLine & {
  readonly walletId: string;
  /** Reference of the wallet; `principal` for the main account. */
  readonly subAccount: string;
  /** Of its ledger account. */
  readonly no: number;
};

/** The last line of a page: when it was booked (Unix milliseconds), its ledger account and its number there. */
export type EveryPosition = readonly [bookedAt: number, no: number, line: number];

type Page = {
  readonly lines: readonly (Explained & EveryLine)[];
  readonly next: EveryPosition | null;
  /** The total of all wallets before and after the time. Centavos. */
  readonly totals: { readonly openingBalance: number; readonly closingBalance: number };
};

type Cut = {
  readonly from: Date | null;
  readonly to: Date | null;
  readonly kinds: readonly TransferKind[] | null;
  /** The page continues after this line. */
  readonly after: EveryPosition | null;
  readonly limit: number;
};

/**
 * Lines of all wallets of an account, newest first by time of booking; lines of one instant by ledger account, newest
 * first. This order never changes, so pages show every line once. Each ledger account is read by its own numbers, from the
 * first line that can be on the page. A page of some kinds searches a bounded number of lines, as in a wallet.
 */
export async function readEveryWallet(
  queries: Queries,
  accountId: string,
  cut: Cut,
  searched = SEARCHED,
): Promise<Page> {
  const { from, to, kinds, after, limit } = cut;
  const wanted = kinds && texts(kinds);
  const all = { accountId, walletId: null };
  const bounds = await findBounds(queries, all, from, to);
  // The page includes the cursor's instant: further lines of that instant may follow the cursor.
  const instant = after && new Date(after[0] + 1);
  const below = instant && (await findBounds(queries, all, null, to !== null && to < instant ? to : instant));
  const belows = new Map((below ?? bounds).map((bound) => [bound.no, bound.to]));
  if (after !== null) belows.set(after[1], Math.min(after[2], belows.get(after[1]) ?? 0));
  const open = bounds.filter(({ no, from: above }) => above < (belows.get(no) ?? 0));
  const rest = after
    ? part`and (x.booked_at, x.no, x.seq) < (${new Date(after[0])}::timestamptz, ${after[1]}::int, ${after[2]}::bigint)`
    : part``;
  const most = kinds === null ? null : Math.max(limit + 1, Math.floor(searched / Math.max(1, open.length)));
  const lows = open.map((bound) => (most === null ? bound.from : Math.max(bound.from, belows.get(bound.no)! - most)));
  const ends = open.flatMap((bound, i) => (lows[i]! > bound.from ? [{ no: bound.no, line: lows[i]! }] : []));
  const { rows } = await queries.query<EveryLine>(sql`
    select ${LINE}, l.no, a.owner_id as "walletId", w.reference as "subAccount"
    from unnest(${ints(open.map(({ no }) => no))}::int[], ${bigints(lows)}::bigint[],
      ${bigints(open.map(({ no }) => belows.get(no)!))}::bigint[]) as p (no, above, below)
    cross join lateral (
      select ${LINE_COLUMNS} from ledger_lines x
      where x.account_id = ${accountId} and x.no = p.no and x.seq >= p.above and x.seq < p.below ${rest}
        and (${wanted}::text[] is null or x.kind = any(${wanted}))
      order by x.seq desc limit ${limit + 1}
    ) l
    join ledger_accounts a on a.account_id = ${accountId} and a.no = l.no
    join wallets w on w.account_id = ${accountId} and w.wallet_id = a.owner_id
    order by l.booked_at desc, l.no desc, l.seq desc limit ${limit + 1}`);
  const end = ends.length === 0 ? null : await latestOf(queries, accountId, ends);
  const found = end === null ? rows : rows.filter((row) => !isBefore(positionOf(row), end));
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    lines: await explain(queries, all, shown),
    next: found.length > limit && last !== undefined ? positionOf(last) : end,
    totals: totalsOf(bounds),
  };
}

const positionOf = ({ bookedAt, no, line }: Pick<EveryLine, "bookedAt" | "no" | "line">): EveryPosition => [
  bookedAt.getTime(),
  no,
  line,
];

const isBefore = (a: EveryPosition, b: EveryPosition): boolean =>
  a[0] !== b[0] ? a[0] < b[0] : a[1] !== b[1] ? a[1] < b[1] : a[2] < b[2];

/** The latest of the lines at which searches ended: below it not every line was searched. */
async function latestOf(
  queries: Queries,
  accountId: string,
  ends: readonly { readonly no: number; readonly line: number }[],
): Promise<EveryPosition> {
  const { rows } = await queries.query<Pick<EveryLine, "bookedAt" | "no" | "line">>(sql`
    select l.no, l.seq as line, l.booked_at as "bookedAt"
    from unnest(${ints(ends.map(({ no }) => no))}::int[], ${bigints(ends.map(({ line }) => line))}::bigint[]) as p (no, seq)
    join ledger_lines l on l.account_id = ${accountId} and l.no = p.no and l.seq = p.seq
    order by l.booked_at desc, l.no desc, l.seq desc limit 1`);
  return positionOf(rows[0]!);
}

/** Lines read at a time. */
const LINES = 500;

/** Every line of all wallets, newest first, page by page. */
export async function* everyWalletPages(
  queries: Queries,
  accountId: string,
  cut: Pick<Cut, "from" | "to" | "kinds">,
): AsyncGenerator<Page["lines"]> {
  let after: EveryPosition | null = null;
  do {
    const page: Page = await readEveryWallet(queries, accountId, { ...cut, after, limit: LINES });
    yield page.lines;
    after = page.next;
  } while (after !== null);
}
