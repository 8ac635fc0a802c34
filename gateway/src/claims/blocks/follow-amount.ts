import { eventWallet } from "../../accounts/wallet.ts";
import type { Write } from "../../ledger/books.ts";
import { available, held } from "../../ledger/chart.ts";
import type { CommandKind } from "../../ledger/lane.ts";
import { LIMITS } from "../../lib/limits.ts";
import { toBrl } from "../../lib/money.ts";
import type { PspInfraction } from "../../psp/psp.ts";
import { emit } from "../../webhooks/events/emit.ts";
import { isUnexplained } from "../paid-back.ts";
import {
  andThen,
  type Batch,
  type Change,
  type ClaimedPix,
  claimedPixTable,
  isRefunds,
  leftOf,
  sumOf,
  takenFor,
  unchanged,
  wentBack,
} from "../pix.ts";
import {
  andThenBlock,
  approveBlock,
  type BlockChange,
  blockOfRefund,
  eventData,
  rejectBlock,
  sameBlock,
  withBlock,
} from "./close.ts";
import { balanceBlockChanged } from "./events.ts";
import { type Block, isOpen, newBlock } from "./row.ts";

/**
 * Adjusts the holds of a case to the amount that its institution now shows: they grow up to what is left of the Pix, and what
 * is held beyond the amount is available again. Only open blocks change. An accepted case frees nothing here: its return shows
 * what the payer got.
 */
export function followAmount(start: ClaimedPix, infraction: PspInfraction, batch: Batch): Change {
  const { id, amount, status } = infraction;
  if (amount <= 0 || (status !== "open" && status !== "in_defence" && status !== "accepted")) return unchanged(start);
  const sized = unchanged(withCaseAmount(start, infraction));
  const open = sized.pix.blocks.filter((block) => block.caseId === id && isOpen(block));
  const last = open.at(-1);
  if (!last) return sized;
  const missing = amount - coveredOf(sized.pix, id);
  if (missing > 0) return grow(sized, last, missing, batch);
  return missing < 0 && status !== "accepted" ? shrink(sized, open, infraction, -missing, batch) : sized;
}

/** Holds what is left of the Pix. If a refund under way has the rest and fails, a block holds that too. */
function grow(start: Change, block: Block, missing: number, batch: Batch): Change {
  const more = Math.min(missing, leftOf(start.pix));
  const grown = more > 0 ? andThen(start, (so) => withBlock(so, changeAmount(block, more, batch))) : start;
  const refund = start.pix.refunds.find(({ status }) => status === "pending");
  if (!refund) return grown;
  const amount = Math.min(refund.amount, missing - more) - takenOver(start.pix, block.caseId, refund.refundId);
  const { newId, now } = batch.deciding;
  const waiting = newBlock({ ...block, blockId: newId(), amount }, now);
  return amount > 0 ? andThen(grown, (so) => blockOfRefund(so, waiting, refund.refundId, batch)) : grown;
}

/**
 * Whether the amount of an open case has grown after all of it was returned: then it needs another block. A block that operators
 * have released does not come back.
 */
export const isOutgrown = (pix: ClaimedPix, blocks: readonly Block[], { id, amount, status }: PspInfraction): boolean =>
  (status === "open" || status === "in_defence") &&
  blocks.length > 0 &&
  blocks.every((block) => block.status === "approved" && block.heldAmount + takenFor(pix, block) >= block.amount) &&
  amount > coveredOf(pix, id);

type CaseOfPix = { readonly accountId: string; readonly e2eId: string; readonly shown: PspInfraction };

/**
 * Whether an open case holds only a part of its amount while other claims hold the rest. They may free it, so the case is applied
 * again.
 */
export const awaitsMore: CommandKind<CaseOfPix, boolean> = {
  name: "read what a case lacks",
  wants: ({ accountId, e2eId }, want) => want.row(claimedPixTable, { accountId, id: e2eId }),
  decide({ accountId, e2eId, shown: { id, amount, status } }, books) {
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    const own = pix?.blocks.filter((block) => block.caseId === id) ?? [];
    if (!pix || (status !== "open" && status !== "in_defence") || !own.some(isOpen)) return { result: false };
    const elsewhere = pix.amount - wentBack(pix) - sumOf(own.map((block) => ({ amount: block.heldAmount })));
    return { result: Math.min(amount - coveredOf(pix, id), elsewhere) > 0 };
  },
};

/** Centavos of a case's blocks that this refund has taken over already. */
export const takenOver = (pix: ClaimedPix, id: string | null, by: string): number =>
  sumOf(
    pix.blocks
      .filter(({ caseId, refundId }) => caseId === id && refundId === by)
      .map((block) => ({ amount: block.amount - block.takenAmount })),
  );

