import { type AuditRow, auditTable } from "../audit-log/write.ts";
import type { Context } from "../context.ts";
import { ApiError, notFound } from "../http/errors.ts";
import { insert } from "../ledger/books.ts";
import type { CommandKind } from "../ledger/lane.ts";
import { wantEnding, wantHold } from "./ending.ts";
import { fail } from "./fail.ts";
import { isOpen, withdrawalsTable } from "./withdrawal.ts";

type CancelWithdrawal = {
  readonly accountId: string;
  readonly withdrawalId: string;
  readonly environment: "production" | "sandbox";
  /** The wallet of the merchant's call; null: an operator cancels. */
  readonly walletId: string | null;
  /** Name of the operator; null: the merchant cancels. */
  readonly operator: string | null;
};

/**
 * Cancels a withdrawal of which no request has left: its money is available again. The claim that sends it and this command
 * lock the same row: the first one decides, and the other finds nothing to do.
 *
 * @returns null, or why it was refused.
 */
export const cancelWithdrawal: CommandKind<CancelWithdrawal, ApiError | null> = {
  name: "cancel withdrawal",
  wants: wantEnding,
  follows: wantHold,
  decide({ accountId, withdrawalId, environment, walletId, operator }, books, deciding) {
    const row = books.find(withdrawalsTable, { accountId, id: withdrawalId });
    if (!row || (walletId !== null && row.walletId !== walletId))
      return { result: notFound("withdrawal", withdrawalId) };
    if (row.failureCode === "cancelled") return { result: null };
    if (!isOpen(row.status) || row.mayHaveLeft) {
      return { result: new ApiError("WITHDRAWAL_NOT_CANCELLABLE", undefined, { status: row.status }) };
    }
    const failed = fail({ environment }, row, "cancelled", "", books, deciding, true);
    const log: AuditRow | false = operator !== null && {
      ...{ accountId, auditId: deciding.newId(), actor: operator, action: "withdrawal.cancel", objectId: withdrawalId },
      ...{ before: { status: row.status }, after: { status: "failed" }, createdAt: deciding.now },
    };
    return {
      result: null,
      transfers: failed.transfers ?? [],
      writes: [...(failed.writes ?? []), ...(log ? [insert(auditTable, log)] : [])],
    };
  },
};

/** Runs the command and wakes the loops that wait for its end. Throws `ApiError` where it is refused. */
export async function cancel(
  ctx: Context,
  cancellation: Omit<CancelWithdrawal, "environment"> & { institutionId: string },
) {
  const { institutionId, ...command } = cancellation;
  const environment = (await ctx.psps.find(institutionId))?.environment ?? ctx.config.environment;
  const refused = await ctx.lanes.run(cancelWithdrawal, { ...command, environment });
  if (refused) throw refused;
  ctx.hints.wake("deliver");
}
