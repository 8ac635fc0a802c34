import { eventWallet } from "../accounts/wallet.ts";
import type { Books, Decision } from "../ledger/books.ts";
import { available, fees, held, psp, type Transfer } from "../ledger/chart.ts";
import type { Deciding } from "../ledger/lane.ts";
import { ERASED } from "../lib/erased.ts";
import { isPaidToOther } from "../lib/other-name.ts";
import type { PspPayout } from "../psp/psp.ts";
import type { EventData } from "../webhooks/events/define.ts";
import { emit } from "../webhooks/events/emit.ts";
import { type AfterDecision, cause, count, type OfEnvironment } from "./ending.ts";
import { eventData } from "./event-data.ts";
import { withdrawalCompleted } from "./events.ts";
import { followUpAt } from "./schedule.ts";
import { confirmedByEnd } from "./unconfirmed.ts";
import { type WithdrawalRow, withdrawalWrite } from "./withdrawal.ts";

/** What is known of the payment. */
type Paid = Pick<PspPayout, "settledAt" | "e2eId" | "receiver">;

/**
 * Completes a withdrawal: what was held goes to the PSP, and the fee to the operator. A withdrawal that was booked as
 * failed has no hold any more. Since its money did leave, it is taken from the wallet again, as a debt if the wallet has
 * spent it.
 */
export function complete(
  ofInstitution: OfEnvironment,
  before: WithdrawalRow,
  payout: Paid,
  more: boolean,
  books: Books,
  deciding: Deciding,
): Decision<AfterDecision> {
  const { now } = deciding;
  const settledAt = payout.settledAt ?? now;
  const [from, to] = [available(before.walletId), held(before.walletId)];
  const base = cause(before, settledAt);
  const transfers: Transfer[] = [];
  if (before.status === "failed") transfers.push({ ...base, kind: "withdrawal_reclaimed", from, to });
  const institution = psp(before.institutionId);
  transfers.push({ ...base, kind: "withdrawal_sent", amount: before.netAmount, from: to, to: institution });
  if (before.feeAmount > 0) {
    transfers.push({ ...base, kind: "withdrawal_fee", amount: before.feeAmount, from: to, to: fees });
  }
  // A withdrawal that is still pending was sent by a process whose claim was lost when the database was restored. It takes
  // both edges.
  const sent: WithdrawalRow = before.status === "pending" ? { ...before, status: "processing" } : before;
  const set = {
    status: "completed" as const,
    e2eId: payout.e2eId ?? before.e2eId,
    ...receiverOf(payout, before),
    failureReason: null,
    failureCode: null,
    settledAt,
    // It has left without an approval that these books know. The operators who established that have approved it.
    awaitingApproval: false,
    approvedAt: before.awaitingApproval ? now : before.approvedAt,
    processedAt: now,
    unconfirmedSince: null,
    attempts: 0,
    nextAt: followUpAt("completed", now, 0),
    updatedAt: now,
  };
  const row: WithdrawalRow = { ...before, ...set };
  const data: EventData<typeof withdrawalCompleted> = {
    ...eventData(ofInstitution, row),
    status: "completed",
    completedAt: settledAt.toISOString(),
  };
  const counted = before.status === "failed" ? count(before, 1, books, now) : [];
  return {
    result: { kind: "known", status: "completed", changed: true, more },
    transfers,
    writes: [
      withdrawalWrite(sent, "completion", set),
      ...counted,
      ...confirmedByEnd(before, deciding),
      emit(withdrawalCompleted, data, eventWallet(books, row), { books, deciding }),
    ],
  };
}

/**
 * Who was paid. If the receiver of a failed withdrawal was erased meanwhile (persons/erase.ts), the data does not come
 * back.
 */
function receiverOf({ receiver }: Paid, { holderName, holderDocument, adopted }: WithdrawalRow) {
  if (holderDocument === ERASED) return { counterpartName: null, counterpartDocument: null, paidToOther: null };
  const counterpartName = receiver?.name ?? null;
  // Whom a payout was asked for that a restore had lost is not known: its holder is who the PSP showed (adopt.ts).
  const paidToOther = adopted ? null : isPaidToOther(holderName, counterpartName);
  // The PSP pays only a key of this holder, and masks people's documents.
  return { counterpartName, counterpartDocument: receiver?.document ?? holderDocument, paidToOther };
}
