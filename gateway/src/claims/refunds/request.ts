import { accountsTable } from "../../accounts/account.ts";
import { walletsTable } from "../../accounts/wallet.ts";
import { ApiError, notFound } from "../../http/errors.ts";
import { keyedCommand } from "../../http/keyed-command.ts";
import { available, held } from "../../ledger/chart.ts";
import type { CommandKind } from "../../ledger/lane.ts";
import { txidFor } from "../../lib/ids.ts";
import { LIMITS } from "../../lib/limits.ts";
import { fee, toBrl } from "../../lib/money.ts";
import { takeOver } from "../blocks/close.ts";
import { type Block, isOpen, isOrder } from "../blocks/row.ts";
import {
  andThen,
  type Change,
  type ClaimedPix,
  claimedPixTable,
  decided,
  leftOf,
  openBlocks,
  sumOf,
  unchanged,
  wantMoneyOf,
  wantPix,
} from "../pix.ts";
import { newReturn } from "../returns/row.ts";
import { type Refund, toRefund } from "./refund.ts";
import type { RefundRow } from "./row.ts";

/** The merchant's order of a refund. */
export type RequestRefund = {
  readonly accountId: string;
  readonly walletId: string;
  /** Made before the command runs. */
  readonly refundId: string;
  readonly chargeId: string;
  /** The Pix that paid the charge. It never changes once the charge is completed. */
  readonly e2eId: string;
  readonly pspProvider: string;
  /** Whether its institution returns a Pix in several returns. */
  readonly inParts: boolean;
  /** Centavos; null: all that is left of the payment. */
  readonly amount: number | null;
  readonly reason: string | null;
  readonly idempotencyKey: string | null;
};

/** What the payer reads where the merchant gives no reason. */
const DESCRIPTION = "Devolução do pagamento";

/**
 * Requests a refund: sets the amount and its refund fee aside, and makes the return that the loop of
 * claims/returns/send.ts sends. A refund of all that is left takes over what MED blocks of the payment hold, whatever the
 * available balance: the payer gets the money either way. A smaller one takes only what no block holds.
 */
export const requestRefund: CommandKind<RequestRefund, Refund | ApiError> = {
  name: "request refund",
  wants({ accountId, e2eId }, want) {
    want.row(accountsTable, { accountId, id: accountId });
    wantPix(want, accountId, e2eId);
  },
  follows: ({ accountId, e2eId }, books, want) => wantMoneyOf(want, books, accountId, e2eId),
  decide(command, books, deciding) {
    const { accountId, walletId, refundId, chargeId, e2eId } = command;
    const { now } = deciding;
    const settings = books.find(accountsTable, { accountId, id: accountId })!;
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    const pspId = txidFor(settings.number, refundId);
    const show = (row: RefundRow) => toRefund(row, { pspProvider: command.pspProvider, pspId });
    const known = pix?.refunds.find((refund) => refund.refundId === refundId);
    if (known) return { result: show(known) };

    if (settings.status === "suspended") return { result: new ApiError("ACCOUNT_SUSPENDED") };
    if (!pix || pix.walletId !== walletId || pix.chargeId !== chargeId || pix.outcome !== "credited") {
      return { result: notFound("transaction", chargeId) };
    }
    if (books.find(walletsTable, { accountId, id: walletId })!.status === "suspended") {
      return { result: new ApiError("SUB_ACCOUNT_SUSPENDED") };
    }
    const refusal = refuse(pix, now) ?? refuseAmount(pix, command);
    if (refusal) return { result: refusal };
    const left = refundableOf(pix);
    const amount = command.amount ?? left;
    const feeAmount = fee(settings.fees.refund, amount);
    const required = amount + feeAmount;
    const blocks = amount === left ? openBlocks(pix) : [];
    const taken = heldBy(blocks);
    const balance = books.balance(accountId, available(walletId));
    // What a block holds needs no available balance. If a block holds anything, the fee may bring the balance below zero.
    const needed = taken === 0 ? required : amount - taken;
    if (needed > 0 && balance < needed) {
      const details = { available: toBrl(balance + taken), required: toBrl(needed + taken) };
      return { result: new ApiError("INSUFFICIENT_BALANCE", undefined, details) };
    }

    // ---- All checks are done.
    const row: RefundRow = {
      accountId,
      refundId,
      walletId,
      chargeId,
      e2eId,
      institutionId: pix.institutionId,
      amount,
      feeAmount,
      status: "pending",
      reason: command.reason,
      idempotencyKey: command.idempotencyKey,
      late: false,
      rtrId: null,
      refundedAt: null,
      failureReason: null,
      createdAt: now,
      updatedAt: now,
    };
    const batch = { books, deciding };
    const free = blocks.reduce(
      (change, block) => andThen(change, (so) => takeOver(so, block, refundId, batch)),
      unchanged(pix),
    );
    return decided(
      pix,
      andThen(free, (so) => reserve(so, row, settings.number)),
      show(row),
    );
  },
};

