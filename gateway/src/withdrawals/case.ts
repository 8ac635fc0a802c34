import { evidence } from "../cases/case.ts";
import { closeCase, openCase } from "../cases/write.ts";
import type { Write } from "../ledger/books.ts";
import type { CommandKind, Deciding } from "../ledger/lane.ts";
import { describeLatest, type Latest } from "../outgoing/latest.ts";
import type { PspPayout } from "../psp/psp.ts";
import { followUpAt } from "./schedule.ts";
import {
  isOpen,
  referenceOf,
  type WithdrawalRow,
  type WithdrawalStatus,
  withdrawalsTable,
  withdrawalWrite,
} from "./withdrawal.ts";

/** What an institution has shown of a payout. */
type Reported =
  | { readonly kind: "shown"; readonly payout: PspPayout; readonly isClaimedByAnother?: boolean }
  | { readonly kind: "refused"; readonly code: string };

const about = ({ accountId, withdrawalId, institutionId, netAmount }: WithdrawalRow) => ({
  ...{ accountId, objectId: withdrawalId, institutionId, amount: netAmount, deadline: null },
});

/** Stores that a case is open, so that a later command closes it. */
const remember = (row: WithdrawalRow, { now }: Deciding): Write[] =>
  row.caseOpenedAt === null ? [withdrawalWrite(row, "case", { caseOpenedAt: now })] : [];

/**
 * As `remember`, for a payout that has ended. Its queries begin anew: after the usual ones, and without a notification, nobody
 * would notice that the institution has corrected itself.
 */
function rememberContradiction(row: WithdrawalRow, deciding: Deciding): Write[] {
  if (isOpen(row.status) || row.caseOpenedAt !== null) return remember(row, deciding);
  const { now } = deciding;
  const set = { caseOpenedAt: now, nextAt: followUpAt("completed", now, 0), attempts: 0 };
  return [withdrawalWrite(row, "contradiction", set)];
}

/**
 * Opens a case when an institution contradicts the books, with what it showed, without the receiver's data. If operators
 * ended the payout, they have decided about it: the same answer of the institution opens no new case.
 */
export function contradictionCase(
  row: WithdrawalRow,
  reported: Reported,
  { about: reason, unclear }: { readonly about: string; readonly unclear: number },
  deciding: Deciding,
): Write[] {
  const payout = reported.kind === "shown" ? reported.payout : null;
  const ids = new Set([...row.pspReferences.map(({ reference }) => reference), payout?.reference ?? referenceOf(row)]);
  const returned = payout?.returns.reduce((sum, { amount }) => sum + amount, 0) ?? 0;
  const words = {
    ...{ shownStatus: payout?.status ?? null, shownAmount: payout?.amount ?? null, shownReturned: returned },
    ...{
      shownUnreadable: payout?.unreadableReturns ?? 0,
      shownUnclear: unclear,
      failure: payout?.failure?.code ?? null,
      ...(reported.kind === "shown" && reported.isClaimedByAnother && { shownAnothers: true }),
      ...(ids.size > 1 && { shownIds: ids.size }),
    },
  };
  const fact = {
    ...about(row),
    kind: "payout_contradiction" as const,
    evidence: evidence({
      says: `The books say ${row.status}; of the institution: ${reason}.`,
      source: "institution",
      data: {
        ...idsOf(row, payout),
        status: row.status,
        amount: row.netAmount,
        e2eId: payout?.e2eId ?? row.e2eId,
        ...words,
      },
    }),
  };
  return [openCase(fact, deciding, isOpen(row.status) ? undefined : words), ...rememberContradiction(row, deciding)];
}

/**
 * What became of each of the bank's ids, where there are several: the authorised payout may have been paid, and the others not.
 */
function idsOf({ pspReferences }: WithdrawalRow, payout: PspPayout | null) {
  const states = new Map(
    pspReferences.map(({ reference, authorisedAt = "not_authorised" }) => [reference, authorisedAt]),
  );
  const shown = payout?.reference;
  if (shown !== undefined && !states.has(shown)) states.set(shown, "not_stored");
  return states.size > 1 ? { bankIds: Object.fromEntries(states) } : {};
}

/**
 * Closes the case of a contradiction when the institution agrees with the books again, and the case of a missing outcome
 * when the payout has ended.
 *
 * @param status the withdrawal's status after the decision.
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
 * Opens a case while the institution holds the payout until a person approves it there, so that somebody does. It is closed
 * when the institution shows the payout otherwise. Meanwhile the withdrawal is not reported as one without an outcome.
 *
 * @param status the withdrawal's status after the decision.
 */
export function bankApprovalCase(
  row: WithdrawalRow,
  reported: Reported,
  status: WithdrawalStatus,
  deciding: Deciding,
): Write[] {
  const { accountId, withdrawalId: objectId, awaitingBankSince } = row;
  const waits = isOpen(status) && reported.kind === "shown" && reported.payout.status === "awaiting_approval";
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
        data: { amount: row.netAmount, e2eId: reported.payout.e2eId ?? row.e2eId },
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

/** A withdrawal without an outcome, and what is known about it. */
type ReportWithdrawal = { readonly accountId: string; readonly withdrawalId: string; readonly latest: Latest };

/**
 * Opens the case of a withdrawal that has had no outcome for too long. Opens it once, and not if the withdrawal has ended
 * meanwhile.
 */
export const reportWithdrawal: CommandKind<ReportWithdrawal, null> = {
  name: "report withdrawal",
  wants: ({ accountId, withdrawalId }, want) => want.row(withdrawalsTable, { accountId, id: withdrawalId }),
  decide({ accountId, withdrawalId, latest }, books, deciding) {
    const row = books.find(withdrawalsTable, { accountId, id: withdrawalId });
    if (row?.status !== "processing" || row.caseOpenedAt !== null || row.awaitingBankSince !== null)
      return { result: null };
    const fact = {
      ...about(row),
      kind: "payout_unresolved" as const,
      evidence: evidence({
        says: describeLatest(latest),
        source: "gateway",
        data: { since: row.updatedAt.toISOString(), mayHaveLeft: row.mayHaveLeft, e2eId: row.e2eId, latest },
      }),
    };
    return { result: null, writes: [openCase(fact, deciding), ...remember(row, deciding)] };
  },
};
