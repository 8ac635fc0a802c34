import { walletsTable } from "../accounts/wallet.ts";
import type { Books, Update } from "../ledger/books.ts";
import { available, held } from "../ledger/chart.ts";
import type { Want } from "../ledger/lane.ts";
import { wantReceivers } from "../webhooks/events/emit.ts";
import { countedWrites, limitsTable } from "./limits.ts";
import { countedOfWallet, walletLimitsTable } from "./wallet-limits.ts";
import { type WithdrawalRow, type WithdrawalStatus, withdrawalsTable } from "./withdrawal.ts";

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

type Named = Pick<WithdrawalRow, "accountId" | "withdrawalId">;

/** Wants what every command reads that ends a withdrawal: its row, the limits that count it, and who gets the event. */
export function wantEnding({ accountId, withdrawalId }: Named, want: Want): void {
  want.row(withdrawalsTable, { accountId, id: withdrawalId });
  want.row(limitsTable, { accountId, id: accountId });
  wantReceivers(want, accountId);
}

/** Wants what releasing the hold of a withdrawal needs, once its row is read. */
export function wantHold({ accountId, withdrawalId }: Named, books: Books, want: Want): void {
  const row = books.find(withdrawalsTable, { accountId, id: withdrawalId });
  if (!row) return;
  want.row(walletsTable, { accountId, id: row.walletId });
  want.row(walletLimitsTable, { accountId, id: row.walletId });
  want.ledger(accountId, available(row.walletId));
  want.ledger(accountId, held(row.walletId));
}

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
