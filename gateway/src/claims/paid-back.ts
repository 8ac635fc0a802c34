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
  andThenBlock,
  approveBlock,
  type BlockChange,
  chargeback,
  openBlock,
  releaseHold,
  takeFromBlock,
  withBlock,
} from "./blocks/close.ts";
import { contradictedCase } from "./blocks/contradicted.ts";
import { type Block, type BlockFacts, isOrder, newBlock } from "./blocks/row.ts";
import { andThen, type Batch, type Change, type ClaimedPix, leftOf, returnedFor, takenFor, unchanged } from "./pix.ts";
import type { PspMadeReturn, PspReturnSource } from "./psp-return.ts";

/** Money of a Pix that its PSP gave back, and for which we hold nothing. */
type PaidBack = {
  /** The PSP's id of the return, and the network's. */
  readonly pspId: string;
  readonly rtrId: string | null;
  /** Source of its transfers: an id of its own, or the id of a refund that was settled after all. */
  readonly pspReturnId: string;
  /** Centavos. */
  readonly amount: number;
  readonly settledAt: Date;
  /** Whether the wallet gets a transaction for it. A refund has one already. */
  readonly asChargeback: boolean;
  /** The PSP marks the return as the end of a dispute; null: this PSP marks no returns. */
  readonly med: boolean | null;
  /** The institution's environment, which a new block shows. */
  readonly environment: "production" | "sandbox";
};

/**
 * Books what a PSP has given back. The money has left the PSP, so it is booked whatever the balance: first against blocks of
 * the Pix, then out of the account that has the rest of its money. A refund that was settled after all belongs to no dispute,
 * so blocks pay only what the rest of the Pix cannot. The rest of a dispute's return becomes a block too, because the list
 * shows its case later or never.
 */
export function payBack(start: ClaimedPix, paidBack: PaidBack, batch: Batch): Change {
  let change = unchanged(start);
  const free = paidBack.asChargeback ? 0 : Math.min(leftOf(start), paidBack.amount);
  let left = paidBack.amount - free;
  for (const { blockId } of inOrder(start, left)) {
    const amount = Math.min(left, dueOf(change.pix, blockOf(change.pix, blockId)));
    if (amount === 0) continue;
    left -= amount;
    change = andThen(change, (so) => fromBlock(so, blockOf(so, blockId), { ...paidBack, amount }, batch));
  }
  for (const { blockId } of paidBack.asChargeback ? start.blocks : []) {
    const amount = Math.min(left, releasedOf(blockOf(change.pix, blockId)));
    if (amount === 0) continue;
    left -= amount;
    change = andThen(change, (so) => taken(so, blockOf(so, blockId), "available", { ...paidBack, amount }, batch));
  }
  if (left + free === 0) return change;
  const rest = { ...paidBack, amount: left + free };
  return andThen(change, (so) =>
    isOfDispute(so, paidBack) ? fromNewBlock(so, rest, batch) : fromTheRest(so, rest, batch),
  );
}

const isOfDispute = ({ outcome }: ClaimedPix, { med }: PaidBack): boolean => med === true && outcome === "credited";

/** Opens the block that the case of this return would have opened had it been listed first, and takes all of it. */
function fromNewBlock(pix: ClaimedPix, paidBack: PaidBack, batch: Batch): Change {
  const block = blockOfReturn(pix, paidBack, batch);
  const opened = withBlock(pix, openBlock(block, batch));
  return andThen(opened, (so) => taken(so, blockOf(so, block.blockId), "held", paidBack, batch));
}

function blockOfReturn(pix: ClaimedPix, { pspReturnId, amount, environment }: PaidBack, { deciding }: Batch): Block {
  const { accountId, institutionId, chargeId, e2eId, externalReference } = pix;
  const facts: BlockFacts = {
    accountId,
    blockId: deciding.newId(),
    walletId: pix.walletId!,
    blockType: "med",
    ...{ amount, institutionId, environment, chargeId, e2eId, externalReference, pspReturnId },
    ...{ caseId: null, caseStatus: null, caseAmount: null, referenceNumber: null, respondBy: null, heldUntil: null },
    reason: "The institution returned the payment (MED)",
  };
  return newBlock(facts, deciding.now);
}

