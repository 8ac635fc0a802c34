import { closeCase } from "../cases/write.ts";
import {
  available,
  type LedgerName,
  operatorFunds,
  psp,
  returns,
  suspense,
  transit,
  writeOffs,
} from "../ledger/chart.ts";
import type { PspReturn } from "../psp/psp.ts";
import {
  approveBlock,
  type BlockChange,
  chargeback,
  openBlock,
  releaseHold,
  takeFromBlock,
  thenBlock,
  withBlock,
} from "./blocks/close.ts";
import { contradictedCase } from "./blocks/contradicted.ts";
import { type Block, type BlockFacts, newBlock } from "./blocks/row.ts";
import { type At, type Change, type ClaimedPix, leftOf, returnedFor, then, unchanged } from "./pix.ts";
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
  /** The PSP marks it as the end of a dispute; null: it marks no return. */
  readonly med: boolean | null;
  /** Of the institution, which a new block shows. */
  readonly environment: "production" | "sandbox";
};

/**
 * Books what a PSP has given back. The money has left the PSP, so it is booked whatever the balance is: on account of
 * blocks of the Pix first, as the blocks' own, then out of what holds its money. The rest of a dispute's return is a
 * block too: the list of cases shows its case later, or never.
 */
export function payBack(start: ClaimedPix, back: PaidBack, at: At): Change {
  let change = unchanged(start);
  let left = back.amount;
  for (const { blockId } of inOrder(start, back.amount)) {
    const amount = Math.min(left, dueOf(change.pix, blockOf(change.pix, blockId)));
    if (amount === 0) continue;
    left -= amount;
    change = then(change, (so) => fromBlock(so, blockOf(so, blockId), { ...back, amount }, at));
  }
  for (const { blockId } of back.asChargeback ? start.blocks : []) {
    const amount = Math.min(left, releasedOf(blockOf(change.pix, blockId)));
    if (amount === 0) continue;
    left -= amount;
    change = then(change, (so) => taken(so, blockOf(so, blockId), "available", { ...back, amount }, at));
  }
  if (left === 0) return change;
  const rest = { ...back, amount: left };
  return then(change, (so) => (isOfDispute(so, back) ? fromNewBlock(so, rest, at) : fromTheRest(so, rest, at)));
}

const isOfDispute = ({ outcome }: ClaimedPix, { med }: PaidBack): boolean => med === true && outcome === "credited";

/** Opens the block that the case of the return would have opened, had it been listed before, and takes all of it. */
function fromNewBlock(pix: ClaimedPix, back: PaidBack, at: At): Change {
  const block = blockOfReturn(pix, back, at);
  const opened = withBlock(pix, openBlock(block, at));
  return then(opened, (so) => taken(so, blockOf(so, block.blockId), "held", back, at));
}

function blockOfReturn(pix: ClaimedPix, { pspReturnId, amount, environment }: PaidBack, { deciding }: At): Block {
  const { accountId, institutionId, chargeId, e2eId, externalReference } = pix;
  const facts: BlockFacts = {
    accountId,
    blockId: deciding.newId(),
    walletId: pix.walletId!,
    blockType: "med",
    ...{ amount, institutionId, environment, chargeId, e2eId, externalReference, pspReturnId },
    ...{ caseId: null, caseStatus: null, referenceNumber: null, respondBy: null },
    reason: "The institution returned the payment (MED)",
  };
  return newBlock(facts, deciding.now);
}

/** Whether a return was booked out of the wallet and its PSP has not shown what it is of. */
export const isUnexplained = ({ med, source, blockId }: PspMadeReturn): boolean =>
  med === null && source === "available" && blockId === null;

const blockOf = (pix: ClaimedPix, blockId: string): Block => pix.blocks.find((one) => one.blockId === blockId)!;

/** What a block holds for a return, or has paid for one that was not shown yet, centavos. */
const dueOf = (pix: ClaimedPix, { blockId, heldAmount, takenAmount }: Block): number =>
  heldAmount + takenAmount - returnedFor(pix, blockId);

/** What an approved block released or gave back, because the PSP had returned less: should the PSP return more, it is the case's too. */
const releasedOf = ({ status, amount, heldAmount, takenAmount }: Block): number =>
  status === "approved" ? amount - heldAmount - takenAmount : 0;

/** One of exactly this amount first; those that were approved before those that are open; disputes before orders. */
function inOrder(pix: ClaimedPix, amount: number): Block[] {
  const rank = (block: Block): number =>
    (dueOf(pix, block) === amount ? 0 : 4) +
    (block.status === "approved" ? 0 : 2) +
    (block.blockType === "med" ? 0 : 1);
  return pix.blocks.filter((block) => block.status !== "rejected").sort((a, b) => rank(a) - rank(b));
}

