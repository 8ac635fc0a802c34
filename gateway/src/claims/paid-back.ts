import { closeCase } from "../cases/write.ts";
import { available, held, type LedgerName, psp, returns, suspense } from "../ledger/chart.ts";
import type { Block } from "./block.ts";
import { approveBlock, chargeback, withBlock } from "./close-block.ts";
import { type At, type Change, type ClaimedPix, returnedFor, roomOf, then, unchanged } from "./pix.ts";
import type { PspMadeReturn, PspReturnSource } from "./psp-return.ts";

/** Money of a Pix that its PSP has given back without a hold of ours for it. */
type PaidBack = {
  /** The PSP's id of it, and the network's. */
  readonly pspId: string;
  readonly rtrId: string | null;
  /** Source of its transfers: an id of its own, or that of the refund that was settled after all. */
  readonly pspReturnId: string;
  /** Centavos. */
  readonly amount: number;
  readonly settledAt: Date;
  /** Whether the wallet gets a transaction for it: a refund is one already. */
  readonly asChargeback: boolean;
};

/**
 * Books what a PSP has given back. The money has left the PSP, so it is booked whatever the balance is: on account of
 * blocks of the Pix first, then out of what holds its money.
 */
export function payBack(start: ClaimedPix, back: PaidBack, at: At): Change {
  let change = unchanged(start);
  let left = back.amount;
  for (const { blockId } of inOrder(start, back.amount)) {
    const block = change.pix.blocks.find((one) => one.blockId === blockId)!;
    const amount = Math.min(left, block.amount - returnedFor(change.pix, blockId));
    if (amount <= 0) continue;
    left -= amount;
    change = then(change, (so) => fromBlock(so, block, { ...back, amount }, at));
  }
  return left === 0 ? change : then(change, (so) => fromTheRest(so, { ...back, amount: left }, at));
}

/** One of exactly this amount first; those that were approved before those that are open; disputes before orders. */
function inOrder(pix: ClaimedPix, amount: number): Block[] {
  const rank = (block: Block): number =>
    (block.amount - returnedFor(pix, block.blockId) === amount ? 0 : 4) +
    (block.status === "approved" ? 0 : 2) +
    (block.blockType === "med" ? 0 : 1);
  return pix.blocks.filter((block) => block.status !== "rejected").sort((a, b) => rank(a) - rank(b));
}

/** What an approved block has paid already, or what an open one holds. */
function fromBlock(pix: ClaimedPix, block: Block, back: PaidBack, at: At): Change {
  const { blockId, walletId } = block;
  if (block.status === "approved") return unchanged(withPart(pix, "block", back, at, blockId));
  const leg = nextLeg(pix, back);
  const paid: Change = {
    pix: withPart(pix, "held", back, at, blockId),
    transfers: [transfer(pix, held(walletId), back, leg)],
    writes: back.asChargeback ? [chargeback(block, back.pspReturnId, leg, back.amount, at)] : [],
  };
  // All of it has gone back: the case is decided, whatever the PSP's list still says.
  if (returnedFor(paid.pix, blockId) < block.amount) return paid;
  return then(paid, (so) => withBlock(so, approveBlock(block, 0, "returned", at)));
}

/** A wallet's `available` for a credited Pix; otherwise the money is still where it was set aside, or in suspense. */
function fromTheRest(pix: ClaimedPix, back: PaidBack, at: At): Change {
  const leg = nextLeg(pix, back);
  const { accountId, walletId } = pix;
  const [source, from]: [PspReturnSource, LedgerName] =
    (pix.outcome === "unmatched" || pix.outcome === "treasury") && pix.returns.length === 0
      ? ["suspense", suspense]
      : pix.outcome === "credited" && walletId !== null
        ? ["available", available(walletId)]
        : ["returns", returns];
  const shown = source === "available" && back.asChargeback && walletId !== null;
  const of = { accountId, walletId: walletId ?? "", reason: "Returned by the PSP" };
  const after = withPart(pix, source, back, at);
  // Nothing is left to decide about a receipt without a charge when all of it has gone back.
  const done = source === "suspense" && roomOf(after) === 0;
  const about = { accountId, kind: "unmatched_receipt", objectId: pix.pixId } as const;
  return {
    pix: after,
    transfers: [transfer(pix, from, back, leg)],
    writes: [
      ...(shown ? [chargeback(of, back.pspReturnId, leg, back.amount, at)] : []),
      ...(done ? [closeCase(about, at.deciding)] : []),
    ],
  };
}

const nextLeg = (pix: ClaimedPix, { pspReturnId }: PaidBack): number =>
  pix.pspReturns.filter((part) => part.pspReturnId === pspReturnId).length;

function withPart(
  pix: ClaimedPix,
  source: PspReturnSource,
  back: PaidBack,
  { deciding }: At,
  blockId: string | null = null,
): ClaimedPix {
  const { accountId, e2eId, chargeId, walletId, institutionId } = pix;
  const { pspId, rtrId, pspReturnId, amount, settledAt } = back;
  const part: PspMadeReturn = {
    accountId, e2eId, chargeId, walletId, institutionId, pspId, rtrId, pspReturnId, leg: nextLeg(pix, back), amount, source,
    blockId, settledAt, createdAt: deciding.now,
  }; // biome-ignore format: one row
  return { ...pix, pspReturns: [...pix.pspReturns, part] };
}

const transfer = (pix: ClaimedPix, from: LedgerName, back: PaidBack, leg: number) => ({
  accountId: pix.accountId,
  kind: "psp_return" as const,
  sourceId: back.pspReturnId,
  leg,
  amount: back.amount,
  from,
  to: psp(pix.institutionId),
  occurredAt: back.settledAt,
});
