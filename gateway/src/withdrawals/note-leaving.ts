import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import type { WithdrawalRow } from "./withdrawal.ts";

/** A claimed withdrawal. */
type Due = Pick<WithdrawalRow, "accountId" | "withdrawalId" | "attempts">;

/**
 * Forgets, before a request may leave, that a search did not find the payout (`absent_at`): if this process dies now, the next
 * one must search as after the first request. Counts a request that prepares the payout (1), or takes that back (-1). False
 * where another process has claimed it: then nothing is sent.
 */
export async function noteLeaving(
  { db }: Context,
  { accountId, withdrawalId, attempts }: Due,
  prepares = 0,
): Promise<boolean> {
  const { rowCount } = await db.query(sql`
    update withdrawals set absent_at = null, preparations = preparations + ${prepares}
    where account_id = ${accountId} and withdrawal_id = ${withdrawalId} and attempts = ${attempts}`);
  return rowCount === 1;
}

/** Stores when its request left. From now on it is queried, and not admitted to another hour. */
export const noteLeft = (
  { db, clock }: Context,
  { accountId, withdrawalId }: Omit<Due, "attempts">,
): Promise<unknown> =>
  db.query(sql`
    update withdrawals set left_at = ${clock.date()}
    where account_id = ${accountId} and withdrawal_id = ${withdrawalId} and left_at is null`);
