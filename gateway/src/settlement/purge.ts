import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";

/** Rows forgotten in one go. */
const BATCH = 1_000;

/**
 * Forgets answers that were kept their 24 hours. A key that is bound to an unfinished intent stays until that is final
 * (contract: Idempotency-Key).
 *
 * @returns true when there may be more.
 */
export async function purgeKeys(ctx: Context): Promise<boolean> {
  const { rowCount } = await ctx.db.query(sql`
    delete from idempotency_keys k using (
      select account_id, wallet_id, route, key from idempotency_keys i
      where expires_at <= ${ctx.clock.date()} and not exists (
        select from charges c where c.account_id = i.account_id and c.charge_id = i.object_id and c.status = 'creating')
        and not exists (
          select from withdrawals w where w.account_id = i.account_id and w.withdrawal_id = i.object_id
            and w.transaction_status = 'pending')
      order by expires_at limit ${BATCH}
    ) old
    where k.account_id = old.account_id and k.wallet_id = old.wallet_id and k.route = old.route and k.key = old.key`);
  return rowCount === BATCH;
}
