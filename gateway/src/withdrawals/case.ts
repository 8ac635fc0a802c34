import { evidence } from "../cases/case.ts";
import { closeCase, openCase } from "../cases/write.ts";
import type { Write } from "../ledger/books.ts";
import type { CommandKind, Deciding } from "../ledger/lane.ts";
import type { PspPayout } from "../psp/psp.ts";
import { followUpAt } from "./schedule.ts";
import { isOpen, type WithdrawalRow, type WithdrawalStatus, withdrawalsTable, withdrawalWrite } from "./withdrawal.ts";

/** What an institution said of a payout. */
type Said =
  | { readonly kind: "shown"; readonly payout: PspPayout }
  | { readonly kind: "refused"; readonly code: string };

const about = ({ accountId, withdrawalId, institutionId, netAmount }: WithdrawalRow) => ({
  ...{ accountId, objectId: withdrawalId, institutionId, amount: netAmount, deadline: null },
});

/** Remembers that a case is open, so that a later command closes it. */
const remember = (row: WithdrawalRow, { now }: Deciding): Write[] =>
  row.caseOpenedAt === null ? [withdrawalWrite(row, "case", { caseOpenedAt: now })] : [];

/**
 * The same of a payout that has ended: its queries begin anew, or nobody would see that the institution has corrected itself where
 * their time is over and the notification is lost.
 */
function rememberContradiction(row: WithdrawalRow, deciding: Deciding): Write[] {
  if (isOpen(row.status) || row.caseOpenedAt !== null) return remember(row, deciding);
  const { now } = deciding;
  const set = { caseOpenedAt: now, nextAt: followUpAt("completed", now, 0), attempts: 0 };
  return [withdrawalWrite(row, "contradiction", set)];
}

/**
 * An institution shows what contradicts the books: a case with what it showed, without the receiver's data. What operators have ended
 * they have decided about: the same words of the institution open no case again.
 */
export function contradictionCase(
  row: WithdrawalRow,
  said: Said,
  { about: says, unclear }: { readonly about: string; readonly unclear: number },
  deciding: Deciding,
): Write[] {
  const shown = said.kind === "shown" ? said.payout : null;
  const returned = shown?.returns.reduce((sum, { amount }) => sum + amount, 0) ?? 0;
  const words = {
    ...{ shownStatus: shown?.status ?? null, shownAmount: shown?.amount ?? null, shownReturned: returned },
    ...{ shownUnreadable: shown?.unreadableReturns ?? 0, shownUnclear: unclear, failure: shown?.failure?.code ?? null },
  };
  const fact = {
    ...about(row),
    kind: "payout_contradiction" as const,
    evidence: evidence({
      says: `The books say ${row.status}; of the institution: ${says}.`,
      source: "institution",
      data: { status: row.status, amount: row.netAmount, e2eId: shown?.e2eId ?? row.e2eId, ...words },
    }),
  };
  return [openCase(fact, deciding, isOpen(row.status) ? undefined : words), ...rememberContradiction(row, deciding)];
}

/**
 * What the institution shows agrees with the books again: the contradiction is gone, and so is the uncertainty where it has ended.
 *
 * @param status the withdrawal's after the decision.
 */
export function closeCases(row: WithdrawalRow, status: WithdrawalStatus, deciding: Deciding): Write[] {
  if (row.caseOpenedAt === null) return [];
  const { accountId, withdrawalId: objectId } = row;
  const contradiction = closeCase({ accountId, kind: "payout_contradiction", objectId }, deciding);
  if (isOpen(status)) return [contradiction];
  return [
    contradiction,
    closeCase({ accountId, kind: "payout_unresolved", objectId }, deciding),
    withdrawalWrite({ ...row, status }, "case", { caseOpenedAt: null }),
  ];
}

/**
 * The institution holds the payout until a person approves it there: a case, so that somebody does. It is closed when the
 * institution shows the payout otherwise. Meanwhile the withdrawal is not reported as one without an outcome.
 *
 * @param status the withdrawal's after the decision.
 */
export function bankApprovalCase(
  row: WithdrawalRow,
  said: Said,
  status: WithdrawalStatus,
  deciding: Deciding,
): Write[] {
  const { accountId, withdrawalId: objectId, awaitingBankSince } = row;
  const waits = isOpen(status) && said.kind === "shown" && said.payout.status === "awaiting_approval";
  if (waits === (awaitingBankSince !== null)) return [];
  const { now } = deciding;
  const after: WithdrawalRow = { ...row, status };
  const kind = "payout_awaiting_bank" as const;
  if (waits) {
    const fact = {
      ...about(row),
      kind,
      evidence: evidence({
        says: "The institution holds the payout until a person approves it in the institution's own app.",
        source: "institution",
        data: { amount: row.netAmount, e2eId: said.payout.e2eId ?? row.e2eId },
      }),
    };
    return [
      withdrawalWrite(after, "bank", { awaitingBankSince: now, updatedAt: now }),
      closeCase({ accountId, kind: "payout_unresolved", objectId }, deciding),
      openCase(fact, deciding),
      withdrawalWrite(after, "case", { caseOpenedAt: row.caseOpenedAt ?? now }),
    ];
  }
  return [
    withdrawalWrite(after, "bank", { awaitingBankSince: null, updatedAt: now }),
    closeCase({ accountId, kind, objectId }, deciding),
    withdrawalWrite(after, "case", { caseOpenedAt: null }),
  ];
}

/** A withdrawal without an end, and what is known about it. */
type ReportWithdrawal = { readonly accountId: string; readonly withdrawalId: string; readonly says: string };

/** Opens the case of a withdrawal that has had no end for too long; once, and not of one that has ended meanwhile. */
export const reportWithdrawal: CommandKind<ReportWithdrawal, null> = {
  name: "report withdrawal",
  wants: ({ accountId, withdrawalId }, want) => want.row(withdrawalsTable, { accountId, id: withdrawalId }),
  decide({ accountId, withdrawalId, says }, books, deciding) {
    const row = books.find(withdrawalsTable, { accountId, id: withdrawalId });
    if (row?.status !== "processing" || row.caseOpenedAt !== null || row.awaitingBankSince !== null)
      return { result: null };
    const fact = {
      ...about(row),
      kind: "payout_unresolved" as const,
      evidence: evidence({
        says,
        source: "gateway",
        data: { since: row.updatedAt.toISOString(), mayHaveLeft: row.mayHaveLeft, e2eId: row.e2eId },
      }),
    };
    return { result: null, writes: [openCase(fact, deciding), ...remember(row, deciding)] };
  },
};
