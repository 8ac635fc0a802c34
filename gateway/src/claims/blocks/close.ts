import { eventWallet } from "../../accounts/wallet.ts";
import { closeCase } from "../../cases/write.ts";
import type { Write } from "../../ledger/books.ts";
import { available, held, psp, type Transfer } from "../../ledger/chart.ts";
import { toBrl } from "../../lib/money.ts";
import { movementWrite } from "../../transactions/movement.ts";
import { emit } from "../../webhooks/events/emit.ts";
import { type At, type Change, type ClaimedPix, put } from "../pix.ts";
import { balanceBlockApproved, balanceBlockCreated, balanceBlockRejected } from "./events.ts";
import type { Block, BlockStatus, ResolutionReason } from "./row.ts";

/** A block's own half of a change: the row as it is then, and what moves with it. */
export type BlockChange = {
  readonly block: Block;
  readonly transfers: readonly Transfer[];
  readonly writes: readonly Write[];
};

/** Why a block was closed, and in whose words. */
export type Resolution = { readonly reason: ResolutionReason; readonly text: string | null };

/** When the PSP is first queried for the return of a case that it has accepted, milliseconds after that. */
const FIRST_QUERY = 60_000;

/**
 * available → held, whatever the balance is: a block is a debt.
 *
 * @param taken centavos of it that have left the wallet before, by returns that nothing named a dispute's then.
 */
export function openBlock(before: Block, at: At, taken = 0): BlockChange {
  const amount = before.amount - taken;
  const block = { ...before, heldAmount: amount, takenAmount: taken };
  const [from, to] = [available(block.walletId), held(block.walletId)];
  const hold = { ...causeOf(block), kind: "block_held" as const, amount, from, to, occurredAt: block.createdAt };
  return {
    block,
    transfers: amount === 0 ? [] : [hold],
    writes: [emit(balanceBlockCreated, eventData(block, "awaiting_response"), eventWallet(at.books, block), at)],
  };
}

/** What an institution's list shows of the case of a block that its return has opened. */
export type CaseOfBlock = Pick<Block, "caseId" | "caseStatus" | "referenceNumber" | "reason" | "respondBy">;

/**
 * The case of a block that its return has opened: now it is known, and what of it is not returned yet is held.
 *
 * @param rest centavos, 0 where the return was of all of it.
 */
export function adoptBlock(before: Block, shown: CaseOfBlock, rest: number, text: string | null, at: At): BlockChange {
  const { now } = at.deciding;
  const block: Block = {
    ...before,
    ...shown,
    reason: shown.reason ?? before.reason,
    resolutionText: text,
    amount: before.amount + rest,
    heldAmount: rest,
    adoptedAmount: rest,
    updatedAt: now,
  };
  if (rest === 0) return sameBlock(block);
  const [from, to] = [available(block.walletId), held(block.walletId)];
  const more = { ...causeOf(block), leg: 1, kind: "block_held" as const, amount: rest, from, to, occurredAt: now };
  const change = shown.caseStatus === "accepted" ? awaitReturn(block, at) : sameBlock(block);
  return { ...change, transfers: [more] };
}

/** The PSP has accepted the case: it returns the money by itself, and is queried until it shows that. */
export function awaitReturn(block: Block, { deciding }: At): BlockChange {
  const returnNextAt = block.heldAmount > 0 ? new Date(deciding.now.getTime() + FIRST_QUERY) : null;
  return sameBlock({ ...block, returnNextAt });
}

/** The next step of a block, decided from where the last one has got to. */
export function thenBlock({ block, transfers, writes }: BlockChange, next: (block: Block) => BlockChange): BlockChange {
  const step = next(block);
  return { ...step, transfers: [...transfers, ...step.transfers], writes: [...writes, ...step.writes] };
}

export const sameBlock = (block: Block): BlockChange => ({ block, transfers: [], writes: [] });

/** Approved: the case was accepted, or the order carried out. What it holds stays held until the money has left. */
export function approveBlock(before: Block, resolution: Resolution, at: At): BlockChange {
  const block = closed(before, "approved", resolution, at);
  const data = eventData(block, "approved");
  return { block, transfers: [], writes: [emit(balanceBlockApproved, data, eventWallet(at.books, block), at)] };
}

/** Approved because the PSP has accepted the case. */
export const approveCase = (before: Block, resolution: Resolution, at: At): BlockChange =>
  thenBlock(approveBlock(before, resolution, at), (so) => awaitReturn(so, at));

/** Money that leaves a wallet for the payer on account of a block. */
type Taking = {
  /** Centavos. */
  readonly amount: number;
  /** Which of the block's takings it is, from 0. */
  readonly leg: number;
  readonly occurredAt: Date;
  /** `available`: the block's hold was released before. */
  readonly from: "held" | "available";
  /** Whether the wallet gets a transaction for it: a refund is one already. */
  readonly asChargeback: boolean;
};

