import { walletsTable } from "../accounts/wallet.ts";
import { ApiError, notFound } from "../http/errors.ts";
import type { Books } from "../ledger/books.ts";
import { available, held } from "../ledger/chart.ts";
import type { CommandKind, Want } from "../ledger/lane.ts";
import { wantReceivers } from "../webhooks/events/emit.ts";
import { fail } from "./fail.ts";
import { limitsTable } from "./limits.ts";
import { type WithdrawalRow, withdrawalsTable, withdrawalWrite } from "./withdrawal.ts";

type Approval = {
  readonly accountId: string;
  readonly withdrawalId: string;
  readonly walletId: string;
  /** The credential that decides: never the one that asked for it. */
  readonly credentialId: string;
};
type Rejection = Approval & { readonly environment: "production" | "sandbox"; readonly reason: string };

/** The withdrawal that may be decided about, or why it may not. */
function awaiting(command: Approval, books: Books): WithdrawalRow | ApiError {
  const { accountId, withdrawalId, walletId, credentialId } = command;
  const row = books.find(withdrawalsTable, { accountId, id: withdrawalId });
  if (!row || row.walletId !== walletId) return notFound("withdrawal", withdrawalId);
  if (row.status !== "pending" || !row.awaitingApproval) {
    return new ApiError("WITHDRAWAL_NOT_AWAITING_APPROVAL", undefined, { status: row.status });
  }
  return row.createdBy === credentialId ? new ApiError("APPROVAL_BY_CREATOR") : row;
}

/** Lets a withdrawal leave: at once, or when the waiting time of its key is over. @returns null, or why not. */
export const approveWithdrawal: CommandKind<Approval, ApiError | null> = {
  name: "approve withdrawal",
  wants: ({ accountId, withdrawalId }, want) => want.row(withdrawalsTable, { accountId, id: withdrawalId }),
  decide(command, books, { now }) {
    const row = awaiting(command, books);
    if (row instanceof ApiError) return { result: row };
    const nextAt = row.holdUntil !== null && row.holdUntil > now ? row.holdUntil : now;
    return {
      result: null,
      writes: [withdrawalWrite(row, "approval", { awaitingApproval: false, approvedAt: now, nextAt, updatedAt: now })],
    };
  },
};

/** Ends a withdrawal that awaits approval: its money is available again. @returns null, or why not. */
export const rejectWithdrawal: CommandKind<Rejection, ApiError | null> = {
  name: "reject withdrawal",
  wants({ accountId, withdrawalId }, want) {
    want.row(withdrawalsTable, { accountId, id: withdrawalId });
    want.row(limitsTable, { accountId, id: accountId });
    wantReceivers(want, accountId);
  },
  follows: ({ accountId, withdrawalId }, books, want) => wantMoneyOf(want, books, accountId, withdrawalId),
  decide(command, books, deciding) {
    const row = awaiting(command, books);
    if (row instanceof ApiError) return { result: row };
    const { transfers = [], writes = [] } = fail(command, row, "rejected", command.reason, books, deciding, true);
    return { result: null, transfers, writes };
  },
};

/** What releasing the hold of a withdrawal needs. */
function wantMoneyOf(want: Want, books: Books, accountId: string, withdrawalId: string): void {
  const row = books.find(withdrawalsTable, { accountId, id: withdrawalId });
  if (!row) return;
  want.row(walletsTable, { accountId, id: row.walletId });
  want.ledger(accountId, available(row.walletId));
  want.ledger(accountId, held(row.walletId));
}