/** Stores the amount in every block of the case: a hold that comes back after a refund failed follows it too. */
function withCaseAmount(pix: ClaimedPix, { id, amount }: PspInfraction): ClaimedPix {
  const isNews = ({ caseId, caseAmount }: Block): boolean => caseId === id && caseAmount !== amount;
  if (!pix.blocks.some(isNews)) return pix;
  return { ...pix, blocks: pix.blocks.map((block) => (isNews(block) ? { ...block, caseAmount: amount } : block)) };
}

/** Frees `tooMuch` centavos of these blocks, of the newest one first. */
function shrink(
  start: Change,
  open: readonly Block[],
  infraction: PspInfraction,
  tooMuch: number,
  batch: Batch,
): Change {
  let left = tooMuch;
  return open.reduceRight((change, block) => {
    const less = Math.min(left, block.heldAmount);
    left -= less;
    return less === 0 ? change : andThen(change, (so) => withBlock(so, lower(so, block, less, infraction, batch)));
  }, start);
}

/**
 * Lowers the hold of a block. A block that holds nothing any more has ended: the institution wants no more than it has returned
 * of it.
 */
function lower(pix: ClaimedPix, block: Block, less: number, { resolution }: PspInfraction, batch: Batch): BlockChange {
  if (less < block.heldAmount) return changeAmount(block, -less, batch);
  const text = resolution ?? null;
  if (takenFor(pix, block) === 0) {
    // As after the end of a case: if the amount grows again, the case gets another block.
    return rejectBlock({ ...block, caseStatus: "cancelled" }, { reason: "withdrawn", text }, batch);
  }
  return andThenBlock(changeAmount(block, -less, batch), (so) => approveBlock(so, { reason: "accepted", text }, batch));
}

/**
 * Moves `by` centavos from available to held, or back if negative. After `LIMITS.blockChanges` changes the hold stays as it is
 * until the case ends.
 */
function changeAmount(before: Block, by: number, batch: Batch): BlockChange {
  const { now, newId } = batch.deciding;
  const changes = before.amountChanges ?? [];
  if (changes.length >= LIMITS.blockChanges) return sameBlock(before);
  const change = { id: newId(), by, at: now.toISOString() };
  const block: Block = {
    ...before,
    amount: before.amount + by,
    heldAmount: before.heldAmount + by,
    amountChanges: [...changes, change],
    updatedAt: now,
  };
  const { accountId, blockId: sourceId, walletId } = block;
  // Legs 0 and 1 belong to the opening of the block and to what its case added to a return.
  const cause = { accountId, sourceId, leg: changes.length + 2, amount: Math.abs(by), occurredAt: now };
  const [free, kept] = [available(walletId), held(walletId)];
  return {
    block,
    transfers: [
      by > 0
        ? { ...cause, kind: "block_held", from: free, to: kept }
        : { ...cause, kind: "block_released", from: kept, to: free },
    ],
    writes: [emitChange(block, change, before.amount, batch)],
  };
}

/** The event of a change of an open block: of its amount, or of its kind. */
export function emitChange(
  block: Block,
  change: { readonly id: string; readonly at: string },
  previousAmount: number,
  batch: Batch,
): Write {
  const { status } = block as Block & { readonly status: "awaiting_response" | "defended" };
  const data = {
    ...{ ...eventData(block, status), changeId: change.id, changedAt: change.at },
    previousAmount: toBrl(previousAmount),
  };
  return emit(balanceBlockChanged, data, eventWallet(batch.books, block), batch);
}

/** Centavos of a case that its blocks hold, or that the institution has returned. */
export function coveredOf(pix: ClaimedPix, caseId: string): number {
  const holds = pix.blocks.filter((block) => block.caseId === caseId).map(({ heldAmount: amount }) => ({ amount }));
  return sumOf(holds) + returnedBefore(pix, caseId);
}

/** How much of a hold may come back after the refund that had taken it over failed: at most the amount of its case. */
export const missingOf = (pix: ClaimedPix, { caseId, caseAmount }: Block): number =>
  caseId === null || caseAmount === null ? leftOf(pix) : Math.min(leftOf(pix), caseAmount - coveredOf(pix, caseId));

/**
 * Centavos that the PSP has already returned for a case: by its earlier blocks, and by returns of a known nature without a
 * block. Refunds are not among them, not even one that was settled late: they lower what is left of the Pix.
 */
function returnedBefore(pix: ClaimedPix, caseId: string): number {
  const free = pix.pspReturns.filter((part) => part.blockId === null && !isUnexplained(part) && !isRefunds(pix, part));
  const ofCase = pix.blocks.filter((block) => block.caseId === caseId);
  return sumOf(ofCase.map((block) => ({ amount: takenFor(pix, block) }))) + sumOf(free);
}
