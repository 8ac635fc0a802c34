import type { CommandKind } from "../../ledger/lane.ts";
import type { PspInfraction, PspReturn } from "../../psp/psp.ts";
import { findUnbooked } from "../find-booked.ts";
import { isUnexplained, releaseRest } from "../paid-back.ts";
import {
  type At,
  type Change,
  type ClaimedPix,
  claimedPixTable,
  decided,
  leftOf,
  sumOf,
  then,
  unchanged,
  wantMoneyOf,
  wantPix,
} from "../pix.ts";
import type { PspMadeReturn } from "../psp-return.ts";
import {
  adoptBlock,
  approveBlock,
  approveCase,
  awaitReturn,
  type BlockChange,
  type CaseOfBlock,
  freeApproved,
  openBlock,
  type Resolution,
  rejectBlock,
  sameBlock,
  thenBlock,
  withBlock,
} from "./close.ts";
import { acceptedAfterAll, contradictedCase } from "./contradicted.ts";
import { type Block, type BlockFacts, isOpen, newBlock } from "./row.ts";

/** A case as its PSP shows it, about a Pix in the books of this account. */
type ApplyCase = {
  readonly accountId: string;
  readonly e2eId: string;
  /** Whose case it is. */
  readonly institutionId: string;
  readonly environment: "production" | "sandbox";
  readonly shown: PspInfraction;
  /** What the PSP shows as returned of the Pix. */
  readonly returns?: readonly PspReturn[];
};

/**
 * What became of a case.
 * - `blocked`, `approved`, `rejected`, `defended`: now, by this.
 * - `adopted`: the PSP's returns had come first: the blocks that they opened are the case's now, or it has a block that counts them.
 * - `nothing`: it is in the books as it is shown.
 * - `nothing_left`: all of the Pix was returned, is on its way back, or is blocked. Checked again while it is open.
 * - `not_credited`: the Pix is not in a wallet, so there is nothing to hold.
 */
export type CaseOutcome =
  | "blocked"
  | "approved"
  | "rejected"
  | "defended"
  | "adopted"
  | "nothing"
  | "nothing_left"
  | "not_credited";

/** Brings the books to what a PSP shows of a case, however often and in whatever order it is reported. */
export const applyCase: CommandKind<ApplyCase, CaseOutcome> = {
  name: "apply MED case",
  wants: ({ accountId, e2eId }, want) => wantPix(want, accountId, e2eId),
  follows: ({ accountId, e2eId }, books, want) => wantMoneyOf(want, books, accountId, e2eId),
  decide(command, books, deciding) {
    const { accountId, e2eId, institutionId, shown } = command;
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    if (pix?.outcome !== "credited" || pix.institutionId !== institutionId) return { result: "not_credited" };
    const at = { books, deciding };
    const known = latestBlock(pix, shown);
    const start = shown.status === "accepted" ? acceptedAfterAll(pix, shown.id, deciding) : unchanged(pix);
    const { outcome, change: next } =
      known && !isReopened(known, shown) ? goOn(start.pix, known, shown, at) : begin(start.pix, command, at);
    const change = next ? then(start, () => next) : start;
    if (!next && start.writes.length === 0) return { result: outcome };
    const others = findUnbooked(pix, command.returns ?? []);
    return decided(
      pix,
      then(change, (so) => releaseRest(so, others, at)),
      outcome,
    );
  },
};

type Step = { readonly outcome: CaseOutcome; readonly change: Change | null };
const nothing: Step = { outcome: "nothing", change: null };

/**
 * The block in which a case goes on; undefined: it has none. One whose hold a refund took over is done with: when the refund
 * fails, the case goes on with another. Processes make ids by clocks of their own, so an open block counts as the latest.
 */
function latestBlock(pix: ClaimedPix, { id }: PspInfraction): Block | undefined {
  const own = pix.blocks.filter(({ caseId, refundId }) => caseId === id && refundId === null);
  return (
    own.find(isOpen) ??
    own.reduce<Block | undefined>((last, one) => (last && isBefore(one, last) ? last : one), undefined)
  );
}

const isBefore = (one: Block, other: Block): boolean => one.createdAt < other.createdAt;

const CLOSED: ReadonlySet<string | null> = new Set(["accepted", "rejected", "cancelled"]);

