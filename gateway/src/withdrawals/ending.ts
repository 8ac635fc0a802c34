import type { Books, Update } from "../ledger/books.ts";
import { countedWrites, limitsTable } from "./limits.ts";
import { countedOfWallet, walletLimitsTable } from "./wallet-limits.ts";
import type { WithdrawalRow, WithdrawalStatus } from "./withdrawal.ts";

/** Failure code of a withdrawal that operators have decided as failed. */
export const FORCED = "not_carried_out";

/** A withdrawal after a decision. `changed`: something new was booked. `more`: there is more to book. */
export type AfterDecision = {
  readonly kind: "known";
  readonly status: WithdrawalStatus;
  readonly changed: boolean;
  readonly more: boolean;
};

/** The institution's environment, which events show. */
export type OfEnvironment = { readonly environment: "production" | "sandbox" };

/** The common part of the transfers that end a withdrawal. */
export function cause({ accountId, withdrawalId, amount }: WithdrawalRow, occurredAt: Date) {
  return { accountId, sourceId: withdrawalId, leg: 0, amount, occurredAt };
}

/**
 * Adds a withdrawal to what the limits of its account and of its sub-account count in its hour (`countedAt`); with -1 removes
 * it.
 */
export function count(row: WithdrawalRow, sign: 1 | -1, books: Books, now: Date): Update[] {
  const { accountId, walletId, amount, countedAt } = row;
  const limits = books.find(limitsTable, { accountId, id: accountId });
  if (!limits) throw new Error("a withdrawal of an account that does not exist");
  const counted = { amount: sign * amount, at: countedAt };
  const ofWallet = books.find(walletLimitsTable, { accountId, id: walletId });
  return [...countedWrites(limits, counted, now), ...countedOfWallet(ofWallet, counted, now)] as Update[];
}
