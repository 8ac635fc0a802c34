import type { Block } from "../claims/block.ts";
import { approveBlock, chargeback, withBlock } from "../claims/close-block.ts";
import { failRefund } from "../claims/end-refund.ts";
import {
  type At,
  type Change,
  type ClaimedPix,
  claimedPixTable,
  decided,
  put,
  returnedFor,
  then,
  unchanged,
  wantMoneyOf,
  wantPix,
} from "../claims/pix.ts";
import type { PspMadeReturn, PspReturnSource } from "../claims/psp-return.ts";
import { available, held, type LedgerName, psp, returns, suspense } from "../ledger/chart.ts";
import type { CommandKind } from "../ledger/lane.ts";
import type { PspReturn } from "../psp/psp.ts";

/** A return that a PSP shows on a Pix, which we did not ask for. */
export type BookPspReturn = { readonly accountId: string; readonly e2eId: string; readonly shown: PspReturn };

/** `ours`: we asked for it, and `finishReturn` ends it. `nothing`: it is not settled, or not in these books. */
export type PspReturnBooked = "booked" | "already" | "ours" | "nothing";

/**
 * Books a return that the PSP made by itself (MED), once by its rtrId. The money has left the PSP, so it is booked
 * whatever the balance is: against blocks of the Pix first, then out of what holds its money. What is still under way
 * on the same money ends.
 */
export const bookPspReturn: CommandKind<BookPspReturn, PspReturnBooked> = {
  name: "book PSP return",
  wants: ({ accountId, e2eId }, want) => wantPix(want, accountId, e2eId),
  follows: ({ accountId, e2eId }, books, want) => wantMoneyOf(want, books, accountId, e2eId),
  decide({ accountId, e2eId, shown }, books, deciding) {
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    if (!pix || shown.status !== "settled" || shown.amount <= 0) return { result: "nothing" };
    if (pix.returns.some((one) => one.pspId === shown.id)) return { result: "ours" };
    const rtrId = shown.rtrId ?? shown.id;
    if (pix.pspReturns.some((part) => part.rtrId === rtrId)) return { result: "already" };
    const at = { books, deciding };
    const pspReturnId = deciding.newId();
    const settledAt = shown.settledAt ?? deciding.now;
    const start = endOwn(pix, rtrId, at);
    const { change, left } = fromBlocks(start, shown.amount, { rtrId, pspReturnId, settledAt }, at);
    const whole =
      left === 0 ? change : then(change, (so) => fromTheRest(so, left, { rtrId, pspReturnId, settledAt }, at));
    return decided(pix, whole, "booked");
  },
};

type Ids = Pick<PspMadeReturn, "rtrId" | "pspReturnId" | "settledAt">;

/** Both are of the whole Pix, and of a part less the PSP cannot return the whole any more. */
function endOwn(pix: ClaimedPix, rtrId: string, at: At): Change {
  const reason = `The PSP returned the Pix by itself (${rtrId}).`;
  const refund = pix.refunds.find((one) => one.status === "pending");
  if (refund) return failRefund(pix, refund, reason, at);
  const own = pix.returns.find((one) => one.status === "pending" || one.status === "sending");
  if (!own) return unchanged(pix);
  const failed = { ...own, status: "failed" as const, failureReason: reason, nextAt: null, updatedAt: at.deciding.now };
  return unchanged({ ...pix, returns: put(pix.returns, failed, (one) => one.returnId) });
}

/** What an approved block has paid already, and what an open one holds, is this return's. */
function fromBlocks(start: Change, amount: number, ids: Ids, at: At): { change: Change; left: number } {
  let change = start;
  let left = amount;
  for (const block of inOrder(start.pix, amount)) {
    const part = Math.min(left, block.amount - returnedFor(change.pix, block.blockId));
    if (part <= 0) continue;
    left -= part;
    change = then(change, (so) => fromBlock(so, block, part, ids, at));
  }
  return { change, left };
}

/** One of exactly this amount first; those that were approved before those that are open; disputes before orders. */
function inOrder(pix: ClaimedPix, amount: number): Block[] {
  const rank = (block: Block): number =>
    (block.amount - returnedFor(pix, block.blockId) === amount ? 0 : 4) +
    (block.status === "approved" ? 0 : 2) +
    (block.blockType === "med" ? 0 : 1);
  return pix.blocks.filter((block) => block.status !== "rejected").sort((a, b) => rank(a) - rank(b));
}

function fromBlock(pix: ClaimedPix, block: Block, amount: number, ids: Ids, at: At): Change {
  const { blockId, walletId } = block;
  if (block.status === "approved") return unchanged(withPart(pix, "block", amount, ids, at, blockId));
  const leg = nextLeg(pix, ids);
  const paid: Change = {
    pix: withPart(pix, "held", amount, ids, at, blockId),
    transfers: [transfer(pix, held(walletId), amount, ids, leg)],
    writes: [chargeback(block, ids.pspReturnId, leg, amount, at)],
  };
  // All of it has gone back: the case is decided, whatever the PSP's list still says.
  if (returnedFor(paid.pix, blockId) < block.amount) return paid;
  return then(paid, (so) => withBlock(so, approveBlock(block, 0, "returned", at)));
}

/** A wallet's `available` for a credited Pix; otherwise the money is still where it was set aside. */
function fromTheRest(pix: ClaimedPix, amount: number, ids: Ids, at: At): Change {
  const leg = nextLeg(pix, ids);
  const { walletId } = pix;
  const [source, from]: [PspReturnSource, LedgerName] =
    pix.outcome === "unmatched" || walletId === null
      ? ["suspense", suspense]
      : pix.outcome === "credited"
        ? ["available", available(walletId)]
        : ["returns", returns];
  const after = withPart(pix, source, amount, ids, at);
  const reason = "Returned by the PSP";
  const wallet = { accountId: pix.accountId, walletId: walletId ?? "", reason };
  return {
    pix: after,
    transfers: [transfer(pix, from, amount, ids, leg)],
    writes: source === "available" ? [chargeback(wallet, ids.pspReturnId, leg, amount, at)] : [],
  };
}

const nextLeg = (pix: ClaimedPix, { rtrId }: Ids): number =>
  pix.pspReturns.filter((part) => part.rtrId === rtrId).length;

function withPart(
  pix: ClaimedPix,
  source: PspReturnSource,
  amount: number,
  ids: Ids,
  { deciding }: At,
  blockId: string | null = null,
): ClaimedPix {
  const { accountId, e2eId, chargeId, walletId, institutionId } = pix;
  const part: PspMadeReturn = {
    accountId, e2eId, chargeId, walletId, institutionId, ...ids, leg: nextLeg(pix, ids), amount, source, blockId,
    createdAt: deciding.now,
  }; // biome-ignore format: one row
  return { ...pix, pspReturns: [...pix.pspReturns, part] };
}

const transfer = (pix: ClaimedPix, from: LedgerName, amount: number, ids: Ids, leg: number) => ({
  accountId: pix.accountId,
  kind: "psp_return" as const,
  sourceId: ids.pspReturnId,
  leg,
  amount,
  from,
  to: psp(pix.institutionId),
  occurredAt: ids.settledAt,
});
