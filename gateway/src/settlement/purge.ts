import type { Context } from "../context.ts";
import { part } from "../db/sql.ts";
import { deleteExpired } from "../http/idempotency.ts";

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
