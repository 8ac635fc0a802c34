import { instants } from "../db/arrays.ts";
import type { Queries } from "../db/pool.ts";
import { Fragment, part, sql } from "../db/sql.ts";
import { BALANCES, type StatementPosition } from "./statement.ts";

/**
 * The lines of a wallet in a period: in each balance those from number `from` to before number `to`, and the wallet's total
 * before and after them. Centavos.
 */
export type Window = {
  readonly from: StatementPosition;
  readonly to: StatementPosition;
  readonly openingBalance: number;
  readonly closingBalance: number;
};

/**
 * The lines of one balance of a wallet in a period: those from number `from` to before number `to`, and the balance before
 * and after them. Centavos.
 */
type Bounds = {
  /** Number of the ledger account. */
  readonly no: number;
  readonly balance: (typeof BALANCES)[number];
  readonly walletId: string;
  readonly from: number;
  readonly to: number;
  readonly opening: number;
  readonly closing: number;
};

/**
 * Finds the lines that were booked from one time to before another, in each balance of a wallet or of all. Within a balance
 * the times of booking rise with the numbers, so a binary search by number finds the first line of a period: 20 steps for a
 * million lines, and no index by time.
 */
export async function findBounds(
  queries: Queries,
  { accountId, walletId }: { readonly accountId: string; readonly walletId: string | null },
  from: Date | null,
  to: Date | null,
): Promise<Bounds[]> {
  type Row = Omit<Bounds, "from" | "to" | "opening" | "closing"> & { side: "from" | "to"; line: number; total: number };
  const { rows } = await queries.query<Row>(sql`
    with recursive search as (
      select a.no, a.kind, a.owner_id, s.side, s.at, case when s.at = 'infinity' then a.seq else 0 end as low,
        case when s.at = '-infinity' then 1 else a.seq + 1 end as high
      from ledger_accounts a
      cross join (values ('from', ${from ?? "-infinity"}::timestamptz), ('to', ${to ?? "infinity"}::timestamptz)) as s (side, at)
      where a.account_id = ${accountId} and ${ofWallets("a.owner_id", walletId)}
        and a.kind in ('available', 'held', 'promotional')
      union all
      select s.no, s.kind, s.owner_id, s.side, s.at, ${halve(accountId)}
    )
    select s.no, s.kind as balance, s.owner_id as "walletId", s.side, s.high as line, coalesce((
      select x.balance_after from ledger_lines x
      where x.account_id = ${accountId} and x.no = s.no and x.seq = s.high - 1), 0) as total
    from search s where s.high - s.low = 1`);
  const ends = new Map(rows.filter(({ side }) => side === "to").map((row) => [row.no, row]));
  return rows
    .filter(({ side }) => side === "from")
    .map(({ no, balance, walletId: owner, line, total }) => {
      const end = ends.get(no)!;
      return { no, balance, walletId: owner, from: line, to: end.line, opening: total, closing: end.total };
    });
}

/** A ledger account of a wallet, and for each of some times its first line booked then or later. */
export async function findLinesAt(
  queries: Queries,
  { accountId, walletId }: { readonly accountId: string; readonly walletId: string },
  balance: (typeof BALANCES)[number],
  times: readonly Date[],
): Promise<{ readonly no: number; readonly lines: readonly number[] } | null> {
  const { rows } = await queries.query<{ no: number; line: number }>(sql`
    with recursive search as (
      select a.no, t.n, t.at, 0::bigint as low, a.seq + 1 as high
      from ledger_accounts a cross join unnest(${instants(times)}::timestamptz[]) with ordinality as t (at, n)
      where a.account_id = ${accountId} and a.owner_id = ${walletId} and a.kind = ${balance}
      union all
      select s.no, s.n, s.at, ${halve(accountId)}
    )
    select no, high as line from search where high - low = 1 order by n`);
  return rows[0] === undefined ? null : { no: rows[0].no, lines: rows.map(({ line }) => line) };
}

/** A step of a search by number: reads the line in the middle, and keeps the half that has the first line at or after `at`. */
const halve = (accountId: string): Fragment => part`case when l.booked_at < s.at then l.seq else s.low end,
        case when l.booked_at < s.at then s.high else l.seq end
      from search s
      cross join lateral (
        select x.seq, x.booked_at from ledger_lines x
        where x.account_id = ${accountId} and x.no = s.no and x.seq = (s.low + s.high) / 2) l
      where s.high - s.low > 1`;

/** Null: any wallet. */
const ofWallets = (column: string, walletId: string | null): Fragment =>
  walletId === null ? new Fragment(["true"], []) : part`${new Fragment([column], [])} = ${walletId}`;

const sum = (bounds: readonly Bounds[], field: "opening" | "closing"): number =>
  bounds.reduce((total, bound) => total + bound[field], 0);

/** The wallets' total before and after the period. Centavos. */
export const totalsOf = (bounds: readonly Bounds[]): Pick<Window, "openingBalance" | "closingBalance"> => ({
  openingBalance: sum(bounds, "opening"),
  closingBalance: sum(bounds, "closing"),
});

/** Finds the lines of a wallet in a period. */
export async function findWindow(
  queries: Queries,
  wallet: { readonly accountId: string; readonly walletId: string },
  from: Date | null,
  to: Date | null,
): Promise<Window> {
  const bounds = await findBounds(queries, wallet, from, to);
  const lines = (side: "from" | "to") =>
    BALANCES.map(
      (balance) => bounds.find((bound) => bound.balance === balance)?.[side] ?? 1,
    ) as unknown as StatementPosition;
  return { from: lines("from"), to: lines("to"), ...totalsOf(bounds) };
}
