import { type AuditRow, auditTable } from "../audit-log/write.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ApiError, notFound } from "../http/errors.ts";
import { refuseCreator } from "../http/owners.ts";
import { type Books, insert, type Write } from "../ledger/books.ts";
import type { CommandKind, Deciding } from "../ledger/lane.ts";
import { LIMITS } from "../lib/limits.ts";
import { wantEnding, wantHold } from "./ending.ts";
import { fail } from "./fail.ts";
import { type WithdrawalRow, withdrawalsTable, withdrawalWrite } from "./withdrawal.ts";

type Approval = {
  readonly accountId: string;
  readonly withdrawalId: string;
  /** The wallet of the merchant's call; null: an operator decides. */
  readonly walletId: string | null;
  /** The persons behind the deciding credential, token or session. None of them may be behind the request. */
  readonly deciders: readonly string[];
  /** Name of the operator, for the audit log; left out: the account itself decides. */
  readonly operator?: string;
};
type Rejection = Approval & {
  readonly environment: "production" | "sandbox";
  readonly reason: string;
  /** Nobody decided in time; left out: somebody rejected it. */
  readonly code?: "approval_expired";
};

/** The withdrawal to be decided, or why it cannot be. */
function findAwaiting(command: Approval, books: Books): WithdrawalRow | ApiError {
  const { accountId, withdrawalId, walletId, deciders } = command;
  const row = books.find(withdrawalsTable, { accountId, id: withdrawalId });
  if (!row || (walletId !== null && row.walletId !== walletId)) return notFound("withdrawal", withdrawalId);
  if (row.status !== "pending" || !row.awaitingApproval) {
    return new ApiError("WITHDRAWAL_NOT_AWAITING_APPROVAL", undefined, { status: row.status });
  }
  return refuseCreator(row.createdByOwners ?? [], deciders) ?? row;
}

/** The audit log's entry of an operator's decision. A decision by a person of the account is recorded with the call. */
function auditDecision(
  command: Approval,
  action: AuditRow["action"],
  status: string,
  { now, newId }: Deciding,
): Write[] {
  const { accountId, withdrawalId: objectId, operator } = command;
  if (operator === undefined) return [];
  const change = { before: { status: "pending" }, after: { status }, createdAt: now };
  return [insert(auditTable, { accountId, auditId: newId(), actor: operator, action, objectId, ...change })];
}

/** Lets a withdrawal leave: at once, or when the waiting time of its key is over. @returns null, or the refusal. */
export const approveWithdrawal: CommandKind<Approval, ApiError | null> = {
  name: "approve withdrawal",
  wants: ({ accountId, withdrawalId }, want) => want.row(withdrawalsTable, { accountId, id: withdrawalId }),
  decide(command, books, deciding) {
    const { now } = deciding;
    const row = findAwaiting(command, books);
    if (row instanceof ApiError) return { result: row };
    const nextAt = row.holdUntil !== null && row.holdUntil > now ? row.holdUntil : now;
    return {
      result: null,
      writes: [
        withdrawalWrite(row, "approval", { awaitingApproval: false, approvedAt: now, nextAt, updatedAt: now }),
        ...auditDecision(command, "withdrawal.approve", "pending", deciding),
      ],
    };
  },
};

/** Rejects a withdrawal that awaits approval: its money is available again. @returns null, or the refusal. */
export const rejectWithdrawal: CommandKind<Rejection, ApiError | null> = {
  name: "reject withdrawal",
  wants: wantEnding,
  follows: wantHold,
  decide(command, books, deciding) {
    const row = findAwaiting(command, books);
    if (row instanceof ApiError) return { result: row };
    const { transfers = [], writes = [] } = fail(
      command,
      row,
      command.code ?? "rejected",
      command.reason,
      books,
      deciding,
      true,
    );
    return {
      result: null,
      transfers,
      writes: [...writes, ...auditDecision(command, "withdrawal.reject", "failed", deciding)],
    };
  },
};

/** Approves a withdrawal and wakes the loop that sends it. Throws `ApiError` where that is refused. */
export async function approve(ctx: Context, approval: Approval): Promise<void> {
  const refused = await ctx.lanes.run(approveWithdrawal, approval);
  if (refused) throw refused;
  ctx.hints.wake("withdrawals");
}

/** Rejects a withdrawal. Throws `ApiError` where that is refused. */
export async function reject(
  ctx: Context,
  rejection: Approval & { institutionId: string; reason: string },
): Promise<void> {
  const { institutionId, ...command } = rejection;
  const environment = (await ctx.psps.find(institutionId))?.environment ?? ctx.config.environment;
  const refused = await ctx.lanes.run(rejectWithdrawal, { ...command, environment });
  if (refused) throw refused;
  ctx.hints.wake("deliver");
}

/** Most withdrawals that one pass ends. */
const BATCH = 100;

/** Ends withdrawals that have waited too long for their approval. A loop's batch: true when there may be more. */
export async function expireApprovals(ctx: Context): Promise<boolean> {
  const since = new Date(ctx.clock.now() - LIMITS.approvalWait);
  const { rows } = await ctx.db.query<{ account_id: string; withdrawal_id: string; institution_id: string }>(sql`
    select account_id, withdrawal_id, institution_id from withdrawals
    where transaction_status = 'pending' and awaiting_approval and created_at < ${since} limit ${BATCH}`);
  for (const { account_id: accountId, withdrawal_id: withdrawalId, institution_id: institutionId } of rows) {
    const environment = (await ctx.psps.find(institutionId))?.environment ?? ctx.config.environment;
    const nobody = { walletId: null, deciders: [], reason: "", code: "approval_expired" } as const;
    // A withdrawal that was decided meanwhile stays as it is.
    await ctx.lanes.run(rejectWithdrawal, { accountId, withdrawalId, environment, ...nobody });
  }
  if (rows.length > 0) ctx.hints.wake("deliver");
  return rows.length === BATCH;
}
