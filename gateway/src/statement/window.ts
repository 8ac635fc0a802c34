import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { BALANCES, type StatementPosition } from "../ledger/statement.ts";

/** The lines of a time, in each balance from one number to before another, and the wallet's total before and after. Centavos. */
export type Window = {
  readonly from: StatementPosition;
  readonly to: StatementPosition;
  readonly openingBalance: number;
  readonly closingBalance: number;
};

/**
 * Finds the lines that were booked from one time to before another. The lines of a balance are booked in the order of their
 * numbers, so a binary search by number finds the first of a time: 20 steps for a million lines, and no index by time.
 */
export async function findWindow(
  queries: Queries,
  { accountId, walletId }: { readonly accountId: string; readonly walletId: string },
  from: Date | null,
  to: Date | null,
): Promise<Window> {
  const { rows } = await queries.query<{ balance: string; side: "from" | "to"; line: number; total: number }>(sql`
    with recursive search as (
      select a.no, a.kind, s.side, s.at, 0::bigint as low, a.seq + 1 as high
      from ledger_accounts a
      cross join (values ('from', ${from ?? "-infinity"}::timestamptz), ('to', ${to ?? "infinity"}::timestamptz)) as s (side, at)
      where a.account_id = ${accountId} and a.owner_id = ${walletId} and a.kind in ('available', 'held', 'promotional')
      union all
      select s.no, s.kind, s.side, s.at, case when l.booked_at < s.at then l.seq else s.low end,
        case when l.booked_at < s.at then s.high else l.seq end
      from search s
      cross join lateral (
        select x.seq, x.booked_at from ledger_lines x
        where x.account_id = ${accountId} and x.no = s.no and x.seq = (s.low + s.high) / 2) l
      where s.high - s.low > 1
    )
    select s.kind as balance, s.side, s.high as line, coalesce((
      select x.balance_after from ledger_lines x
      where x.account_id = ${accountId} and x.no = s.no and x.seq = s.high - 1), 0) as total
    from search s where s.high - s.low = 1`);
  const of = (side: "from" | "to") => {
    const mine = rows.filter((row) => row.side === side);
    const lines = BALANCES.map((balance) => mine.find((row) => row.balance === balance)?.line ?? 1);
    return { lines: lines as unknown as StatementPosition, total: mine.reduce((sum, { total }) => sum + total, 0) };
  };
  const [start, end] = [of("from"), of("to")];
  return { from: start.lines, to: end.lines, openingBalance: start.total, closingBalance: end.total };
}
