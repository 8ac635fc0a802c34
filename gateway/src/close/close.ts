import type { Context } from "../context.ts";
import type { Queries, Tx } from "../db/pool.ts";
import type { Shards } from "../db/shards.ts";
import { sql } from "../db/sql.ts";
import { dayOf, daysAfter, dayWindow } from "../lib/days.ts";
import { bookDay } from "./book-day.ts";
import { closeInstitutions } from "./institutions.ts";

/**
 * A day is closed this long after its end, milliseconds: an hour after its reconciliation, which books what no notification
 * reported.
 */
const CLOSE_AFTER = 4 * 3_600_000;
/** How long a close waits for assignments under way: each is two commits, a few milliseconds apart. */
const ASSIGNING = 3_600_000;
/** On a cluster nothing may have been assigned for this long before a close, because clocks differ. Milliseconds. */
const SNAPSHOTS = 60_000;
/** Two processes never close at once. */
const LOCK = 7_318_204;

/** The last closed day (of São Paulo), whose figures never change any more; null where none is. */
export async function lastClosed(queries: Queries): Promise<string | null> {
  const { rows } = await queries.query<{ day: string | null }>(sql`
    select to_char(max(day), 'YYYY-MM-DD') as day from day_closes`);
  return rows[0]?.day ?? null;
}

/**
 * Closes the next day, four hours after its end: in one transaction on one snapshot, so that a crash closes nothing.
 *
 * @returns true when a day was closed, and there may be more.
 */
export async function closeDue(ctx: Context, houseId: string): Promise<boolean> {
  // Uses the earlier of this process's clock and the database's: a close is final, and a clock that is ahead would close
  // days that have not ended.
  await ctx.clockCheck.compare();
  const now = new Date(ctx.clock.now() - Math.max(0, ctx.clockCheck.offset));
  const { shards } = ctx.db;
  const day = await ctx.db.transaction(
    async (tx) => {
      await tx.query({ text: "set transaction isolation level repeatable read", values: [] });
      // One connection to each server, which takes its snapshot at its first statement.
      if (shards.spread) await tx.query(sql`set local citus.max_adaptive_executor_pool_size = 1`);
      const { rows } = await tx.query<{ free: boolean }>(sql`select pg_try_advisory_xact_lock(${LOCK}) as free`);
      if (!rows[0]!.free) return null;
      const last = await lastClosed(tx);
      // The snapshot is older than the lock: another process may have closed a day and released the lock in between.
      if ((await lastClosed(ctx.db)) !== last) return null;
      const next = await dayAfter(tx, last, houseId);
      const due = dayWindow(next)!.to.getTime() + CLOSE_AFTER;
      if (now.getTime() < due) return null;
      if (now.getTime() < due + ASSIGNING) {
        if (await isAssigning(tx, null)) return null;
        // The servers of a cluster take their snapshots one after another, so nothing may have been assigned meanwhile.
        if (shards.spread && (await isAssigning(ctx.db, new Date(now.getTime() - SNAPSHOTS)))) return null;
      }
      await closeDay(shards, tx, next, now);
      return next;
    },
    { unhurried: true },
  );
  if (day === null) return false;
  ctx.log.info({ day }, "a day was closed");
  return true;
}

async function dayAfter(tx: Tx, last: string | null, houseId: string): Promise<string> {
  if (last !== null) return daysAfter(last, 1);
  const { rows } = await tx.query<{ created_at: Date }>(sql`
    select created_at from accounts where account_id = ${houseId}`);
  return dayOf(rows[0]!.created_at);
}

/**
 * Whether a receipt is on its way from the house account's books to an account's, or has been since a moment: for a while
 * it is in neither.
 */
async function isAssigning(queries: Queries, since: Date | null): Promise<boolean> {
  const { rows } = await queries.query(sql`
    select from pix_assignments where status = 'assigning' or updated_at >= ${since} limit 1`);
  return rows.length > 0;
}

async function closeDay(shards: Shards, tx: Tx, day: string, now: Date): Promise<void> {
  await bookDay(shards, tx, day);
  await closeInstitutions(tx, day);
  await tx.query(sql`
    insert into day_closes (day, closed_at, positions)
    select ${day}::date, ${now}, coalesce(jsonb_object_agg(kind, balance order by kind), '{}') from (
      select coalesce(m.kind, p.kind) as kind, coalesce(p.balance, 0) + coalesce(m.amount, 0) as balance
      from (
        select a.kind, sum(c.amount_in - c.amount_out)::bigint as amount
        from close_movements c join ledger_accounts a on a.account_id = c.account_id and a.no = c.no
        where c.day = ${day} group by a.kind
      ) m full join (
        select key as kind, value::bigint as balance
        from jsonb_each_text(coalesce((select positions from day_closes order by day desc limit 1), '{}'))
      ) p on p.kind = m.kind
    ) s`);
}
