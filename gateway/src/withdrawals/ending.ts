import type { Books } from "../ledger/books.ts";
import { countedWrites, limitsTable } from "./limits.ts";
import type { WithdrawalRow, WithdrawalStatus } from "./withdrawal.ts";

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

/** Counts it for the limits of the hour it was asked for, or (-1) no more. */
export function count({ accountId, amount, createdAt }: WithdrawalRow, sign: 1 | -1, books: Books, now: Date) {
  const limits = books.find(limitsTable, { accountId, id: accountId });
  if (!limits) throw new Error("a withdrawal of an account that does not exist");
  return countedWrites(limits, { amount: sign * amount, askedAt: createdAt }, now);
}
