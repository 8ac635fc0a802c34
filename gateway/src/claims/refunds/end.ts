import { eventWallet } from "../../accounts/wallet.ts";
import type { Write } from "../../ledger/books.ts";
import { available, fees, held, psp, type Transfer } from "../../ledger/chart.ts";
import { toBrl } from "../../lib/money.ts";
import { movementWrite } from "../../transactions/movement.ts";
import type { EventData } from "../../webhooks/events/define.ts";
import { emit } from "../../webhooks/events/emit.ts";
import { openBlock, releaseHold, takeOver, withBlock } from "../blocks/close.ts";
import { type Block, isOpen, newBlock } from "../blocks/row.ts";
import { payBack } from "../paid-back.ts";
import { type At, type Change, type ClaimedPix, leftOf, put, then, unchanged } from "../pix.ts";
import type { PixReturn } from "../returns/row.ts";
import { refundCompleted, refundFailed } from "./events.ts";
import type { RefundRow } from "./row.ts";

/** How a PSP reports that a return was settled. */
type Settlement = {
  readonly rtrId: string | null;
  readonly settledAt: Date | null;
  readonly environment: "production" | "sandbox";
};

/** Confirms a refund: amount and fee leave what was held. */
export function confirmRefund(pix: ClaimedPix, refund: RefundRow, end: Settlement, at: At): Change {
  if (refund.status === "error") return confirmLate(pix, refund, end, at);
  const { accountId, refundId, walletId, amount, feeAmount } = refund;
  const row = confirmed(refund, end, at);
  const cause = { accountId, sourceId: refundId, leg: 0, occurredAt: row.refundedAt! };
  const from = held(walletId);
  const sent: Transfer = { ...cause, kind: "refund_sent", amount, from, to: psp(pix.institutionId) };
  const taken: Transfer = { ...cause, kind: "refund_fee", amount: feeAmount, from, to: fees };
  return {
    pix: withRefund(pix, row, at),
    transfers: feeAmount === 0 ? [sent] : [sent, taken],
    writes: [...(feeAmount === 0 ? [] : [feeMovement(refund, at)]), completed(pix, row, end, at)],
  };
}

/**
 * Confirms one that had been taken for failed and released: the PSP has given the whole Pix back. Everything else that is
 * under way on it ends, and the money is booked like a return that the PSP made by itself, since a block may have paid it
 * meanwhile. There is no fee.
 */
function confirmLate(pix: ClaimedPix, refund: RefundRow, end: Settlement, at: At): Change {
  const row: RefundRow = { ...confirmed(refund, end, at), late: true };
  const back = pix.returns.find((one) => one.returnId === refund.refundId);
  const paid = {
    pspId: back!.pspId,
    rtrId: end.rtrId,
    pspReturnId: refund.refundId,
    amount: refund.amount,
    settledAt: row.refundedAt!,
    asChargeback: false,
    med: false,
    environment: end.environment,
  };
  const own = (so: ClaimedPix): Change => ({
    pix: withRefund(so, row, at),
    transfers: [],
    writes: [completed(so, { ...row, feeAmount: 0 }, end, at)],
  });
  return then(
    then(everythingEnds(pix, refund, end.environment, at), (so) => payBack(so, paid, at)),
    own,
  );
}

function confirmed(refund: RefundRow, { rtrId, settledAt }: Settlement, { deciding: { now } }: At): RefundRow {
  return { ...refund, status: "confirmed", rtrId, refundedAt: settledAt ?? now, failureReason: null, updatedAt: now };
}

/** Why a refund was not carried out. */
type RefundFailure = { readonly reason: string; readonly environment: "production" | "sandbox" };

/**
 * Ends a refund that was not carried out: its hold is available again. A block whose hold it had taken over comes back
 * as a new one, or a dispute could be ended by asking for a refund that fails.
 */
export function failRefund(
  pix: ClaimedPix,
  refund: RefundRow,
  failure: RefundFailure,
  at: At,
  blocksAgain = true,
): Change {
  const { accountId, refundId, walletId } = refund;
  const { now } = at.deciding;
  const row: RefundRow = { ...refund, status: "error", failureReason: failure.reason, updatedAt: now };
  const released: Change = {
    pix: withRefund(pix, row, at),
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
    writes: [failed(pix, refund, failure, at)],
  };
  if (!blocksAgain) return released;
  const taken = pix.blocks.filter((block) => block.refundId === refundId);
  return taken.reduce(
    (change, block) =>
      then(change, (so) => {
        const amount = Math.min(block.amount, leftOf(so));
        if (amount <= 0) return unchanged(so);
        const again = newBlock({ ...block, blockId: at.deciding.newId(), amount }, now);
        return withBlock(so, openBlock(again, at));
      }),
    released,
  );
}

function everythingEnds(pix: ClaimedPix, by: RefundRow, environment: RefundFailure["environment"], at: At): Change {
  const failure = { reason: "An earlier refund was settled after all.", environment };
  const pending = pix.refunds.filter((refund) => refund.status === "pending");
  const failed = pending.reduce(
    (change, refund) => then(change, (so) => failRefund(so, refund, failure, at, false)),
    unchanged(pix),
  );
  const blocks = pix.blocks.filter(({ heldAmount }) => heldAmount > 0);
  // All of the Pix has gone back by the refund: for an accepted case nothing is left to return.
  const end = (so: ClaimedPix, block: Block): Change =>
    isOpen(block) ? takeOver(so, block, by.refundId, at) : withBlock(so, releaseHold(block, at));
  return blocks.reduce((change, block) => then(change, (so) => end(so, block)), failed);
}

/** The refund and its return always end together. */
function withRefund(pix: ClaimedPix, refund: RefundRow, { deciding }: At): ClaimedPix {
  const back = pix.returns.find((one) => one.returnId === refund.refundId);
  if (!back) throw new Error("a refund without its return");
  const { status, rtrId, refundedAt, failureReason } = refund;
  const over: PixReturn = {
    ...back,
    status: status === "confirmed" ? "confirmed" : "failed",
    rtrId,
    settledAt: refundedAt,
    failureReason,
    nextAt: null,
    updatedAt: deciding.now,
  };
  return {
    ...pix,
    refunds: put(pix.refunds, refund, (one) => one.refundId),
    returns: put(pix.returns, over, (one) => one.returnId),
  };
}

function feeMovement({ accountId, walletId, refundId, feeAmount: amount }: RefundRow, { deciding }: At) {
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

function completed(pix: ClaimedPix, refund: RefundRow, end: Settlement, at: At): Write {
  const data: EventData<typeof refundCompleted> = {
    ...eventData(refund, end.environment),
    status: "completed",
    refundedAt: refund.refundedAt!.toISOString(),
    ...(refund.rtrId === null ? {} : { e2eId: refund.rtrId }),
    ...referenceOf(pix),
  };
  return emit(refundCompleted, data, eventWallet(at.books, refund), at);
}

function failed(pix: ClaimedPix, refund: RefundRow, { reason, environment }: RefundFailure, at: At): Write {
  const data: EventData<typeof refundFailed> = {
    ...eventData(refund, environment),
    status: "failed",
    failedAt: at.deciding.now.toISOString(),
    failureReason: reason,
    ...referenceOf(pix),
  };
  return emit(refundFailed, data, eventWallet(at.books, refund), at);
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

const referenceOf = (pix: ClaimedPix) => ({
  ...(pix.externalReference === null ? {} : { externalReference: pix.externalReference }),
  ...(pix.metadata === null ? {} : { metadata: pix.metadata }),
});
