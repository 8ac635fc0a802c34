import { type Block, type BlockFacts, isOpen, newBlock } from "../claims/block.ts";
import { approveBlock, openBlock, rejectBlock, withBlock } from "../claims/close-block.ts";
import {
  type At,
  type Change,
  type ClaimedPix,
  claimedPixTable,
  decided,
  holdOf,
  roomOf,
  then,
  unchanged,
  wantMoneyOf,
  wantPix,
} from "../claims/pix.ts";
import type { CommandKind } from "../ledger/lane.ts";
import type { PspInfraction } from "../psp/psp.ts";

/** A case as its PSP shows it, about a Pix in the books of this account. */
type ApplyCase = {
  readonly accountId: string;
  readonly e2eId: string;
  readonly environment: "production" | "sandbox";
  readonly shown: PspInfraction;
};

/**
 * What became of a case.
 * - `blocked`, `approved`, `rejected`, `defended`: now, by this.
 * - `nothing`: it is in the books as it is shown.
 * - `nothing_left`: all of the Pix was returned, is on its way back, or is blocked. Looked at again while it is open.
 * - `not_credited`: the Pix is not in a wallet, so there is nothing to hold.
 */
export type CaseOutcome =
  | "blocked"
  | "approved"
  | "rejected"
  | "defended"
  | "nothing"
  | "nothing_left"
  | "not_credited";

/** Brings the books to what a PSP shows of a case, however often and in whatever order it is told. */
export const applyCase: CommandKind<ApplyCase, CaseOutcome> = {
  name: "apply MED case",
  wants: ({ accountId, e2eId }, want) => wantPix(want, accountId, e2eId),
  follows: ({ accountId, e2eId }, books, want) => wantMoneyOf(want, books, accountId, e2eId),
  decide(command, books, deciding) {
    const { accountId, e2eId, shown } = command;
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    if (pix?.outcome !== "credited") return { result: "not_credited" };
    const at = { books, deciding };
    // One whose hold a refund took over is done with: when the refund fails, the case goes on with another.
    const known = pix.blocks.find(({ caseId, refundId }) => caseId === shown.id && refundId === null);
    const { outcome, change } = known ? goOn(pix, known, shown, at) : begin(pix, command, at);
    return change ? decided(pix, change, outcome) : { result: outcome };
  },
};

type Step = { readonly outcome: CaseOutcome; readonly change: Change | null };
const nothing: Step = { outcome: "nothing", change: null };

/** A block that is over stays so: what the PSP returns after that is booked by its own id. */
function goOn(pix: ClaimedPix, block: Block, { status, resolution }: PspInfraction, at: At): Step {
  if (!isOpen(block)) return nothing;
  switch (status) {
    case "accepted":
      return {
        outcome: "approved",
        change: withBlock(pix, approveBlock(block, holdOf(pix, block), resolution ?? null, at)),
      };
    case "rejected":
    case "cancelled":
      return {
        outcome: "rejected",
        change: withBlock(pix, rejectBlock(block, holdOf(pix, block), resolution ?? status, at)),
      };
    case "in_defence": {
      if (block.status === "defended") return nothing;
      const defended: Block = { ...block, status: "defended", updatedAt: at.deciding.now };
      return { outcome: "defended", change: withBlock(pix, { block: defended, transfers: [], writes: [] }) };
    }
    default:
      return nothing;
  }
}

/**
 * A case without a block: held as far as there is anything left. One that was accepted before we heard of it is blocked
 * and approved at once, unless the PSP's own return of it is in the books already.
 */
function begin(pix: ClaimedPix, { shown, environment }: ApplyCase, at: At): Step {
  if (shown.status === "rejected" || shown.status === "cancelled" || shown.status === "unrecognised") return nothing;
  const returned = pix.pspReturns.filter((part) => part.blockId === null);
  const before = returned.reduce((total, { amount }) => total + amount, 0);
  const amount = Math.min(shown.amount - before, roomOf(pix));
  if (amount <= 0) return { outcome: "nothing_left", change: null };
  const facts: BlockFacts = {
    accountId: pix.accountId,
    blockId: at.deciding.newId(),
    walletId: pix.walletId!,
    blockType: "med",
    amount,
    institutionId: pix.institutionId,
    environment,
    chargeId: pix.chargeId,
    e2eId: pix.e2eId,
    externalReference: pix.externalReference,
    caseId: shown.id,
    referenceNumber: shown.protocol ?? null,
    reason: shown.reason ?? null,
    respondBy: shown.respondBy ?? null,
  };
  const block = newBlock(facts, at.deciding.now);
  const opened = then(unchanged(pix), (so) => withBlock(so, openBlock(block, at)));
  if (shown.status === "in_defence") {
    const defended: Block = { ...block, status: "defended" };
    return {
      outcome: "blocked",
      change: then(opened, (so) => withBlock(so, { block: defended, transfers: [], writes: [] })),
    };
  }
  if (shown.status !== "accepted") return { outcome: "blocked", change: opened };
  const reason = shown.resolution ?? null;
  return {
    outcome: "approved",
    change: then(opened, (so) => withBlock(so, approveBlock(block, amount, reason, at))),
  };
}
