import { eventWallet } from "../../accounts/wallet.ts";
import type { Write } from "../../ledger/books.ts";
import { available, fees, held, psp, type Transfer } from "../../ledger/chart.ts";
import { movementWrite } from "../../ledger/movement.ts";
import { toBrl } from "../../lib/money.ts";
import { present } from "../../lib/present.ts";
import type { EventData } from "../../webhooks/events/define.ts";
import { emit } from "../../webhooks/events/emit.ts";
import { blockOfRefund, openBlock, releaseHold, takeOver, withBlock } from "../blocks/close.ts";
import { missingOf } from "../blocks/follow-amount.ts";
import { type Block, isOpen, newBlock } from "../blocks/row.ts";
import { payBack } from "../paid-back.ts";
import {
  andThen,
  type Batch,
  type Change,
  type ClaimedPix,
  canReturnBeside,
  unchanged,
  wentBack,
  withRow,
} from "../pix.ts";
import type { PixReturn } from "../returns/row.ts";
import { refundCompleted, refundFailed } from "./events.ts";
import type { RefundRow } from "./row.ts";

/** When and under which ids a PSP settled a return. */
type Settlement = {
  readonly rtrId: string | null;
  readonly settledAt: Date | null;
  readonly environment: "production" | "sandbox";
};

/** Confirms a refund: amount and fee leave what was held. */
export function confirmRefund(pix: ClaimedPix, refund: RefundRow, end: Settlement, batch: Batch): Change {
  if (refund.status === "error") return confirmLate(pix, refund, end, batch);
  const { accountId, refundId, walletId, amount, feeAmount } = refund;
  const row = confirmedRow(refund, end, batch);
  const cause = { accountId, sourceId: refundId, leg: 0, occurredAt: row.refundedAt! };
  const from = held(walletId);
  const sent: Transfer = { ...cause, kind: "refund_sent", amount, from, to: psp(pix.institutionId) };
  const taken: Transfer = { ...cause, kind: "refund_fee", amount: feeAmount, from, to: fees };
  return {
    pix: withRefund(pix, row, batch),
    transfers: feeAmount === 0 ? [sent] : [sent, taken],
    writes: [...(feeAmount === 0 ? [] : [feeMovement(refund, batch)]), emitCompleted(pix, row, end, batch)],
  };
}

/**
 * Confirms a refund that was booked as failed and released: the PSP has given the money back after all. Other claims under way
 * end if it leaves nothing for them. The money is booked like a return that the PSP made by itself, since a block may have paid
 * it meanwhile. There is no fee.
 */
function confirmLate(pix: ClaimedPix, refund: RefundRow, end: Settlement, batch: Batch): Change {
  const row: RefundRow = { ...confirmedRow(refund, end, batch), late: true };
  const pixReturn = pix.returns.find((stored) => stored.returnId === refund.refundId);
  const paid = {
    pspId: pixReturn!.pspId,
    rtrId: end.rtrId,
    pspReturnId: refund.refundId,
    amount: refund.amount,
    settledAt: row.refundedAt!,
    asChargeback: false,
    med: false,
    environment: end.environment,
  };
  const own = (so: ClaimedPix): Change => ({
    pix: withRefund(so, row, batch),
    transfers: [],
    writes: [emitCompleted(so, { ...row, feeAmount: 0 }, end, batch)],
  });
  const isAll = wentBack(pix) + refund.amount >= pix.amount;
  const others = isAll ? endEverything : endRepeated;
  return andThen(
    andThen(others(pix, refund, end.environment, batch), (so) =>
      andThen(payBack(so, paid, batch), (after) => keepForCases(so, after, batch)),
    ),
    own,
  );
}

/**
 * Makes blocks of what a late refund used of the holds of cases: the cases hold it again if the refund that is still under way
 * fails.
 */
function keepForCases(before: ClaimedPix, after: ClaimedPix, batch: Batch): Change {
  const { newId, now } = batch.deciding;
  const pending = after.refunds.find((refund) => refund.status === "pending");
  const used = after.blocks.flatMap((block) => {
    const old = before.blocks.find(({ blockId }) => blockId === block.blockId)!;
    const amount = Math.min(old.heldAmount - block.heldAmount, pending?.amount ?? 0);
    return block.caseId !== null && amount > 0 ? [{ block, amount }] : [];
  });
  return used.reduce(
    (change, { block, amount }) =>
      andThen(change, (so) =>
        blockOfRefund(so, newBlock({ ...block, blockId: newId(), amount }, now), pending!.refundId, batch),
      ),
    unchanged(after),
  );
}

function confirmedRow(refund: RefundRow, { rtrId, settledAt }: Settlement, { deciding: { now } }: Batch): RefundRow {
  return { ...refund, status: "confirmed", rtrId, refundedAt: settledAt ?? now, failureReason: null, updatedAt: now };
}

/** Why a refund was not carried out. */
type RefundFailure = { readonly reason: string; readonly environment: "production" | "sandbox" };

/**
 * Fails a refund: what it held is available again. If it had taken over a block's hold, that hold comes back as a new
 * block; otherwise a refund that fails could end a dispute.
 */
