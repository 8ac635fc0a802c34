import { pick, type RowOf, relation, uuid } from "../db/columns.ts";
import type { Queries } from "../db/pool.ts";
import { byShard, type Shards } from "../db/shards.ts";
import { onTenants, sql } from "../db/sql.ts";
import { daysBefore, dayWindow } from "../lib/days.ts";
import { ledgerCloses, MOVEMENT, type Movement } from "./tables.ts";

/** Accounts whose lines are added up by one statement. */
const PAGE = 200;

const CLOSE = pick(ledgerCloses.columns, ["accountId", "no", "opening", "closing", "throughSeq", "openSeq"]);
const MOVED = { ...pick(ledgerCloses.columns, ["accountId", "no"]), ...MOVEMENT };
type Closed = RowOf<typeof CLOSE> & { readonly movements: readonly Movement[] };
type OfAccount = { readonly accountId: string };

/**
 * Adds up the lines of every ledger account for a day, and stores where the next close continues.
 *
 * A line counts for the day on which it occurred at the institution, if that day was not closed when the line was booked.
 * Otherwise it is late, and counts for the day on which it was booked. The numbers of lines (`through_seq`), not clocks,
 * decide which lines a close has seen: the numbers of a ledger account have no gaps, so each line counts for exactly one
 * day. `open_seq` is the first line that is left to a later day.
 *
 * Reads only lines since the last close, by the unique indexes of both sides of a transfer.
 */
export async function bookDay(shards: Shards, queries: Queries, day: string): Promise<void> {
  for (let after: string | null = null; ; ) {
    const { rows: page }: { rows: OfAccount[] } = await queries.query<OfAccount>(sql`
      select account_id as "accountId" from accounts where ${after}::uuid is null or account_id > ${after} order by account_id limit ${PAGE}`);
    after = page.at(-1)?.accountId ?? null;
    if (after === null) return;
    for (const accounts of byShard(shards, page, ({ accountId }) => accountId)) {
      await store(queries, day, await addUp(queries, day, accounts));
    }
  }
}

/** The day's sums in each ledger account with lines to count. These accounts lie in one shard. */
async function addUp(queries: Queries, day: string, accounts: readonly OfAccount[]): Promise<Closed[]> {
  const { from, to } = dayWindow(day)!;
  const before = dayWindow(daysBefore(day, 1))!.from;
  const { rows } = await queries.query<Closed>(sql`
    with open as (
      select l.account_id, l.no, l.seq, coalesce(p.closing, 0) as opening, coalesce(p.through_seq, 0) as seen,
        coalesce(p.open_seq, 1) as open_seq
      from ${relation("u", { accountId: uuid }, accounts)}
      join ledger_accounts l on l.account_id = u.account_id and ${onTenants("l.account_id", accounts)}
      left join lateral (
        select closing, through_seq, open_seq from ledger_closes c
        where c.account_id = l.account_id and c.no = l.no and ${onTenants("c.account_id", accounts)} order by c.day desc limit 1
      ) p on true
      where l.seq >= coalesce(p.open_seq, 1)
    ), lines as (
      select o.account_id, o.no, x.seq, x.kind, x.amount, x.occurred_at < ${from} as late,
        x.occurred_at >= ${to} or (x.occurred_at < ${from} and x.booked_at >= ${to}) as deferred
      from open o join ledger_lines x on x.account_id = o.account_id and x.no = o.no and ${onTenants("x.account_id", accounts)}
        and x.seq >= o.open_seq and x.seq <= o.seq
      where x.seq > o.seen or x.occurred_at >= ${from} or (x.occurred_at < ${before} and x.booked_at >= ${from}
        -- A close that ran days late has counted the line for the line's own day.
        and x.seq > coalesce((
          select c.through_seq from ledger_closes c
          where c.account_id = o.account_id and c.no = o.no and ${onTenants("c.account_id", accounts)}
            and c.day <= (x.occurred_at at time zone 'America/Sao_Paulo')::date order by c.day desc limit 1), 0))
    )
    select o.account_id as "accountId", o.no, o.opening, (o.opening + coalesce(s.amount, 0))::bigint as closing,
      o.seq as "throughSeq", coalesce(s.open_seq, o.seq + 1) as "openSeq", coalesce(m.movements, '[]') as movements
    from open o left join (
      select account_id, no, sum(amount) filter (where not deferred) as amount, min(seq) filter (where deferred) as open_seq
      from lines group by account_id, no
    ) s on s.account_id = o.account_id and s.no = o.no
    left join (
      select account_id, no, jsonb_agg(jsonb_build_object('kind', kind, 'late', late, 'countIn', count_in,
        'amountIn', amount_in, 'countOut', count_out, 'amountOut', amount_out)) as movements
      from (
        select account_id, no, kind, late, count(*) filter (where amount > 0) as count_in,
          coalesce(sum(amount) filter (where amount > 0), 0) as amount_in, count(*) filter (where amount < 0) as count_out,
          coalesce(-sum(amount) filter (where amount < 0), 0) as amount_out
        from lines where not deferred group by account_id, no, kind, late
      ) moved group by account_id, no
    ) m on m.account_id = o.account_id and m.no = o.no`);
  return rows;
}

async function store(queries: Queries, day: string, closed: readonly Closed[]): Promise<void> {
  if (closed.length === 0) return;
  await queries.query(sql`
    insert into ledger_closes (account_id, no, day, opening, closing, through_seq, open_seq)
    select account_id, no, ${day}::date, opening, closing, through_seq, open_seq from ${relation("u", CLOSE, closed)}`);
  const movements = closed.flatMap(({ accountId, no, movements }) =>
    movements.map((movement) => ({ accountId, no, ...movement })),
  );
  if (movements.length === 0) return;
  await queries.query(sql`
    insert into close_movements (account_id, no, day, kind, late, count_in, amount_in, count_out, amount_out)
    select account_id, no, ${day}::date, kind, late, count_in, amount_in, count_out, amount_out
    from ${relation("u", MOVED, movements)}`);
}