/** The money has left the PSP, so it leaves the wallet, as a chargeback. */
export function takeFromBlock(before: Block, taking: Taking, at: At): BlockChange {
  const { amount, leg, occurredAt } = taking;
  const fromHold = taking.from === "held";
  const { block, writes } = withHold(before, before.heldAmount - (fromHold ? amount : 0), at);
  const { accountId, blockId, walletId, institutionId } = block;
  const from = fromHold ? held(walletId) : available(walletId);
  const to = psp(institutionId);
  return {
    block: { ...block, takenAmount: block.takenAmount + amount },
    transfers: [{ ...causeOf(block), leg, kind: "block_taken", amount, from, to, occurredAt }],
    writes: taking.asChargeback
      ? [...writes, chargeback({ accountId, walletId, reason: block.reason }, blockId, leg, amount, at)]
      : writes,
  };
}

/** held → available: all that it still holds. */
export function releaseHold(before: Block, at: At): BlockChange {
  const amount = before.heldAmount;
  if (amount === 0) return sameBlock(before);
  const [from, to] = [held(before.walletId), available(before.walletId)];
  return {
    ...withHold(before, 0, at),
    transfers: [{ ...causeOf(before), kind: "block_released", amount, from, to, occurredAt: at.deciding.now }],
  };
}

/** A block that holds nothing waits for no return, and no case is open about it. */
function withHold(before: Block, heldAmount: number, { deciding }: At): BlockChange {
  const block = { ...before, heldAmount, updatedAt: deciding.now };
  if (heldAmount > 0) return sameBlock(block);
  const { accountId, blockId: objectId, returnMissingSince } = before;
  const writes =
    returnMissingSince === null ? [] : [closeCase({ accountId, kind: "block_without_return", objectId }, deciding)];
  return { block: { ...block, returnNextAt: null, returnMissingSince: null }, transfers: [], writes };
}

/** Rejected: what it still holds is available again. */
export function rejectBlock(
  before: Block,
  resolution: Resolution,
  at: At,
  refundId: string | null = null,
): BlockChange {
  const released = releaseHold(before, at);
  const block = { ...closed(released.block, "rejected", resolution, at), refundId };
  const event = emit(balanceBlockRejected, eventData(block, "rejected"), eventWallet(at.books, block), at);
  return { block, transfers: released.transfers, writes: [...released.writes, event] };
}

/**
 * A case that was approved is refused after all: what it still holds is available again. One of which the institution has returned a
 * part stays approved for that; of any other nothing was taken, so it is rejected.
 */
export const freeApproved = (before: Block, resolution: Resolution, at: At): BlockChange =>
  before.takenAmount > 0 ? releaseHold(before, at) : rejectBlock(before, resolution, at);

/** The same for a block of a Pix. */
export function withBlock(pix: ClaimedPix, { block, transfers, writes }: BlockChange): Change {
  return { pix: { ...pix, blocks: put(pix.blocks, block, (one) => one.blockId) }, transfers, writes };
}

/** A refund takes over what a block holds. */
export const takeOver = (pix: ClaimedPix, block: Block, refundId: string, at: At): Change =>
  withBlock(pix, rejectBlock(block, { reason: "refunded", text: null }, at, refundId));

const causeOf = ({ accountId, blockId }: Block) => ({ accountId, sourceId: blockId, leg: 0 });

function closed(before: Block, status: "approved" | "rejected", { reason, text }: Resolution, { deciding }: At): Block {
  const { now } = deciding;
  // A case that is over takes no defence any more.
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

/** Money that was taken from a wallet for good, as a transaction of it. */
export function chargeback(
  of: { readonly accountId: string; readonly walletId: string; readonly reason: string | null },
  causeId: string,
  leg: number,
  amount: number,
  { deciding }: At,
): Write {
  return movementWrite({
    accountId: of.accountId,
    movementId: deciding.newId(),
    walletId: of.walletId,
    type: "chargeback",
    direction: "out",
    amount,
    causeId,
    leg,
    description: of.reason,
    idempotencyKey: null,
    createdAt: deciding.now,
  });
}

/** The data of a block's event; `status` is the one that the event reports. */
function eventData<Status extends BlockStatus>(block: Block, status: Status) {
  return {
    blockId: block.blockId,
    environment: block.environment,
    amount: toBrl(block.amount),
    currency: "BRL" as const,
    blockType: block.blockType,
    status,
    createdAt: block.createdAt.toISOString(),
    ...(block.chargeId === null ? {} : { transactionId: block.chargeId }),
    ...(block.referenceNumber === null ? {} : { referenceNumber: block.referenceNumber }),
    ...(block.reason === null ? {} : { reason: block.reason }),
    ...(block.externalReference === null ? {} : { externalReference: block.externalReference }),
    ...(block.e2eId === null ? {} : { e2eId: block.e2eId }),
    ...(block.respondBy === null ? {} : { respondBy: block.respondBy.toISOString() }),
    ...(block.resolutionReason === null ? {} : { resolutionReason: block.resolutionReason }),
    ...(block.resolutionText === null ? {} : { resolutionText: block.resolutionText }),
    ...(block.resolvedAt === null ? {} : { resolvedAt: block.resolvedAt.toISOString() }),
  };
}
