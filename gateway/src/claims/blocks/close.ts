import { eventWallet } from "../../accounts/wallet.ts";
import { closeCase } from "../../cases/write.ts";
import type { Write } from "../../ledger/books.ts";
import { available, held, psp, type Transfer } from "../../ledger/chart.ts";
import { movementWrite } from "../../ledger/movement.ts";
import { toBrl } from "../../lib/money.ts";
import { present } from "../../lib/present.ts";
import { emit } from "../../webhooks/events/emit.ts";
import { type Batch, type Change, type ClaimedPix, takenFor, withRow } from "../pix.ts";
import { type BlockData, balanceBlockApproved, balanceBlockCreated, balanceBlockRejected } from "./events.ts";
import type { Block, BlockStatus, ResolutionReason } from "./row.ts";

/** The block's part of a change: its new row, and the transfers and writes that belong to it. */
export type BlockChange = {
  readonly block: Block;
  readonly transfers: readonly Transfer[];
  readonly writes: readonly Write[];
};

/** Why a block was closed, with its text. */
export type Resolution = { readonly reason: ResolutionReason; readonly text: string | null };

/** The first query for the return of an accepted case comes this long after the acceptance, milliseconds. */
const FIRST_QUERY = 60_000;

/**
 * available → held, whatever the balance: a block is a debt.
 *
 * @param taken centavos of it that have already left the wallet, by returns whose nature was not known then.
 */
export function openBlock(before: Block, batch: Batch, taken = 0): BlockChange {
  const amount = before.amount - taken;
  const block = { ...before, heldAmount: amount, takenAmount: taken };
  const [from, to] = [available(block.walletId), held(block.walletId)];
  const hold = { ...causeOf(block), kind: "block_held" as const, amount, from, to, occurredAt: block.createdAt };
  return {
    block,
    transfers: amount === 0 ? [] : [hold],
    writes: [emit(balanceBlockCreated, eventData(block, "awaiting_response"), eventWallet(batch.books, block), batch)],
  };
}

/** What an institution's list shows of the case whose return opened a block. */
export type CaseOfBlock = Pick<
  Block,
  "caseId" | "caseStatus" | "caseAmount" | "referenceNumber" | "reason" | "respondBy" | "heldUntil"
>;

/**
 * Adds the case to a block that its return has opened, and holds what is not returned yet.
 *
 * @param rest centavos still to be held; 0 where the return was the whole case.
 */
export function adoptBlock(
  before: Block,
  listedCase: CaseOfBlock,
  rest: number,
  text: string | null,
  batch: Batch,
): BlockChange {
  const { now } = batch.deciding;
  const block: Block = {
    ...before,
    ...listedCase,
    reason: listedCase.reason ?? before.reason,
    resolutionText: text,
    amount: before.amount + rest,
    heldAmount: rest,
    adoptedAmount: rest,
    updatedAt: now,
  };
  if (rest === 0) return sameBlock(block);
  const [from, to] = [available(block.walletId), held(block.walletId)];
  const more = { ...causeOf(block), leg: 1, kind: "block_held" as const, amount: rest, from, to, occurredAt: now };
  const change = listedCase.caseStatus === "accepted" ? awaitReturn(block, batch) : sameBlock(block);
  return { ...change, transfers: [more] };
}

/** The PSP has accepted the case: it will return the money by itself. It is queried until it shows the return. */
export function awaitReturn(block: Block, { deciding }: Batch): BlockChange {
  const returnNextAt = block.heldAmount > 0 ? new Date(deciding.now.getTime() + FIRST_QUERY) : null;
  return sameBlock({ ...block, returnNextAt });
}

/** Applies the next step to a block, and joins the transfers and writes of both. */
export function andThenBlock(
  { block, transfers, writes }: BlockChange,
  next: (block: Block) => BlockChange,
): BlockChange {
  const step = next(block);
  return { ...step, transfers: [...transfers, ...step.transfers], writes: [...writes, ...step.writes] };
}

export const sameBlock = (block: Block): BlockChange => ({ block, transfers: [], writes: [] });

/** Approves a block: the case was accepted, or the order carried out. What it holds stays held until the money has left. */
export function approveBlock(before: Block, resolution: Resolution, batch: Batch): BlockChange {
  const block = closed(before, "approved", resolution, batch);
  const data = eventData(block, "approved");
  return { block, transfers: [], writes: [emit(balanceBlockApproved, data, eventWallet(batch.books, block), batch)] };
}

/** Approved because the PSP has accepted the case. */
export const approveCase = (before: Block, resolution: Resolution, batch: Batch): BlockChange =>
  andThenBlock(approveBlock(before, resolution, batch), (so) => awaitReturn(so, batch));

/** Money that leaves a wallet for the payer on account of a block. */
type Taking = {
  /** Centavos. */
  readonly amount: number;
  /** Number of this transfer out of the block, counted from 0. */
  readonly leg: number;
  readonly occurredAt: Date;
  /** `available`: the block's hold was released before. */
  readonly from: "held" | "available";
  /** Whether the wallet gets a transaction for it. A refund has one already. */
  readonly asChargeback: boolean;
};

