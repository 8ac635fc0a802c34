import type { Context } from "../context.ts";
import { part, type Sql, sql } from "../db/sql.ts";
import { deleteExpired } from "../http/idempotency.ts";
import { firstUuidAt } from "../lib/ids.ts";

/** Rows deleted in one statement. */
const BATCH = 1_000;

/**
 * Deletes answers that were kept their 24 hours. A key that is bound to an unfinished intent stays until that is final
 * (contract: Idempotency-Key).
 *
 * @returns true when there may be more.
 */
export async function purgeKeys(ctx: Context): Promise<boolean> {
  const isFinished = part`
    not exists (
      select from charges c where c.account_id = k.account_id and c.charge_id = k.object_id and c.status = 'creating')
    and not exists (
      select from withdrawals w where w.account_id = k.account_id and w.withdrawal_id = k.object_id
        and w.transaction_status = 'pending')`;
  return (await deleteExpired(ctx.db, ctx.clock.date(), BATCH, isFinished)) === BATCH;
}

/**
 * Deletes what was kept for its days (`PIXGATE_KEEP_…`): rows of the inbox, attempts of deliveries, balance checks, a batch
 * of each. What the books are made of is never deleted. Keys begin with the time, so old rows are found without another
 * index. A notification that still waits after its days is one that nobody can confirm.
 *
 * @returns true when there may be more.
 */
export async function purgeOld(ctx: Context, houseId: string): Promise<boolean> {
  const { inboxDays, attemptDays, balanceCheckDays } = ctx.config.keep;
  const before = (days: number) => new Date(ctx.clock.now() - days * 86_400_000);
  const [inbox, attempts, checks] = [before(inboxDays), before(attemptDays), before(balanceCheckDays)];
  const statements: Sql[] = [
    sql`
      delete from inbox where account_id = ${houseId} and inbox_id in (
        select inbox_id from inbox where account_id = ${houseId} and inbox_id < ${firstUuidAt(inbox.getTime())}
        order by inbox_id limit ${BATCH} for update skip locked)`,
    sql`
      delete from delivery_attempts d using (
        select old.* from accounts a cross join lateral (
          select o.account_id, o.delivery_id, o.attempt from delivery_attempts o
          where o.account_id = a.account_id and o.delivery_id < ${firstUuidAt(attempts.getTime())}
            and o.started_at < ${attempts}
          order by o.delivery_id limit ${BATCH}) old
        limit ${BATCH}) old
      where d.account_id = old.account_id and d.delivery_id = old.delivery_id and d.attempt = old.attempt`,
    sql`
      delete from balance_checks where (institution_id, sampled_at) in (
        select institution_id, sampled_at from balance_checks where sampled_at < ${checks} limit ${BATCH})`,
  ];
  let more = false;
  for (const statement of statements) more = (await ctx.db.query(statement)).rowCount === BATCH || more;
  return more;
}