/** The same command with its Idempotency-Key and answer. */
export const requestKeyedRefund = keyedCommand(requestRefund);

const heldBy = (blocks: readonly Block[]): number => sumOf(blocks.map(({ heldAmount: amount }) => ({ amount })));

/** Centavos that can still be refunded: what nothing claims, and what open blocks hold. */
const refundableOf = (pix: ClaimedPix): number => leftOf(pix) + heldBy(openBlocks(pix));

/** Why a payment cannot be refunded now; null when it can. */
function refuse(pix: ClaimedPix, now: Date): ApiError | null {
  const made = pix.refunds.filter((refund) => refund.status !== "error");
  const isOver = refundableOf(pix) <= 0;
  const existing = made.find((refund) => refund.status === "pending") ?? (isOver ? made.at(-1) : undefined);
  if (existing) {
    return new ApiError("REFUND_ALREADY_EXISTS", undefined, { refundTransactionId: existing.refundId });
  }
  if (isOver) return notRefundable("All of it has gone back to the payer, or is on its way.");
  // Only the operator may lift an order.
  if (pix.blocks.some((block) => isOpen(block) && isOrder(block))) {
    return notRefundable("A judicial or administrative block holds its money.");
  }
  const until = new Date(pix.paidAt.getTime() + LIMITS.returnWindow);
  if (now > until) return new ApiError("REFUND_WINDOW_EXPIRED", undefined, { until: until.toISOString() });
  return null;
}

/** Why this amount cannot be refunded; null when it can. */
function refuseAmount(pix: ClaimedPix, { accountId, amount: asked, inParts }: RequestRefund): ApiError | null {
  const [left, free] = [refundableOf(pix), leftOf(pix)];
  const amount = asked ?? left;
  if (amount > left) return new ApiError("REFUND_EXCEEDS_PAYMENT", undefined, { left: toBrl(left) });
  const limit = LIMITS.refundsPerPayment;
  if (amount < left && pix.refunds.filter(({ status }) => status !== "error").length >= limit - 1) {
    return notRefundable(`A payment has at most ${limit} refunds: the last one is of all that is left.`, { limit });
  }
  if (amount > free && amount < left) {
    const details = { free: toBrl(free), left: toBrl(left) };
    return notRefundable("A MED block holds a part: refund no more than is free of it, or all that is left.", details);
  }
  if (amount < pix.amount && !inParts) {
    const details = { institutionId: pix.institutionId, accountId, needs: "returns in parts" };
    return new ApiError("NOT_SUPPORTED_BY_INSTITUTION", undefined, details);
  }
  return null;
}

export const notRefundable = (message: string, details?: Readonly<Record<string, unknown>>): ApiError =>
  new ApiError("TRANSACTION_NOT_REFUNDABLE", message, details);

/** available → held: amount and fee together, so that neither can be missing when the refund is confirmed. */
function reserve(pix: ClaimedPix, refund: RefundRow, accountNumber: number): Change {
  const { accountId, refundId, walletId, e2eId, institutionId, chargeId, amount, createdAt } = refund;
  const description = refund.reason === null || refund.reason === "" ? DESCRIPTION : refund.reason;
  const pixReturn = newReturn(
    { accountId, returnId: refundId, purpose: "refund", e2eId, institutionId, chargeId, amount, description },
    accountNumber,
    createdAt,
  );
  return {
    pix: { ...pix, refunds: [...pix.refunds, refund], returns: [...pix.returns, pixReturn] },
    transfers: [
      {
        accountId,
        kind: "refund_held",
        sourceId: refundId,
        leg: 0,
        amount: amount + refund.feeAmount,
        from: available(walletId),
        to: held(walletId),
        occurredAt: createdAt,
      },
    ],
    writes: [],
  };
}
