import { type AccountSettings, accountsTable, type PayoutPolicy } from "../accounts/account.ts";
import { eventWallet, walletsTable } from "../accounts/wallet.ts";
import { ApiError, invalid } from "../http/errors.ts";
import { keyedCommand } from "../http/keyed-command.ts";
import { type Books, insert, type Write } from "../ledger/books.ts";
import { available, held } from "../ledger/chart.ts";
import type { CommandKind, Deciding, Want } from "../ledger/lane.ts";
import type { RowKey } from "../ledger/table.ts";
import { digestOfAsked } from "../lib/asked-digest.ts";
import { txidFor } from "../lib/ids.ts";
import { toBrl } from "../lib/money.ts";
import type { EventData } from "../webhooks/events/define.ts";
import { emit, wantReceivers } from "../webhooks/events/emit.ts";
import { count, type OfEnvironment } from "./ending.ts";
import { eventData } from "./event-data.ts";
import { withdrawalAwaitingApproval } from "./events.ts";
import { receiverKeysTable } from "./key.ts";
import { exceeded, exceededPolicy, limitDetails, limitsTable, type WithdrawalLimits } from "./limits.ts";
import { priceOf, type RequestedAmount } from "./price.ts";
import { showReference, usedReferenceKey, usedReferencesTable } from "./reference.ts";
import type { Withdrawal } from "./schema.ts";
import { toWithdrawal } from "./show.ts";
import { type WalletLimits, walletLimitsTable } from "./wallet-limits.ts";
import { NEW_TO_THE_BOOKS, type WithdrawalRow, withdrawalsTable } from "./withdrawal.ts";

/** The order of a withdrawal. Its key and documents have been checked. */
export type RequestWithdrawal = Pick<
  WithdrawalRow,
  | "accountId"
  | "withdrawalId"
  | "walletId"
  | "pixKey"
  | "pixKeyType"
  | "holderName"
  | "holderDocument"
  | "holderDocumentType"
  | "projectId"
  | "externalReference"
  | "idempotencyKey"
  | "institutionId"
> &
  OfEnvironment & {
    readonly asked: RequestedAmount;
    /** No other withdrawal of the wallet may have its reference. */
    readonly uniqueReference?: boolean;
    /** Why its institution was chosen; left out or null: it was the first. */
    readonly routing?: WithdrawalRow["routing"];
    /** The credential or person that requests it, and the persons behind it; null: not through the API. */
    readonly createdBy?: string | null;
    readonly createdByOwners?: readonly string[] | null;
  };

/** Wants what every command reads that makes a withdrawal and holds its money. */
export function wantNew(
  { accountId, withdrawalId, walletId }: Pick<WithdrawalRow, "accountId" | "withdrawalId" | "walletId">,
  want: Want,
): void {
  want.row(accountsTable, { accountId, id: accountId });
  want.row(walletsTable, { accountId, id: walletId });
  want.row(limitsTable, { accountId, id: accountId });
  want.row(walletLimitsTable, { accountId, id: walletId });
  want.row(withdrawalsTable, { accountId, id: withdrawalId });
  want.ledger(accountId, available(walletId));
  want.ledger(accountId, held(walletId));
}

/**
 * Accepts a withdrawal: holds its money, and stores what the loop will send under which id. A withdrawal that needs
 * approval is stored with its event. The command reads fee, limits and balance under the tenant's lock, so concurrent
 * requests never hold more than the balance.
 */
export const requestWithdrawal: CommandKind<RequestWithdrawal, Withdrawal | ApiError> = {
  name: "request withdrawal",
  wants(command, want) {
    const { accountId, walletId, externalReference, uniqueReference } = command;
    const reference = uniqueReference ? usedReferenceKey({ accountId, walletId, externalReference }) : null;
    if (reference) want.row(usedReferencesTable, reference);
    wantNew(command, want);
  },
  follows({ accountId, pixKey }, books, want) {
    const policy = books.find(accountsTable, { accountId, id: accountId })?.payouts;
    if (policy && asksAboutKeys(policy)) want.row(receiverKeysTable, { accountId, id: pixKey });
    if (policy && policy.approvalAbove !== null) wantReceivers(want, accountId);
  },
  decide({ asked, environment, uniqueReference = false, ...command }, books, deciding) {
    const { now } = deciding;
    const { accountId, walletId } = command;
    const known = books.find(withdrawalsTable, { accountId, id: command.withdrawalId });
    if (known) return { result: toWithdrawal(known) };
    const reference = uniqueReference ? usedReferenceKey(command) : null;
    const used = reference && books.find(usedReferencesTable, reference);
    if (used) return { result: new ApiError("WITHDRAWAL_REFERENCE_TAKEN", undefined, used) };
    const settings = books.find(accountsTable, { accountId, id: accountId })!;
    if (settings.status === "suspended") return { result: new ApiError("ACCOUNT_SUSPENDED") };
    if (books.find(walletsTable, { accountId, id: walletId })!.status === "suspended") {
      return { result: new ApiError("SUB_ACCOUNT_SUSPENDED") };
    }
    if (settings.withdrawalsFrozen) return { result: new ApiError("WITHDRAWALS_FROZEN") };
    const price = priceOf(settings.fees.withdrawal, asked);
    if (price === null) {
      return "amount" in asked
        ? { result: invalid("amount", "leaves nothing for the receiver after the fee") }
        : { result: invalid("netAmount", "needs more with its fee than a withdrawal may take") };
    }
    const limits = books.find(limitsTable, { accountId, id: accountId })!;
    const passed = refuseLimit(limits, books.find(walletLimitsTable, { accountId, id: walletId }), price.amount, now);
    if (passed) return { result: passed };
    const policy = settings.payouts;
    const key = { accountId, id: command.pixKey };
    const receiver = (asksAboutKeys(policy) && books.find(receiverKeysTable, key)) || { wasPaid: false, open: 0 };
    const beyond = exceededPolicy(policy, limits, price.amount, receiver.wasPaid ? null : receiver.open, now);
    if (beyond) return { result: new ApiError("WITHDRAWAL_LIMIT_EXCEEDED", undefined, limitDetails(beyond)) };
    const balance = books.balance(accountId, available(walletId));
    if (balance < price.amount) {
      const details = { available: toBrl(balance), required: toBrl(price.amount) };
      return { result: new ApiError("INSUFFICIENT_BALANCE", undefined, details) };
    }

    // ---- All checks are done.
    const row = newRow(command, price, settings, receiver.wasPaid, now);
    return {
      result: toWithdrawal(row),
      transfers: [
        {
          accountId,
          kind: "withdrawal_held",
          sourceId: row.withdrawalId,
          leg: 0,
          amount: row.amount,
          from: available(walletId),
          to: held(walletId),
          occurredAt: now,
        },
      ],
      writes: [
        insert(withdrawalsTable, row),
        ...count(row, 1, books, now),
        ...showToLaterCommands(row, asksAboutKeys(policy) ? { key, receiver } : null),
        ...requestApproval({ environment }, row, books, deciding),
      ],
    };
  },
};