/** Whether a return was booked out of the wallet while its PSP had not shown its nature. */
export const isUnexplained = ({ med, source, blockId }: PspMadeReturn): boolean =>
  med === null && source === "available" && blockId === null;

const blockOf = (pix: ClaimedPix, blockId: string): Block => pix.blocks.find((block) => block.blockId === blockId)!;

/** Centavos that a block holds for a return, or has already paid for one that was not shown yet. */
const dueOf = (pix: ClaimedPix, { blockId, heldAmount, takenAmount }: Block): number =>
  heldAmount + takenAmount - returnedFor(pix, blockId);

/**
 * Centavos that an approved block released or gave back because the PSP had returned less. If the PSP returns more later,
 * that belongs to the case too.
 */
const releasedOf = ({ status, amount, heldAmount, takenAmount }: Block): number =>
  status === "approved" ? amount - heldAmount - takenAmount : 0;

/** Blocks of exactly this amount first; approved before open ones; disputes before orders. */
function inOrder(pix: ClaimedPix, amount: number): Block[] {
  const rank = (block: Block): number =>
    (dueOf(pix, block) === amount ? 0 : 4) + (block.status === "approved" ? 0 : 2) + (isOrder(block) ? 1 : 0);
  return pix.blocks.filter((block) => block.status !== "rejected").sort((a, b) => rank(a) - rank(b));
}

/** Takes from a block what it has paid already, or what it holds. */
function fromBlock(pix: ClaimedPix, block: Block, paidBack: PaidBack, batch: Batch): Change {
  const { blockId } = block;
  if (block.heldAmount === 0) {
    const paid = unchanged(withPart(pix, { source: "block", blockId, blockLeg: null }, paidBack, batch));
    return { ...paid, writes: [...paid.writes, ...contradictedCase(paid.pix, block, undefined, batch.deciding)] };
  }
  return taken(pix, block, "held", paidBack, batch);
}

function taken(pix: ClaimedPix, block: Block, from: "held" | "available", paidBack: PaidBack, batch: Batch): Change {
  const { blockId } = block;
  const blockLeg = nextTaking(pix, block);
  const { amount, settledAt: occurredAt, asChargeback } = paidBack;
  const change = takeFromBlock(block, { amount, leg: blockLeg, occurredAt, from, asChargeback }, batch);
  const paid = withPart(pix, { source: from, blockId, blockLeg }, paidBack, batch);
  // All of it was returned, so the case is decided, whatever the PSP's list still says. A late refund decides none.
  const isOver = asChargeback && block.status !== "approved" && change.block.heldAmount === 0;
  // A dispute ends as accepted, whether its return or its case is seen first: banks do not mark each return as a MED's.
  const reason = block.caseId !== null || block.blockType === "med" ? "accepted" : "returned";
  return withBlock(
    paid,
    isOver ? andThenBlock(change, (so) => approveBlock(so, { reason, text: null }, batch)) : change,
  );
}

/** The leg number of a block's next transfer to its PSP. Money that was given back had one too. */
const nextTaking = (pix: ClaimedPix, { blockId, givenBackAmount }: Block): number =>
  pix.pspReturns.filter((part) => part.blockId === blockId && part.blockLeg !== null).length +
  (givenBackAmount > 0 ? 1 : 0);

/**
 * Releases what accepted cases still hold after the PSP has returned less, unless more of its returns are under way.
 *
 * @param others returns that the PSP shows and that are not booked, without the one that is being booked.
 */
