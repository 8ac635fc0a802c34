import { eventWallet } from "../accounts/wallet.ts";
import type { Books, Decision } from "../ledger/books.ts";
import { available, held } from "../ledger/chart.ts";
import type { Deciding } from "../ledger/lane.ts";
import type { EventData } from "../webhooks/events/define.ts";
import { emit } from "../webhooks/events/emit.ts";
import { type AfterDecision, cause, count, type OfEnvironment } from "./ending.ts";
import { eventData } from "./event-data.ts";
import { withdrawalFailed } from "./events.ts";
import { followUpAt } from "./schedule.ts";
import { confirmedByEnd } from "./unconfirmed.ts";
import { type WithdrawalRow, withdrawalWrite } from "./withdrawal.ts";

const NO_REASON = "The institution did not carry the payment out.";

/** Why a payout failed, in words, where the PSP gives only a code. */
export const FAILURE_REASONS: Readonly<Record<string, string>> = {
  key_not_found: "Nobody has this PIX key.",
  holder_mismatch: "The PIX key belongs to another document.",
  key_blocked: "The PIX key is blocked.",
  destination_refused: "The receiver's account cannot take the payment.",
  insufficient_psp_balance: "The institution could not pay it at this time.",
  denied: "The institution denied the payment.",
  not_approved: "Nobody approved the payment at the institution.",
  rejected: "It was not approved.",
  approval_expired: "Nobody approved it in time.",
  cancelled: "It was cancelled before it was sent.",
};

/**
 * Fails a withdrawal that was not paid: what was held is available again.
 *
 * @param reason text for people; empty: the text of the code.
 * @param neverSent no request has left, so the institution is not queried afterwards.
 */
export function fail(
  institution: OfEnvironment,
  before: WithdrawalRow,
  failureCode: string,
  reason: string,
  books: Books,
  deciding: Deciding,
  neverSent = false,
): Decision<AfterDecision> {
  const { now } = deciding;
  const { walletId } = before;
  const failureReason = reason !== "" ? reason : (FAILURE_REASONS[failureCode] ?? NO_REASON);
  const data: EventData<typeof withdrawalFailed> = {
    ...eventData(institution, before),
    status: "failed",
    failedAt: now.toISOString(),
    failureReason,
    failureCode,
  };
  return {
    result: { kind: "known", status: "failed", changed: true, more: false },
    transfers: [{ ...cause(before, now), kind: "withdrawal_released", from: held(walletId), to: available(walletId) }],
    writes: [
      withdrawalWrite(before, "failure", {
        status: "failed",
        failureCode,
        failureReason,
        processedAt: now,
        unconfirmedSince: null,
        attempts: 0,
        nextAt: neverSent ? null : followUpAt("failed", now, 0),
        updatedAt: now,
      }),
      ...count(before, -1, books, now),
      ...confirmedByEnd(before, deciding),
      emit(withdrawalFailed, data, eventWallet(books, before), { books, deciding }),
    ],
  };
}
