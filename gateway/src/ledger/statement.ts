import { bigints, texts } from "../db/arrays.ts";
import { bigint, instant, int, names, type RowOf, textOf, uuid, view } from "../db/columns.ts";
import type { Queries } from "../db/pool.ts";
import { type Fragment, literal, part, prepared, sql } from "../db/sql.ts";
import type { TransferKind } from "./chart.ts";

/** The ledger accounts of a wallet, in the order of lines that have the same time. */
export const BALANCES = ["available", "held", "promotional"] as const;
type Balance = (typeof BALANCES)[number];

const ledgerLines = view({
  name: "ledger_lines",
  columns: {
    no: int,
    seq: bigint,
    kind: textOf<TransferKind>(),
    sourceId: uuid,
    leg: int,
    /** Signed: negative lowers the balance. */
    amount: bigint,
    balanceAfter: bigint,
    occurredAt: instant,
    bookedAt: instant,
  },
});
const SHOWN = ["kind", "sourceId", "leg", "amount", "balanceAfter", "occurredAt", "bookedAt"] as const;
/** What a statement reads of lines `x` before it is joined with others. */
export const LINE_COLUMNS: Fragment = names(Object.keys(ledgerLines.columns), "x");

/** One line of a wallet's ledger accounts. Centavos. */
export type StatementLine = Pick<RowOf<typeof ledgerLines.columns>, (typeof SHOWN)[number]> & {
  readonly balance: Balance;
  /** Number of the line in its ledger account, gapless from 1. */
  readonly line: number;
};
/** The columns of a line `l` of a ledger account `a`. */
export const LINE: Fragment = part`a.kind as balance, l.seq as line, ${ledgerLines.select("l", SHOWN)}`;

/** Where a statement continues: below this line in each ledger account, in the order of `BALANCES`. */
export type StatementPosition = readonly [number, number, number];

export type StatementBounds = {
  /** Continue after this position; null: begin at the newest line. */
  readonly after: StatementPosition | null;
  /** Read each ledger account from this line on; null: from the first. */
  readonly above?: StatementPosition | null;
  readonly limit: number;
  /** Use a prepared statement, whose plan is reused. Only for reads without lower bounds and without kinds. */
  readonly reusesPlan?: boolean;
  readonly kinds?: readonly TransferKind[] | null;
};

/** Further columns of each line (`l`) of a ledger account (`a`), read by the same statement. */
type Beside = { readonly columns: Fragment; readonly joins: Fragment };

/**
 * `top`: the number that the next line of the ledger account will get. `line`: null for a ledger account without a line to
 * show. `low`: the first line that was searched for kinds, `lowAt` its time; null where all lines were searched.
 */
type Row = Omit<StatementLine, "line"> & {
  readonly top: number;
  readonly line: number | null;
  readonly low: number | null;
  readonly lowAt: Date | null;
};

/**
 * Lines of each ledger account that a page of some kinds searches, 20 ms. A wallet of any length may have no line of
 * them.
 */
export const SEARCHED = 20_000;

/**
 * Reads lines of a wallet, newest first. Within a ledger account they follow its own numbers strictly, so that balances
 * follow each other; the ledger accounts are merged by time of booking. The first page fixes where each account begins, and
 * lines booked later are above it: the pages together show every line that was there exactly once. One statement for a
 * page, one index read for each account.
 *
 * A page of some kinds searches a bounded number of lines: it may have fewer than `limit` lines, or none, and still a next
 * page.
 *
 * @param beside what else is read of each line, as `Extra`.
 * @param searched for tests: lines to search.
 */
