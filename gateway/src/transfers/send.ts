import { accountsTable } from "../accounts/account.ts";
import { walletsTable } from "../accounts/wallet.ts";
import { ApiError } from "../http/errors.ts";
import { keyedCommand } from "../http/keyed-command.ts";
import { available } from "../ledger/chart.ts";
import type { CommandKind } from "../ledger/lane.ts";
import { internalTransferWrite, movementKey, movementsTable } from "../ledger/movement.ts";
import { toBrl } from "../lib/money.ts";
import { type Transfer, toTransfer } from "./transfer.ts";

/** The order of a transfer. */
export type SendTransfer = {
  readonly accountId: string;
  /** Made before the command runs; it is also the id of the sender's transaction. */
  readonly transferId: string;
  readonly from: { readonly walletId: string; readonly reference: string };
  readonly to: { readonly walletId: string; readonly reference: string };
  /** Centavos, positive. */
  readonly amount: number;
  readonly description: string | null;
  readonly externalReference: string | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly idempotencyKey: string | null;
};

/**
 * Moves money from one wallet's available balance to another's (contract, section 5, POST /transfers). Statuses and balance
 * are read under the tenant's lock, so that no race brings a balance below zero.
 */
export const sendTransfer: CommandKind<SendTransfer, Transfer | ApiError> = {
  name: "send transfer",
  wants({ accountId, transferId, from, to }, want) {
    want.row(accountsTable, { accountId, id: accountId });
    for (const { walletId } of [from, to]) {
      want.row(walletsTable, { accountId, id: walletId });
      want.ledger(accountId, available(walletId));
    }
    want.row(movementsTable, movementKey({ accountId, walletId: from.walletId, movementId: transferId }));
  },
  decide(command, books, { now, newId }) {
    const { accountId, transferId, from, to, amount, description, externalReference, metadata, idempotencyKey } =
      command;
    const sent = books.find(
      movementsTable,
      movementKey({ accountId, walletId: from.walletId, movementId: transferId }),
    );
    if (sent) return { result: toTransfer({ ...command, createdAt: sent.createdAt }) };
    if (books.find(accountsTable, { accountId, id: accountId })!.status === "suspended") {
      return { result: new ApiError("ACCOUNT_SUSPENDED") };
    }
    if (from.walletId === to.walletId) {
      return { result: new ApiError("TRANSFER_INVALID_RECIPIENT", undefined, recipient(to.reference)) };
    }
    const statusOf = (walletId: string) => books.find(walletsTable, { accountId, id: walletId })!.status;
    if (statusOf(from.walletId) === "suspended") return { result: new ApiError("SUB_ACCOUNT_SUSPENDED") };
    if (statusOf(to.walletId) === "suspended") {
      return { result: new ApiError("SUB_ACCOUNT_SUSPENDED", undefined, recipient(to.reference)) };
    }
    const balance = books.balance(accountId, available(from.walletId));
    if (balance < amount) {
      const details = { available: toBrl(balance), required: toBrl(amount) };
      return { result: new ApiError("INSUFFICIENT_BALANCE", undefined, details) };
    }

    // ---- All checks are done.
    const cause = { accountId, amount, leg: 0 };
    return {
      result: toTransfer({ ...command, createdAt: now }),
      transfers: [
        {
          ...cause,
          kind: "transfer",
          sourceId: transferId,
          from: available(from.walletId),
          to: available(to.walletId),
          occurredAt: now,
        },
      ],
      writes: [
        internalTransferWrite({
          ...cause,
          causeId: transferId,
          description,
          createdAt: now,
          from: { walletId: from.walletId, movementId: transferId, externalReference, metadata, idempotencyKey },
          to: { walletId: to.walletId, movementId: newId() },
        }),
      ],
    };
  },
};

/** The same command with its Idempotency-Key and answer. */
export const sendKeyedTransfer = keyedCommand(sendTransfer);

/** Details of a refusal about the receiving wallet. */
export const recipient = (reference: string) => ({ resource: "sub-account", reference, field: "subAccount" });