export function failRefund(
  pix: ClaimedPix,
  refund: RefundRow,
  failure: RefundFailure,
  batch: Batch,
  blocksAgain = true,
): Change {
  const { accountId, refundId, walletId } = refund;
  const { now } = batch.deciding;
  const row: RefundRow = { ...refund, status: "error", failureReason: failure.reason, updatedAt: now };
  const released: Change = {
    pix: withRefund(pix, row, batch),
    transfers: [
      {
        accountId,
        kind: "refund_released",
        sourceId: refundId,
        leg: 0,
        amount: refund.amount + refund.feeAmount,
        from: held(walletId),
        to: available(walletId),
        occurredAt: now,
      },
    ],
    writes: [emitFailed(pix, refund, failure, batch)],
  };
  if (!blocksAgain) return released;
  const taken = pix.blocks.filter((block) => block.refundId === refundId);
  return taken.reduce(
    (change, block) =>
      andThen(change, (so) => {
        const amount = Math.min(block.amount - block.takenAmount, missingOf(so, block));
        if (amount <= 0) return unchanged(so);
        const newHold = newBlock({ ...block, blockId: batch.deciding.newId(), amount }, now);
        return withBlock(so, openBlock(newHold, batch));
      }),
    released,
  );
}

const OVERTAKEN = "An earlier refund was settled after all.";

/**
 * Ends a refund that repeats one which was settled after all: if no request of it has left, so that the payer does not get the
 * money twice, or if the PSP has too little of the Pix left for it. One that may have left, and for which there is enough,
 * stays under way.
 */
function endRepeated(pix: ClaimedPix, by: RefundRow, environment: RefundFailure["environment"], batch: Batch): Change {
  const repeated = pix.refunds.find((refund) => refund.status === "pending");
  if (!repeated) return unchanged(pix);
  const { status } = pix.returns.find(({ returnId }) => returnId === repeated.refundId)!;
  if (status !== "pending" && canReturnBeside(pix, repeated, by.amount)) return unchanged(pix);
  return failRefund(pix, repeated, { reason: OVERTAKEN, environment }, batch);
}

function endEverything(
  pix: ClaimedPix,
  by: RefundRow,
  environment: RefundFailure["environment"],
  batch: Batch,
): Change {
  const failure = { reason: OVERTAKEN, environment };
  const pending = pix.refunds.filter((refund) => refund.status === "pending");
  const failed = pending.reduce(
    (change, refund) => andThen(change, (so) => failRefund(so, refund, failure, batch, false)),
    unchanged(pix),
  );
  const blocks = pix.blocks.filter(({ heldAmount }) => heldAmount > 0);
  // All of the Pix has gone back, so nothing is left to return for an accepted case.
  const end = (so: ClaimedPix, block: Block): Change =>
    isOpen(block) ? takeOver(so, block, by.refundId, batch) : withBlock(so, releaseHold(block, batch));
  return blocks.reduce((change, block) => andThen(change, (so) => end(so, block)), failed);
}

/** Stores the refund and its return, which always end together. */
function withRefund(pix: ClaimedPix, refund: RefundRow, { deciding }: Batch): ClaimedPix {
  const pixReturn = pix.returns.find((stored) => stored.returnId === refund.refundId);
  if (!pixReturn) throw new Error("a refund without its return");
  const { status, rtrId, refundedAt, failureReason } = refund;
  const over: PixReturn = {
    ...pixReturn,
    status: status === "confirmed" ? "confirmed" : "failed",
    rtrId,
    settledAt: refundedAt,
    failureReason,
    nextAt: null,
    updatedAt: deciding.now,
  };
  return {
    ...pix,
    refunds: withRow(pix.refunds, refund, (stored) => stored.refundId),
    returns: withRow(pix.returns, over, (stored) => stored.returnId),
  };
}

function feeMovement({ accountId, walletId, refundId, feeAmount: amount }: RefundRow, { deciding }: Batch) {
  return movementWrite({
    accountId,
    movementId: deciding.newId(),
    walletId,
    type: "fee",
    direction: "out",
    amount,
    causeId: refundId,
    leg: 0,
    description: "Refund fee",
    idempotencyKey: null,
    createdAt: deciding.now,
  });
}

function emitCompleted(pix: ClaimedPix, refund: RefundRow, end: Settlement, batch: Batch): Write {
  const data: EventData<typeof refundCompleted> = present({
    ...eventData(refund, end.environment),
    status: "completed",
    refundedAt: refund.refundedAt!.toISOString(),
    e2eId: refund.rtrId,
    ...referenceOf(pix),
  });
  return emit(refundCompleted, data, eventWallet(batch.books, refund), batch);
}

function emitFailed(pix: ClaimedPix, refund: RefundRow, { reason, environment }: RefundFailure, batch: Batch): Write {
  const data: EventData<typeof refundFailed> = {
    ...eventData(refund, environment),
    status: "failed",
    failedAt: batch.deciding.now.toISOString(),
    failureReason: reason,
    ...referenceOf(pix),
  };
  return emit(refundFailed, data, eventWallet(batch.books, refund), batch);
}

function eventData(refund: RefundRow, environment: Settlement["environment"]) {
  return {
    refundTransactionId: refund.refundId,
    originalTransactionId: refund.chargeId,
    environment,
    amount: toBrl(refund.amount),
    feeAmount: toBrl(refund.feeAmount),
    netAmount: toBrl(refund.amount),
    currency: "BRL" as const,
    paymentMethod: "pix" as const,
  };
}

const referenceOf = (pix: ClaimedPix): Pick<EventData<typeof refundCompleted>, "externalReference" | "metadata"> =>
  present({
    externalReference: pix.externalReference,
    metadata: pix.metadata,
  });
