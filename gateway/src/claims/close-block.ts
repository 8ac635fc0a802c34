import { eventWallet } from "../accounts/wallet.ts";
import type { Write } from "../ledger/books.ts";
import { available, held, psp, type Transfer } from "../ledger/chart.ts";
import { toBrl } from "../lib/money.ts";
import { movementWrite } from "../transactions/movement.ts";
import { emit } from "../webhooks/events/emit.ts";
import type { Block, BlockStatus } from "./block.ts";
import { balanceBlockApproved, balanceBlockCreated, balanceBlockRejected } from "./block-events.ts";
import { type At, type Change, type ClaimedPix, holdOf, put } from "./pix.ts";

/** A block's own half of a change: the row as it is then, and what moves with it. */
export type BlockChange = {
  readonly block: Block;
  readonly transfers: readonly Transfer[];
  readonly writes: readonly Write[];
};

/** available → held, whatever the balance is: a block is a debt. */
export function openBlock(block: Block, at: At): BlockChange {
  const { amount, createdAt } = block;
  const [from, to] = [available(block.walletId), held(block.walletId)];
  return {
    block,
    transfers: [{ ...causeOf(block), kind: "block_held", amount, from, to, occurredAt: createdAt }],
    writes: [emit(balanceBlockCreated, eventData(block, "awaiting_response"), eventWallet(at.books, block), at)],
  };
}

/** Approved: what it still holds leaves for the payer, as a chargeback of the wallet. */
export function approveBlock(before: Block, hold: number, resolutionReason: string | null, at: At): BlockChange {
  const block = closed(before, "approved", resolutionReason, at);
  const cause = { ...causeOf(block), amount: hold };
  const to = psp(block.institutionId);
  const taken: Transfer = {
    ...cause,
    kind: "block_taken",
    from: held(block.walletId),
    to,
    occurredAt: at.deciding.now,
  };
  return {
    block,
    transfers: hold > 0 ? [taken] : [],
    writes: [
      ...(hold > 0 ? [chargeback(block, block.blockId, 0, hold, at)] : []),
      emit(balanceBlockApproved, eventData(block, "approved"), eventWallet(at.books, block), at),
    ],
  };
}

/** Rejected: what it still holds is available again. */
export function rejectBlock(
  before: Block,
  hold: number,
  resolutionReason: string | null,
  at: At,
  refundId: string | null = null,
): BlockChange {
  const block = { ...closed(before, "rejected", resolutionReason, at), refundId };
  const [from, to] = [held(block.walletId), available(block.walletId)];
  return {
    block,
    transfers:
      hold > 0
        ? [{ ...causeOf(block), kind: "block_released", amount: hold, from, to, occurredAt: at.deciding.now }]
        : [],
    writes: [emit(balanceBlockRejected, eventData(block, "rejected"), eventWallet(at.books, block), at)],
  };
}

/** The same for a block of a Pix. */
export function withBlock(pix: ClaimedPix, { block, transfers, writes }: BlockChange): Change {
  return { pix: { ...pix, blocks: put(pix.blocks, block, (one) => one.blockId) }, transfers, writes };
}

/** A refund takes over what a block holds. */
export const takeOver = (pix: ClaimedPix, block: Block, refundId: string, at: At): Change =>
  withBlock(pix, rejectBlock(block, holdOf(pix, block), REFUNDED, at, refundId));

/** `resolutionReason` of a block whose money a refund gives back (contract, section 3). */
const REFUNDED = "refunded";

const causeOf = ({ accountId, blockId }: Block) => ({ accountId, sourceId: blockId, leg: 0 });

function closed(
  before: Block,
  status: "approved" | "rejected",
  resolutionReason: string | null,
  { deciding }: At,
): Block {
  const { now } = deciding;
  // A case that is over takes no defence any more.
  const defenceStatus = before.defenceStatus === "pending" ? "refused" : before.defenceStatus;
  return { ...before, status, resolutionReason, resolvedAt: now, defenceStatus, defenceNextAt: null, updatedAt: now };
}

/** Money that was taken from a wallet for good, as a transaction of it. */
export function chargeback(
  of: Pick<Block, "accountId" | "walletId" | "reason">,
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
    ...(block.resolvedAt === null ? {} : { resolvedAt: block.resolvedAt.toISOString() }),
  };
}