/**
 * The PSP had closed the case, and shows it under way again, or accepted after all although the wallet has money of it again. A hold
 * that stands is the case's still, and what was booked as gone is what an acceptance takes.
 */
function isReopened(block: Block, { status }: PspInfraction): boolean {
  const { caseStatus, heldAmount, takenAmount, amount } = block;
  if (!CLOSED.has(caseStatus) || status === "unrecognised" || heldAmount > 0) return false;
  return !CLOSED.has(status) || (status === "accepted" && caseStatus !== "accepted" && takenAmount < amount);
}

/** What a case does to the block that it has. */
function goOn(pix: ClaimedPix, block: Block, shown: PspInfraction, at: At): Step {
  const { status } = shown;
  const step = (outcome: CaseOutcome, change: BlockChange): Step => {
    const noted = { ...change.block, caseStatus: status };
    return { outcome, change: withBlock(pix, { ...change, block: noted }) };
  };
  if (!isOpen(block)) {
    if (block.caseStatus === status || status === "unrecognised") return nothing;
    if (block.heldAmount > 0 && !CLOSED.has(status)) return nothing;
    // The PSP has taken an acceptance back before it returned anything, or all of it.
    if (block.heldAmount > 0 && status !== "accepted") {
      return step("rejected", freeApproved(block, resolutionOf(block, shown), at));
    }
    const worded = { ...block, resolutionText: block.resolutionText ?? shown.resolution ?? null };
    if (status === "accepted") return step("nothing", awaitReturn(worded, at));
    const writes = contradictedCase(pix, { ...worded, caseStatus: status }, shown.resolution, at.deciding);
    return step("nothing", { ...sameBlock(worded), writes });
  }
  switch (status) {
    case "accepted":
      return step("approved", approveCase(block, resolutionOf(block, shown), at));
    case "rejected":
    case "cancelled":
      return step("rejected", rejectBlock(block, resolutionOf(block, shown), at));
    case "in_defence": {
      if (block.status === "defended") return nothing;
      return step("defended", sameBlock({ ...block, status: "defended", updatedAt: at.deciding.now }));
    }
    default:
      return nothing;
  }
}

/** Why the case closes its block, and what the PSP's analyst wrote. */
function resolutionOf(block: Block, { status, resolution }: PspInfraction): Resolution {
  const text = resolution ?? null;
  if (status === "accepted") return { reason: "accepted", text };
  if (status === "cancelled") return { reason: "withdrawn", text };
  return { reason: block.status === "defended" ? "defended" : "other", text };
}

/**
 * A case without a block that goes on: held as far as there is anything left. One that was accepted before we heard of it is
 * blocked and approved at once. Where the PSP's returns of it are in the books already, it has the block that it would have had
 * before them.
 */
function begin(pix: ClaimedPix, { shown, environment }: ApplyCase, at: At): Step {
  if (CLOSED.has(shown.status) && shown.status !== "accepted") return nothing;
  if (shown.status === "unrecognised") return nothing;
  const wanted = shown.amount - returnedBefore(pix, shown);
  const { opened, parts } = returnedOf(pix, wanted, shown);
  const taken = sumOf(parts);
  const rest = Math.max(0, Math.min(wanted - takenBy(opened) - taken, leftOf(pix)));
  if (opened.length > 0 && parts.length === 0) {
    return { outcome: "adopted", change: adopt(pix, opened, rest, shown, at) };
  }
  if (taken + rest === 0) return { outcome: "nothing_left", change: null };
  const facts: BlockFacts = {
    accountId: pix.accountId,
    blockId: at.deciding.newId(),
    walletId: pix.walletId!,
    blockType: "med",
    amount: taken + rest,
    institutionId: pix.institutionId,
    environment,
    chargeId: pix.chargeId,
    e2eId: pix.e2eId,
    externalReference: pix.externalReference,
    pspReturnId: null,
    ...factsOf(shown),
  };
  const { blockId } = facts;
  const pspReturns = pix.pspReturns.map((part) => (parts.includes(part) ? { ...part, blockId } : part));
  const held = openBlock(newBlock(facts, at.deciding.now), at, taken);
  const begun = thenBlock(held, (so) => asShown(so, shown, at));
  const change = then(adopt({ ...pix, pspReturns }, opened, 0, shown, at), (so) => withBlock(so, begun));
  if (parts.length > 0) return { outcome: "adopted", change };
  return { outcome: shown.status === "accepted" ? "approved" : "blocked", change };
}

