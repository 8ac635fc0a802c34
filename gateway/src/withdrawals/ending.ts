import type { Books, Update } from "../ledger/books.ts";
import { countedWrites, limitsTable } from "./limits.ts";
import { countedOfWallet, walletLimitsTable } from "./wallet-limits.ts";
import type { WithdrawalRow, WithdrawalStatus } from "./withdrawal.ts";

/** Failure code of a withdrawal that operators have decided as failed. */
export const FORCED = "not_carried_out";

/** Where a withdrawal stands after a decision; `changed` when it was new, `more` when there is more to book. */
export type Known = {
  readonly kind: "known";
  readonly status: WithdrawalStatus;
  readonly changed: boolean;
  readonly more: boolean;
};

/** Of the institution: part of the events. */
export type OfEnvironment = { readonly environment: "production" | "sandbox" };

/** What the transfers of a withdrawal's end have in common. */
export function cause({ accountId, withdrawalId, amount }: WithdrawalRow, occurredAt: Date) {
  return { accountId, sourceId: withdrawalId, leg: 0, amount, occurredAt };
}

/** Counts it for the limits of its hour (`countedAt`), its account's and its sub-account's, or (-1) no more. */
export function count(row: WithdrawalRow, sign: 1 | -1, books: Books, now: Date): Update[] {
  const { accountId, walletId, amount, countedAt } = row;
  const limits = books.find(limitsTable, { accountId, id: accountId });
  if (!limits) throw new Error("a withdrawal of an account that does not exist");
  const counted = { amount: sign * amount, at: countedAt };
  const ofWallet = books.find(walletLimitsTable, { accountId, id: walletId });
  return [...countedWrites(limits, counted, now), ...countedOfWallet(ofWallet, counted, now)] as Update[];
}