export function releaseRest(pix: ClaimedPix, others: readonly PspReturn[], batch: Batch): Change {
  if (others.some(({ status }) => status === "settled" || status === "processing")) return unchanged(pix);
  const over = pix.blocks.filter(
    (block) =>
      block.status === "approved" &&
      block.caseStatus === "accepted" &&
      block.heldAmount > 0 &&
      takenFor(pix, block) > 0,
  );
  return over.reduce(
    (change, block) => andThen(change, (so) => withBlock(so, releaseHold(block, batch))),
    unchanged(pix),
  );
}

/** The operator confirms that the money of a block has left: everything that it holds is taken. */
export function takeHold(pix: ClaimedPix | null, block: Block, batch: Batch): BlockChange {
  const leg = pix === null ? 0 : nextTaking(pix, block);
  const amount = block.heldAmount;
  if (amount === 0) return { block, transfers: [], writes: [] };
  return takeFromBlock(block, { amount, leg, occurredAt: batch.deciding.now, from: "held", asChargeback: true }, batch);
}

const BOOKED_AS = { operator_funds: operatorFunds, transit, write_offs: writeOffs } as const;

/**
 * The account that has the unclaimed money of a Pix. A receipt that became the operator's own leaves from where it was
 * booked.
 */
function holderOf({ outcome, walletId, bookedAs, returns: sent }: ClaimedPix): [PspReturnSource, LedgerName] {
  if (bookedAs !== null) return [bookedAs, BOOKED_AS[bookedAs]];
  if (outcome === "unmatched" && sent.length === 0) return ["suspense", suspense];
  if (outcome === "credited" && walletId !== null) return ["available", available(walletId)];
  return ["returns", returns];
}

/**
 * Takes the rest from a wallet's `available` for a credited Pix; otherwise from where the money was set aside, or from
 * suspense.
 */
function fromTheRest(pix: ClaimedPix, paidBack: PaidBack, batch: Batch): Change {
  const leg = nextLeg(pix, paidBack);
  const { accountId, walletId } = pix;
  const [source, from] = holderOf(pix);
  const isShown = source === "available" && paidBack.asChargeback && walletId !== null;
  const ofWallet = { accountId, walletId: walletId ?? "", reason: "Returned by the PSP" };
  const after = withPart(pix, { source, blockId: null, blockLeg: null }, paidBack, batch);
  // A receipt without a charge needs no more decision when all of it has gone back.
  const done = source === "suspense" && leftOf(after) === 0;
  const about = { accountId, kind: "unmatched_receipt", objectId: pix.pixId } as const;
  return {
    pix: after,
    transfers: [transfer(pix, from, paidBack, leg)],
    writes: [
      ...(isShown ? [chargeback(ofWallet, paidBack.pspReturnId, leg, paidBack.amount, batch)] : []),
      ...(done ? [closeCase(about, batch.deciding)] : []),
    ],
  };
}

const nextLeg = (pix: ClaimedPix, { pspReturnId }: PaidBack): number =>
  pix.pspReturns.filter((part) => part.pspReturnId === pspReturnId).length;

function withPart(
  pix: ClaimedPix,
  from: Pick<PspMadeReturn, "source" | "blockId" | "blockLeg">,
  paidBack: PaidBack,
  { deciding }: Batch,
): ClaimedPix {
  const { accountId, e2eId, chargeId, walletId, institutionId } = pix;
  const { pspId, rtrId, pspReturnId, amount, med, settledAt } = paidBack;
  const part: PspMadeReturn = {
    accountId, e2eId, chargeId, walletId, institutionId, pspId, rtrId, pspReturnId, leg: nextLeg(pix, paidBack), amount, med, ...from,
    settledAt, createdAt: deciding.now,
  }; // biome-ignore format: one row
  return { ...pix, pspReturns: [...pix.pspReturns, part] };
}

const transfer = (pix: ClaimedPix, from: LedgerName, paidBack: PaidBack, leg: number) => ({
  accountId: pix.accountId,
  kind: "psp_return" as const,
  sourceId: paidBack.pspReturnId,
  leg,
  amount: paidBack.amount,
  from,
  to: psp(pix.institutionId),
  occurredAt: paidBack.settledAt,
});