/** The money has left the PSP, so it leaves the wallet, as a chargeback. */
export function takeFromBlock(before: Block, taking: Taking, batch: Batch): BlockChange {
  const { amount, leg, occurredAt } = taking;
  const fromHold = taking.from === "held";
  const { block, writes } = withHold(before, before.heldAmount - (fromHold ? amount : 0), batch);
  const { accountId, blockId, walletId, institutionId } = block;
  const from = fromHold ? held(walletId) : available(walletId);
  const to = psp(institutionId);
  return {
    block: { ...block, takenAmount: block.takenAmount + amount },
    transfers: [{ ...causeOf(block), leg, kind: "block_taken", amount, from, to, occurredAt }],
    writes: taking.asChargeback
      ? [...writes, chargeback({ accountId, walletId, reason: block.reason }, blockId, leg, amount, batch)]
      : writes,
  };
}

/** held → available: everything that the block still holds. */
export function releaseHold(before: Block, batch: Batch): BlockChange {
  const amount = before.heldAmount;
  if (amount === 0) return sameBlock(before);
  const [from, to] = [held(before.walletId), available(before.walletId)];
  return {
    ...withHold(before, 0, batch),
    transfers: [{ ...causeOf(before), kind: "block_released", amount, from, to, occurredAt: batch.deciding.now }],
  };
}

/** A block that holds nothing waits for no return, and its case of a missing return is closed. */
function withHold(before: Block, heldAmount: number, { deciding }: Batch): BlockChange {
  const block = { ...before, heldAmount, updatedAt: deciding.now };
  if (heldAmount > 0) return sameBlock(block);
  const { accountId, blockId: objectId, returnMissingSince } = before;
  const writes =
    returnMissingSince === null ? [] : [closeCase({ accountId, kind: "block_without_return", objectId }, deciding)];
  return { block: { ...block, returnNextAt: null, returnMissingSince: null }, transfers: [], writes };
}

/** Rejects a block: what it still holds is available again. */
export function rejectBlock(
  before: Block,
  resolution: Resolution,
  batch: Batch,
  refundId: string | null = null,
): BlockChange {
  const released = releaseHold(before, batch);
  const block = { ...closed(released.block, "rejected", resolution, batch), refundId };
  const event = emit(balanceBlockRejected, eventData(block, "rejected"), eventWallet(batch.books, block), batch);
  return { block, transfers: released.transfers, writes: [...released.writes, event] };
}

/**
 * Releases a block whose approved case was refused after all. If the institution has returned a part, the block stays
 * approved for that part. Otherwise nothing was taken, so it is rejected.
 */
export const freeApproved = (pix: ClaimedPix, before: Block, resolution: Resolution, batch: Batch): BlockChange =>
  takenFor(pix, before) > 0 ? releaseHold(before, batch) : rejectBlock(before, resolution, batch);

/** Puts a changed block back into its Pix. */
export function withBlock(pix: ClaimedPix, { block, transfers, writes }: BlockChange): Change {
  return { pix: { ...pix, blocks: withRow(pix.blocks, block, (stored) => stored.blockId) }, transfers, writes };
}

/** A refund takes over what a block holds. */
export const takeOver = (pix: ClaimedPix, block: Block, refundId: string, batch: Batch): Change =>
  withBlock(pix, rejectBlock(block, { reason: "refunded", text: null }, batch, refundId));

/**
 * Makes the block of money that a refund under way already has, marked as taken over by that refund, as if the case had come
 * first. If the refund fails, the money is held again.
 */
export const blockOfRefund = (pix: ClaimedPix, block: Block, refundId: string, batch: Batch): Change =>
  withBlock(
    pix,
    andThenBlock(openBlock(block, batch), (so) => rejectBlock(so, { reason: "refunded", text: null }, batch, refundId)),
  );

const causeOf = ({ accountId, blockId }: Block) => ({ accountId, sourceId: blockId, leg: 0 });

function closed(
  before: Block,
  status: "approved" | "rejected",
  { reason, text }: Resolution,
  { deciding }: Batch,
): Block {
  const { now } = deciding;
  // A closed case accepts no defence any more.
  const defenceStatus = before.defenceStatus === "pending" ? "refused" : before.defenceStatus;
  return {
    ...before,
    status,
    resolutionReason: reason,
    resolutionText: text,
    resolvedAt: now,
    defenceStatus,
    defenceNextAt: null,
    updatedAt: now,
  };
}

/** The wallet's transaction for money that was taken from it for good. */
export function chargeback(
  taken: { readonly accountId: string; readonly walletId: string; readonly reason: string | null },
  causeId: string,
  leg: number,
  amount: number,
  { deciding }: Batch,
): Write {
  return movementWrite({
    accountId: taken.accountId,
    movementId: deciding.newId(),
    walletId: taken.walletId,
    type: "chargeback",
    direction: "out",
    amount,
    causeId,
    leg,
    description: taken.reason,
    idempotencyKey: null,
    createdAt: deciding.now,
  });
}

/** The data of a block's event. `status` is the status that the event reports. */
export function eventData<Status extends BlockStatus>(block: Block, status: Status) {
  return {
    blockId: block.blockId,
    environment: block.environment,
    amount: toBrl(block.amount),
    currency: "BRL" as const,
    blockType: block.blockType,
    status,
    createdAt: block.createdAt.toISOString(),
    ...present<Partial<BlockData>>({
      transactionId: block.chargeId,
      referenceNumber: block.referenceNumber,
      reason: block.reason,
      externalReference: block.externalReference,
      e2eId: block.e2eId,
      respondBy: block.respondBy?.toISOString(),
      heldUntil: block.heldUntil?.toISOString(),
      resolutionReason: block.resolutionReason,
      resolutionText: block.resolutionText,
      resolvedAt: block.resolvedAt?.toISOString(),
    }),
  };
}