export async function readStatement<Extra extends object>(
  queries: Queries,
  wallet: { readonly accountId: string; readonly walletId: string },
  { after, above = null, limit, reusesPlan = false, kinds = null }: StatementBounds,
  beside: Beside,
  searched = SEARCHED,
): Promise<{ lines: (StatementLine & Extra)[]; next: StatementPosition | null }> {
  const statement = sql`
    select ${LINE}, a.seq + 1 as top, ${beside.columns},
      ${kinds === null ? part`null as low, null as "lowAt"` : part`s.seq as low, s.booked_at as "lowAt"`}
    from ledger_accounts a
    join unnest(${texts(BALANCES)}::text[], ${bigints(after ?? [null, null, null])}::bigint[],
      ${bigints(above ?? [1, 1, 1])}::bigint[]) as p (kind, below, above) on p.kind = a.kind
    ${kinds === null ? part`` : startOfSearch(wallet.accountId, searched)}
    left join lateral (
      select ${LINE_COLUMNS} from ledger_lines x
      where x.account_id = ${wallet.accountId} and x.no = a.no and x.seq < coalesce(p.below, a.seq + 1)
        and x.seq >= p.above ${kinds === null ? part`` : part`and x.seq >= coalesce(s.seq, p.above) and x.kind = any(${texts(kinds)}::text[])`}
      order by x.seq desc limit ${literal(limit + 1)}
    ) l on true
    ${beside.joins}
    where a.account_id = ${wallet.accountId} and a.owner_id = ${wallet.walletId}
      and a.kind in ('available', 'held', 'promotional')`;
  const { rows } = await queries.query<Row & Extra>(reusesPlan ? prepared(statement) : statement);
  const below = BALANCES.map((balance, i) => after?.[i] ?? rows.find((row) => row.balance === balance)?.top ?? 1);
  const queues = BALANCES.map((balance) => rows.filter((row) => row.balance === balance && row.line !== null));
  for (const queue of queues) queue.sort((a, b) => b.line! - a.line!);

  const lines: (StatementLine & Extra)[] = [];
  const isFull = queues.map((queue) => queue.length > limit);
  const horizons = BALANCES.map((balance, i) => {
    const row = isFull[i] ? undefined : rows.find((ledgerRow) => ledgerRow.balance === balance);
    return row?.low == null ? null : { line: row.low, at: row.lowAt! };
  });
  while (lines.length < limit) {
    let newest = -1;
    for (const [i, queue] of queues.entries()) {
      const head = queue[0];
      if (head && (newest === -1 || head.bookedAt > queues[newest]![0]!.bookedAt)) newest = i;
    }
    if (newest === -1 || isBehind(queues[newest]![0]!.bookedAt, newest, horizons)) break;
    const row = queues[newest]!.shift()!;
    below[newest] = row.line!;
    lines.push(row as Row & Extra & { readonly line: number });
  }
  // Some searches stopped early: take the one that stopped at the latest time. Lines before that time may be missing in
  // its balance, so the page ends there, and the next page continues that balance below the stop.
  const latest = latestOf(horizons);
  if (latest !== -1 && queues[latest]!.length === 0) below[latest] = horizons[latest]!.line;
  const more = latest !== -1 || queues.some((queue) => queue.length > 0);
  return { lines, next: more ? (below as unknown as StatementPosition) : null };
}

/** Where the search of each ledger account stopped, with the time of that line; null: it read all lines. */
type Horizons = readonly ({ readonly line: number; readonly at: Date } | null)[];

/**
 * Whether a line of this time and balance cannot be shown yet: a search has stopped before it, and may have left out a
 * newer line.
 */
const isBehind = (at: Date, balance: number, horizons: Horizons): boolean =>
  horizons.some((end, i) => end !== null && i !== balance && (at < end.at || (+at === +end.at && balance > i)));

const latestOf = (horizons: Horizons): number =>
  horizons.reduce((best, end, i) => {
    if (end === null) return best;
    return best === -1 || end.at > horizons[best]!.at ? i : best;
  }, -1);

/** The line (`s`) at which the search of a ledger account (`a`) stops, unless that is its first line. */
const startOfSearch = (accountId: string, searched: number): Fragment => part`left join lateral (
      select x.seq, x.booked_at from ledger_lines x
      where x.account_id = ${accountId} and x.no = a.no and x.seq = coalesce(p.below, a.seq + 1) - ${searched}::bigint and x.seq > p.above
    ) s on true`;
