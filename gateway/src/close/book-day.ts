import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { daysBefore, dayWindow } from "../lib/days.ts";

/** Accounts whose lines are added up by one statement. */
const PAGE = 200;

/**
 * Adds up the lines of every ledger account for a day, and stores where the next close goes on.
 *
 * A line counts for the day on which it occurred at the institution, where that day was not closed when the line was
 * booked. Otherwise it is late, and counts for the day on which it was booked. Which lines a close has seen is decided by
 * their numbers (`through_seq`), not by clocks: the numbers of a ledger account have no gaps, so each line counts for
 * exactly one day. `open_seq` is the first line that is left to a later day.
 *
 * Reads only lines since the last close, by the unique indexes of both sides of a transfer.
 */
export async function bookDay(queries: Queries, day: string): Promise<void> {
  const { from, to } = dayWindow(day)!;
  const before = dayWindow(daysBefore(day, 1))!.from;
  for (let after: string | null = null; ; ) {
    const { rows }: { rows: { last: string | null }[] } = await queries.query<{ last: string | null }>(sql`
      with page as (
        select account_id from accounts where ${after}::uuid is null or account_id > ${after} order by account_id limit ${PAGE}
      ), open as (
        select l.account_id, l.no, l.seq, coalesce(p.closing, 0) as opening, coalesce(p.through_seq, 0) as seen,
          coalesce(p.open_seq, 1) as open_seq
        from page join ledger_accounts l on l.account_id = page.account_id
        left join lateral (
          select closing, through_seq, open_seq from ledger_closes c
          where c.account_id = l.account_id and c.no = l.no order by c.day desc limit 1
        ) p on true
        where l.seq >= coalesce(p.open_seq, 1)
      ), lines as (
        select o.account_id, o.no, x.seq, x.kind, x.amount, x.occurred_at < ${from} as late,
          x.occurred_at >= ${to} or (x.occurred_at < ${from} and x.booked_at >= ${to}) as deferred
        from open o join ledger_lines x on x.account_id = o.account_id and x.no = o.no
          and x.seq >= o.open_seq and x.seq <= o.seq
        where x.seq > o.seen or x.occurred_at >= ${from} or (x.occurred_at < ${before} and x.booked_at >= ${from}
          -- A close that ran days late saw it on its own day.
          and x.seq > coalesce((
            select c.through_seq from ledger_closes c where c.account_id = o.account_id and c.no = o.no
              and c.day <= (x.occurred_at at time zone 'America/Sao_Paulo')::date order by c.day desc limit 1), 0))
      ), moved as (
        insert into close_movements (account_id, no, day, kind, late, count_in, amount_in, count_out, amount_out)
        select account_id, no, ${day}::date, kind, late, count(*) filter (where amount > 0),
          coalesce(sum(amount) filter (where amount > 0), 0), count(*) filter (where amount < 0),
          coalesce(-sum(amount) filter (where amount < 0), 0)
        from lines where not deferred group by account_id, no, kind, late
      ), closed as (
        insert into ledger_closes (account_id, no, day, opening, closing, through_seq, open_seq)
        select o.account_id, o.no, ${day}::date, o.opening, o.opening + coalesce(s.amount, 0), o.seq,
          coalesce(s.open_seq, o.seq + 1)
        from open o left join (
          select account_id, no, sum(amount) filter (where not deferred) as amount, min(seq) filter (where deferred) as open_seq
          from lines group by account_id, no
        ) s on s.account_id = o.account_id and s.no = o.no
      )
      select max(account_id::text) as last from page`);
    after = rows[0]?.last ?? null;
    if (after === null) return;
  }
}