/** What a block has paid already, or what it holds. */
function fromBlock(pix: ClaimedPix, block: Block, back: PaidBack, at: At): Change {
  const { blockId } = block;
  if (block.heldAmount === 0) {
    const paid = unchanged(withPart(pix, { source: "block", blockId, blockLeg: null }, back, at));
    return { ...paid, writes: [...paid.writes, ...contradictedCase(paid.pix, block, undefined, at.deciding)] };
  }
  return taken(pix, block, "held", back, at);
}

function taken(pix: ClaimedPix, block: Block, from: "held" | "available", back: PaidBack, at: At): Change {
  const { blockId } = block;
  const blockLeg = nextTaking(pix, block);
  const { amount, settledAt: occurredAt, asChargeback } = back;
  const change = takeFromBlock(block, { amount, leg: blockLeg, occurredAt, from, asChargeback }, at);
  const paid = withPart(pix, { source: from, blockId, blockLeg }, back, at);
  // All of it has gone back: the case is decided, whatever the PSP's list still says.
  const isOver = block.status !== "approved" && change.block.heldAmount === 0;
  // A dispute is over as accepted whichever is seen first, its return or its case: banks do not mark each return as a MED's.
  const reason = block.blockType === "med" ? "accepted" : "returned";
  return withBlock(paid, isOver ? thenBlock(change, (so) => approveBlock(so, { reason, text: null }, at)) : change);
}

/** The leg of a block's next transfer to its PSP. What was given back had one too. */
const nextTaking = (pix: ClaimedPix, { blockId, givenBackAmount }: Block): number =>
  pix.pspReturns.filter((part) => part.blockId === blockId && part.blockLeg !== null).length +
  (givenBackAmount > 0 ? 1 : 0);

/**
 * Releases what accepted cases still hold after the PSP has returned less, unless more of its returns are under way.
 *
 * @param others returns that the PSP shows and that are not booked, the one that is being booked left out.
 */
export function releaseRest(pix: ClaimedPix, others: readonly PspReturn[], at: At): Change {
  if (others.some(({ status }) => status === "settled" || status === "processing")) return unchanged(pix);
  const over = pix.blocks.filter(
    ({ status, caseStatus, heldAmount, takenAmount }) =>
      status === "approved" && caseStatus === "accepted" && heldAmount > 0 && takenAmount > 0,
  );
  return over.reduce((change, block) => then(change, (so) => withBlock(so, releaseHold(block, at))), unchanged(pix));
}

/** The operator says that the money of a block has left: all that it holds is taken. */
export function takeHold(pix: ClaimedPix | null, block: Block, at: At): BlockChange {
  const leg = pix === null ? 0 : nextTaking(pix, block);
  const amount = block.heldAmount;
  if (amount === 0) return { block, transfers: [], writes: [] };
  return takeFromBlock(block, { amount, leg, occurredAt: at.deciding.now, from: "held", asChargeback: true }, at);
}

const BOOKED_AS = { operator_funds: operatorFunds, transit, write_offs: writeOffs } as const;

/** What holds the money of a Pix that nothing has claimed. A receipt that became the operator's own leaves from where it was booked. */
function holderOf({ outcome, walletId, bookedAs, returns: sent }: ClaimedPix): [PspReturnSource, LedgerName] {
  if (bookedAs !== null) return [bookedAs, BOOKED_AS[bookedAs]];
  if (outcome === "unmatched" && sent.length === 0) return ["suspense", suspense];
  if (outcome === "credited" && walletId !== null) return ["available", available(walletId)];
  return ["returns", returns];
}

/** A wallet's `available` for a credited Pix; otherwise the money is still where it was set aside, or in suspense. */
function fromTheRest(pix: ClaimedPix, back: PaidBack, at: At): Change {
  const leg = nextLeg(pix, back);
  const { accountId, walletId } = pix;
  const [source, from] = holderOf(pix);
  const shown = source === "available" && back.asChargeback && walletId !== null;
  const of = { accountId, walletId: walletId ?? "", reason: "Returned by the PSP" };
  const after = withPart(pix, { source, blockId: null, blockLeg: null }, back, at);
  // Nothing is left to decide about a receipt without a charge when all of it has gone back.
  const done = source === "suspense" && leftOf(after) === 0;
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
  from: Pick<PspMadeReturn, "source" | "blockId" | "blockLeg">,
  back: PaidBack,
  { deciding }: At,
): ClaimedPix {
  const { accountId, e2eId, chargeId, walletId, institutionId } = pix;
  const { pspId, rtrId, pspReturnId, amount, med, settledAt } = back;
  const part: PspMadeReturn = {
    accountId, e2eId, chargeId, walletId, institutionId, pspId, rtrId, pspReturnId, leg: nextLeg(pix, back), amount, med, ...from,
    settledAt, createdAt: deciding.now,
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
