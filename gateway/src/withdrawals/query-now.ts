import { audit } from "../audit-log/write.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";

/** A row that a process holds is due again within this time, milliseconds (`CLAIM` of send.ts). */
const CLAIMED = 60_000;

/**
 * Makes a withdrawal due now: its institution is queried if a request may have left, and otherwise the request is sent. The
 * audit log records who asked for it. A withdrawal that is due within a minute stays as it is, because a process may hold
 * it. One that waits for an approval, a time or a limit keeps waiting.
 *
 * @returns whether its due time was moved.
 */
export async function queryNow(
  ctx: Context & { readonly operator: { readonly name: string } },
  { accountId, withdrawalId }: { readonly accountId: string; readonly withdrawalId: string },
): Promise<boolean> {
  const now = ctx.clock.date();
  const moved = await ctx.db.transaction(async (tx) => {
    const { rowCount } = await tx.query(sql`
      update withdrawals set next_at = ${now}
      where account_id = ${accountId} and withdrawal_id = ${withdrawalId}
        and (may_have_left or (attempts > 0 and coalesce(greatest(hold_until, limited_until) <= ${now}, true)))
        and next_at > ${new Date(now.getTime() + CLAIMED)}`);
    await audit(ctx, tx, accountId, "withdrawal.query", withdrawalId, null, { moved: rowCount === 1 });
    return rowCount === 1;
  });
  ctx.hints.wake("withdrawals");
  return moved;
}
