import { eventWallet } from "../accounts/wallet.ts";
import type { Books, Decision } from "../ledger/books.ts";
import { available, fees, held, psp, type Transfer } from "../ledger/chart.ts";
import type { Deciding } from "../ledger/lane.ts";
import { ERASED } from "../lib/erased.ts";
import type { PspPayout } from "../psp/psp.ts";
import type { EventData } from "../webhooks/events/define.ts";
import { emit } from "../webhooks/events/emit.ts";
import { cause, count, type Known, type OfEnvironment } from "./ending.ts";
import { eventData } from "./event-data.ts";
import { withdrawalCompleted } from "./events.ts";
import { followUpAt } from "./schedule.ts";
import { confirmedByEnd } from "./unconfirmed.ts";
import { type WithdrawalRow, withdrawalWrite } from "./withdrawal.ts";

/** What is known of how it was paid. */
type Paid = Pick<PspPayout, "settledAt" | "e2eId" | "receiver">;

/**
 * Settled: what was held goes to the PSP and the fee to the operator. One that had been taken for failed has no hold any
 * more: the money did leave, so it is taken from the wallet again, which is a debt like a MED's where it is spent.
 */
export function complete(
  of: OfEnvironment,
  before: WithdrawalRow,
  payout: Paid,
  more: boolean,
  books: Books,
  deciding: Deciding,
): Decision<Known> {
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
  // One that is pending here was sent by a process whose claim is lost (a database set back): it goes along both edges.
  const sent: WithdrawalRow = before.status === "pending" ? { ...before, status: "processing" } : before;
  const set = {
    status: "completed" as const,
    e2eId: payout.e2eId ?? before.e2eId,
    ...receiverOf(payout, before),
    failureReason: null,
    failureCode: null,
    settledAt,
    // It has left without an approval that is known here: whoever found that out has approved it.
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
    ...eventData(of, row),
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

/** Who was paid. One that had failed may have been erased since (persons/erase.ts): its receiver does not come back. */
function receiverOf({ receiver }: Paid, { holderDocument }: WithdrawalRow) {
  if (holderDocument === ERASED) return { counterpartName: null, counterpartDocument: null };
  // The PSP pays only a key of this holder, and shows people's documents masked.
  return { counterpartName: receiver?.name ?? null, counterpartDocument: receiver?.document ?? holderDocument };
}