/** What the case makes of its new block. Where all of it has gone back, the case is decided, whatever the PSP's list still says. */
function asShown(block: Block, shown: PspInfraction, at: At): BlockChange {
  if (shown.status === "accepted") return approveCase(block, resolutionOf(block, shown), at);
  if (block.heldAmount === 0) return approveBlock(block, { reason: "accepted", text: null }, at);
  return sameBlock(shown.status === "in_defence" ? { ...block, status: "defended" } : block);
}

const factsOf = (shown: PspInfraction): CaseOfBlock => ({
  caseId: shown.id,
  caseStatus: shown.status,
  referenceNumber: shown.protocol ?? null,
  reason: shown.reason ?? null,
  respondBy: shown.respondBy ?? null,
});

const withoutCase = (pix: ClaimedPix): Block[] =>
  pix.blocks.filter(({ pspReturnId, caseId }) => pspReturnId !== null && caseId === null);

/** What the PSP had returned of a case before its list showed it. */
type Returned = {
  /** Blocks without a case that returns have opened, which the PSP marks as a dispute's. */
  readonly opened: readonly Block[];
  /** Returns that were booked without a word about them. */
  readonly parts: readonly PspMadeReturn[];
};

/**
 * As many returns as a case of this amount explains: one of exactly the amount, else the oldest, those that are a dispute's first.
 * Nothing says which of two cases of one Pix a return is of; together they take the same.
 */
function returnedOf(pix: ClaimedPix, wanted: number, shown: PspInfraction): Returned {
  const free = pix.pspReturns.filter((part) => mayBeOf(part, shown));
  const blocks = withoutCase(pix);
  const exact = free.find(({ amount }) => amount === wanted);
  if (exact && !blocks.some(({ takenAmount }) => takenAmount === wanted)) return { opened: [], parts: [exact] };
  const opened = asManyAs(blocks, wanted, ({ takenAmount }) => takenAmount);
  return { opened, parts: asManyAs(free, wanted - takenBy(opened), ({ amount }) => amount) };
}

const takenBy = (blocks: readonly Block[]): number => blocks.reduce((sum, { takenAmount }) => sum + takenAmount, 0);

function asManyAs<T>(items: readonly T[], wanted: number, amountOf: (item: T) => number): T[] {
  const exact = items.find((item) => amountOf(item) === wanted);
  if (exact) return [exact];
  let left = wanted;
  return items.filter((item) => {
    const fits = left > 0;
    left -= amountOf(item);
    return fits;
  });
}

/**
 * Whether a return that its PSP gave no word about may be of a case: one that was made before the case was opened is not. Where the PSP
 * leaves out when that was, it was by the end of the time for an answer; without that too nothing is the case's before it is
 * accepted, because a hold can be given back, and a loss cannot.
 */
function mayBeOf(part: PspMadeReturn, { status, openedAt, respondBy }: PspInfraction): boolean {
  if (!isUnexplained(part)) return false;
  const openedBy = openedAt ?? (status === "accepted" ? undefined : respondBy);
  return openedBy === undefined ? status === "accepted" : openedBy <= part.settledAt;
}

/** The case goes on with these blocks. The last of them holds what is not returned yet. */
function adopt(pix: ClaimedPix, opened: readonly Block[], rest: number, shown: PspInfraction, at: At): Change {
  const text = shown.status === "accepted" ? (shown.resolution ?? null) : null;
  const adopted = (change: Change, block: Block): Change =>
    then(change, (so) =>
      withBlock(so, adoptBlock(block, factsOf(shown), block === opened.at(-1) ? rest : 0, text, at)),
    );
  return opened.reduce(adopted, unchanged(pix));
}

/** What the PSP has returned of a case already, centavos: by its earlier blocks, and what belongs to no block and has a known nature. */
function returnedBefore(pix: ClaimedPix, shown: PspInfraction): number {
  const free = pix.pspReturns.filter((part) => part.blockId === null && !isUnexplained(part));
  return takenBy(pix.blocks.filter(({ caseId }) => caseId === shown.id)) + sumOf(free);
}
