import { available, fees, held, psp, type Transfer } from "../ledger/chart.ts";
import { toBrl } from "../lib/money.ts";
import { movementWrite } from "../transactions/movement.ts";
import { emit } from "../webhooks/event.ts";
import { openBlock, takeOver, withBlock } from "./close-block.ts";
import { type At, addressee, type Change, type ClaimedPix, openBlocks, put, roomOf, then, unchanged } from "./pix.ts";
import type { Refund } from "./refund.ts";
import type { PixReturn } from "./return.ts";

/** How a PSP tells that a return was settled. */
export type Settlement = {
  readonly rtrId: string | null;
  readonly settledAt: Date | null;
  readonly environment: "production" | "sandbox";
};

/**
 * Confirms a refund: amount and fee leave what was held. One that had been released already is paid from `available`,
 * without a fee, and everything else under way on this Pix ends: the PSP has given the whole of it back.
 */
export function confirmRefund(pix: ClaimedPix, refund: Refund, end: Settlement, at: At): Change {
  const late = refund.status === "error";
  const settledAt = end.settledAt ?? at.deciding.now;
  const { accountId, refundId, walletId, amount } = refund;
  const row: Refund = {
    ...refund,
    status: "confirmed",
    late,
    rtrId: end.rtrId,
    refundedAt: settledAt,
    failureReason: null,
    updatedAt: at.deciding.now,
  };
  const back: Partial<PixReturn> = { status: "confirmed", rtrId: end.rtrId, settledAt, failureReason: null };
  const feeAmount = late ? 0 : refund.feeAmount;
  const cause = { accountId, sourceId: refundId, leg: 0, occurredAt: settledAt };
  const paid: Transfer = late
    ? { ...cause, kind: "psp_return", amount, from: available(walletId), to: psp(pix.institutionId) }
    : { ...cause, kind: "refund_sent", amount, from: held(walletId), to: psp(pix.institutionId) };
  const own = (now: ClaimedPix): Change => ({
    pix: withRefund(now, row, back, at),
    transfers:
      feeAmount === 0
        ? [paid]
        : [paid, { ...cause, kind: "refund_fee", amount: feeAmount, from: held(walletId), to: fees }],
    writes: [
      ...(feeAmount === 0 ? [] : [feeMovement(refund, feeAmount, at)]),
      completed(now, { ...row, feeAmount }, end, at),
    ],
  });
  return then(late ? everythingEnds(pix, refund, at) : unchanged(pix), own);
}

/**
 * Ends a refund that was not carried out: its hold is available again. A block whose hold it had taken over comes back
 * as a new one, or a dispute could be ended by asking for a refund that fails.
 */
export function failRefund(pix: ClaimedPix, refund: Refund, reason: string, at: At, blocksAgain = true): Change {
  const { accountId, refundId, walletId } = refund;
  const { now } = at.deciding;
  const row: Refund = { ...refund, status: "error", failureReason: reason, updatedAt: now };
  const released: Change = {
    pix: withRefund(pix, row, { status: "failed", failureReason: reason }, at),
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
    writes: [],
  };
  if (!blocksAgain) return released;
  const taken = pix.blocks.filter((block) => block.refundId === refundId);
  return taken.reduce(
    (change, block) =>
      then(change, (so) => {
        const amount = Math.min(block.amount, roomOf(so));
        if (amount <= 0) return unchanged(so);
        const again = {
          ...block,
          blockId: at.deciding.newId(),
          status: "awaiting_response" as const,
          amount,
          defence: null,
          defenceStatus: null,
          refundId: null,
          resolutionReason: null,
          resolvedAt: null,
          createdAt: now,
          updatedAt: now,
        };
        return withBlock(so, openBlock(again, at));
      }),
    released,
  );
}

function everythingEnds(pix: ClaimedPix, by: Refund, at: At): Change {
  const pending = pix.refunds.filter((refund) => refund.status === "pending");
  const failed = pending.reduce(
    (change, refund) =>
      then(change, (so) => failRefund(so, refund, "An earlier refund was settled after all.", at, false)),
    unchanged(pix),
  );
  return openBlocks(pix).reduce((change, block) => then(change, (so) => takeOver(so, block, by.refundId, at)), failed);
}

/** The refund and its return always end together. */
function withRefund(pix: ClaimedPix, refund: Refund, end: Partial<PixReturn>, { deciding }: At): ClaimedPix {
  const back = pix.returns.find((one) => one.returnId === refund.refundId);
  if (!back) throw new Error("a refund without its return");
  const over: PixReturn = { ...back, ...end, nextAt: null, updatedAt: deciding.now };
  return {
    ...pix,
    refunds: put(pix.refunds, refund, (one) => one.refundId),
    returns: put(pix.returns, over, (one) => one.returnId),
  };
}

function feeMovement({ accountId, walletId, refundId }: Refund, amount: number, { deciding }: At) {
  return movementWrite({
    accountId,
    movementId: deciding.newId(),
    walletId,
    type: "fee",
    direction: "out",
    amount,
    counterpartWalletId: null,
    causeId: refundId,
    leg: 0,
    description: "Refund fee",
    idempotencyKey: null,
    createdAt: deciding.now,
  });
}

function completed(pix: ClaimedPix, refund: Refund, end: Settlement, { books, deciding }: At) {
  const data = {
    refundTransactionId: refund.refundId,
    originalTransactionId: refund.chargeId,
    environment: end.environment,
    amount: toBrl(refund.amount),
    feeAmount: toBrl(refund.feeAmount),
    netAmount: toBrl(refund.amount),
    currency: "BRL",
    paymentMethod: "pix",
    status: "completed",
    refundedAt: refund.refundedAt!.toISOString(),
    ...(refund.rtrId === null ? {} : { e2eId: refund.rtrId }),
    ...(pix.externalReference === null ? {} : { externalReference: pix.externalReference }),
    ...(pix.metadata === null ? {} : { metadata: pix.metadata }),
  };
  const to = addressee(books, refund.accountId, refund.walletId);
  return emit(books, { ...to, kind: "refund_completed", eventId: refund.refundId, data }, deciding);
}