/** What later commands of the batch see of a withdrawal that is not stored yet. */
function showToLaterCommands(
  row: WithdrawalRow,
  paid: { readonly key: RowKey; readonly receiver: { readonly wasPaid: boolean; readonly open: number } } | null,
): Write[] {
  if (!paid) return showReference(row);
  const shown = { ...paid.receiver, open: paid.receiver.open + row.amount };
  return [...showReference(row), { op: "show", table: receiverKeysTable, key: paid.key, row: shown }];
}

/** The refusal where a limit of the account, or of the named sub-account, would be exceeded. */
function refuseLimit(
  limits: WithdrawalLimits,
  ofWallet: WalletLimits | undefined,
  amount: number,
  now: Date,
): ApiError | null {
  const passed = exceeded(limits, amount, now);
  if (passed) return new ApiError("WITHDRAWAL_LIMIT_EXCEEDED", undefined, limitDetails(passed));
  const own = ofWallet && exceeded(ofWallet, amount, now);
  if (!own) return null;
  const details = { ...limitDetails(own), subAccount: ofWallet.reference };
  return new ApiError("WITHDRAWAL_LIMIT_EXCEEDED", undefined, details);
}

/** The row of an accepted withdrawal: due at once, unless the account's policy holds it back. */
function newRow(
  command: Omit<RequestWithdrawal, "asked" | "environment" | "uniqueReference">,
  price: Pick<WithdrawalRow, "amount" | "feeAmount" | "netAmount">,
  settings: AccountSettings,
  wasPaid: boolean,
  now: Date,
): WithdrawalRow {
  const policy = settings.payouts;
  const awaitingApproval = policy.approvalAbove !== null && price.amount > policy.approvalAbove;
  const wait = wasPaid ? 0 : (policy.newKeyWaitMinutes ?? 0);
  const holdUntil = wait === 0 ? null : new Date(now.getTime() + wait * 60_000);
  const asked = { ...command, ...price, pspId: txidFor(settings.number, command.withdrawalId) };
  return {
    ...asked,
    routing: command.routing ?? null,
    askedDigest: digestOfAsked(asked),
    status: "pending",
    ...NEW_TO_THE_BOOKS,
    adopted: false,
    unconfirmedSince: null,
    mayHaveLeft: false,
    createdBy: command.createdBy ?? null,
    createdByOwners: command.createdByOwners ?? null,
    awaitingApproval,
    approvedAt: null,
    holdUntil,
    countedAt: now,
    limitedUntil: null,
    nextAt: awaitingApproval ? null : (holdUntil ?? now),
    attempts: 0,
    createdAt: now,
    updatedAt: now,
  };
}

/** The event that requests the approval of a withdrawal; none if it needs no approval. */
function requestApproval(institution: OfEnvironment, row: WithdrawalRow, books: Books, deciding: Deciding): Write[] {
  if (!row.awaitingApproval) return [];
  const data: EventData<typeof withdrawalAwaitingApproval> = {
    ...eventData(institution, row),
    status: "pending",
    pendingReason: "awaiting_approval",
    createdAt: row.createdAt.toISOString(),
  };
  return [emit(withdrawalAwaitingApproval, data, eventWallet(books, row), { books, deciding })];
}

const asksAboutKeys = ({ newKeyWaitMinutes, newKeyMaxAmount }: PayoutPolicy): boolean =>
  newKeyWaitMinutes !== null || newKeyMaxAmount !== null;

/** The same command with its Idempotency-Key and answer. */
export const requestKeyedWithdrawal = keyedCommand(requestWithdrawal);
