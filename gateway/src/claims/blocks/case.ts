import type { CommandKind } from "../../ledger/lane.ts";
import type { PspInfraction, PspReturn } from "../../psp/psp.ts";
import { findUnbooked } from "../find-booked.ts";
import { isUnexplained, releaseRest } from "../paid-back.ts";
import {
  andThen,
  type Batch,
  type Change,
  type ClaimedPix,
  claimedPixTable,
  decided,
  leftOf,
  sumOf,
  takenFor,
  unchanged,
  wantMoneyOf,
  wantPix,
} from "../pix.ts";
import type { PspMadeReturn } from "../psp-return.ts";
import {
  adoptBlock,
  andThenBlock,
  approveBlock,
  approveCase,
  awaitReturn,
  type BlockChange,
  blockOfRefund,
  type CaseOfBlock,
  freeApproved,
  openBlock,
  type Resolution,
  rejectBlock,
  sameBlock,
  withBlock,
} from "./close.ts";
import { acceptedAfterAll, contradictedCase } from "./contradicted.ts";
import { coveredOf, emitChange, followAmount, isOutgrown, takenOver } from "./follow-amount.ts";
import { type Block, type BlockFacts, isOpen, newBlock } from "./row.ts";

/** A MED case as its PSP shows it, about a Pix in the books of this account. */
type ApplyCase = {
  readonly accountId: string;
  readonly e2eId: string;
  /** The institution that has the case. */
  readonly institutionId: string;
  readonly environment: "production" | "sandbox";
  readonly shown: PspInfraction;
  /** What the PSP shows as returned of the Pix. */
  readonly returns?: readonly PspReturn[];
};

/**
 * What applying a case did.
 * - `blocked`, `approved`, `rejected`, `defended`: its block got this status now.
 * - `adopted`: the PSP's returns came before the case. Their blocks now belong to the case, or it has a block that counts
 *   them.
 * - `nothing`: the books already agree with it.
 * - `nothing_left`: all of the Pix was returned, is on its way back, or is blocked. Checked again while the case is open.
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

/** Brings the books in line with a case that a PSP shows, however often and in whatever order it is reported. */
export const applyCase: CommandKind<ApplyCase, CaseOutcome> = {
  name: "apply MED case",
  wants: ({ accountId, e2eId }, want) => wantPix(want, accountId, e2eId),
  follows: ({ accountId, e2eId }, books, want) => wantMoneyOf(want, books, accountId, e2eId),
  decide(command, books, deciding) {
    const { accountId, e2eId, institutionId, shown: infraction } = command;
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    if (pix?.outcome !== "credited" || pix.institutionId !== institutionId) return { result: "not_credited" };
    const batch = { books, deciding };
    const sized = followAmount(pix, infraction, batch);
    const current = currentBlocks(sized.pix, infraction);
    const start =
      infraction.status === "accepted" ? andThen(sized, (so) => acceptedAfterAll(so, infraction.id, deciding)) : sized;
    const { outcome, change: next } =
      current.length > 0 &&
      !current.some((block) => isReopened(sized.pix, block, infraction)) &&
      !isOutgrown(sized.pix, current, infraction)
        ? advance(start.pix, current, infraction, batch)
        : openCase(start.pix, command, batch);
    const change = next ? andThen(start, () => next) : start;
    if (!next && sized.pix === pix && start.writes.length === 0) return { result: outcome };
    const others = findUnbooked(pix, command.returns ?? []);
    return decided(
      pix,
      andThen(change, (so) => releaseRest(so, others, batch)),
      outcome,
    );
  },
};

type Step = { readonly outcome: CaseOutcome; readonly change: Change | null };
const unchangedCase: Step = { outcome: "nothing", change: null };

/**
 * The present blocks of a case: all that are open or hold money, otherwise the latest. A block whose hold a refund took over
 * does not count: if that refund fails, the case gets another block, even if it has one already.
 */
function currentBlocks(pix: ClaimedPix, { id }: PspInfraction): readonly Block[] {
  const blocksOfCase = pix.blocks.filter(({ caseId, refundId }) => caseId === id && refundId === null);
  const present = blocksOfCase.filter((block) => isOpen(block) || block.heldAmount > 0);
  if (present.length > 0 || blocksOfCase.length === 0) return present;
  return [blocksOfCase.reduce((last, block) => (isBefore(block, last) ? last : block))];
}

const isBefore = (block: Block, other: Block): boolean => block.createdAt < other.createdAt;

const CLOSED: ReadonlySet<string | null> = new Set(["accepted", "rejected", "cancelled"]);

/**
 * Whether a case that the PSP had closed continues: it is under way again, or the PSP has accepted it although the wallet
 * has its money back. The case is not reopened while its block still holds money. Nor does an acceptance reopen it if
 * operators have booked all of its money as gone: the PSP takes just that money.
 */
function isReopened(pix: ClaimedPix, block: Block, { status }: PspInfraction): boolean {
  const { caseStatus, heldAmount, amount } = block;
  if (isOpen(block) || !CLOSED.has(caseStatus) || status === "unrecognised" || heldAmount > 0) return false;
  return !CLOSED.has(status) || (status === "accepted" && caseStatus !== "accepted" && takenFor(pix, block) < amount);
}

/** Applies a case to the blocks that it has. */
function advance(start: ClaimedPix, blocks: readonly Block[], infraction: PspInfraction, batch: Batch): Step {
  return blocks.reduce<Step>((done, block) => {
    const before = done.change ?? unchanged(start);
    const { outcome, change } = advanceBlock(before.pix, block, infraction, batch);
    if (change === null) return done;
    return {
      outcome: done.outcome === "nothing" ? outcome : done.outcome,
      change: andThen(before, () => change),
    };
  }, unchangedCase);
}

function advanceBlock(pix: ClaimedPix, block: Block, infraction: PspInfraction, batch: Batch): Step {
  const { status } = infraction;
  const step = (outcome: CaseOutcome, change: BlockChange): Step => {
    const noted = { ...change.block, caseStatus: status };
    return { outcome, change: withBlock(pix, { ...change, block: noted }) };
  };
  if (!isOpen(block)) {
    if (block.caseStatus === status || status === "unrecognised") return unchangedCase;
    if (block.heldAmount > 0 && !CLOSED.has(status)) return unchangedCase;
    // The PSP took its acceptance back before it returned everything.
    if (block.heldAmount > 0 && status !== "accepted") {
      return step("rejected", freeApproved(pix, block, resolutionOf(block, infraction), batch));
    }
    const worded = { ...block, resolutionText: block.resolutionText ?? infraction.resolution ?? null };
    if (status === "accepted") return step("nothing", awaitReturn(worded, batch));
    const writes = contradictedCase(pix, { ...worded, caseStatus: status }, infraction.resolution, batch.deciding);
    return step("nothing", { ...sameBlock(worded), writes });
  }
  const shown = withFacts(block, infraction);
  const told = shown === block ? block : { ...shown, updatedAt: batch.deciding.now };
  switch (status) {
    case "accepted":
      return step("approved", approveCase(told, resolutionOf(told, infraction), batch));
    case "rejected":
    case "cancelled":
      return step("rejected", rejectBlock(told, resolutionOf(told, infraction), batch));
    case "in_defence": {
      if (block.status === "defended") break;
      const defended = { ...told, status: "defended" as const, updatedAt: batch.deciding.now };
      return step("defended", reportContested(block, defended, batch));
    }
  }
  return told === block
    ? unchangedCase
    : { outcome: "nothing", change: withBlock(pix, reportContested(block, told, batch)) };
}

/** Reports to the merchant that a Pix which the institution held by itself is now contested: the merchant can defend it from now on. */
function reportContested(before: Block, block: Block, batch: Batch): BlockChange {
  if (before.blockType === block.blockType) return sameBlock(block);
  const change = { id: batch.deciding.newId(), at: batch.deciding.now.toISOString() };
  return { ...sameBlock(block), writes: [emitChange(block, change, block.amount, batch)] };
}

type Facts = Pick<Block, "blockType" | "referenceNumber" | "reason" | "respondBy" | "heldUntil">;

/**
 * An open block with the present data of its case, or the same block where nothing has changed: the PSP may set a deadline late, or
 * move it. Data that the PSP leaves out stays as it was. A precautionary block that the PSP shows as a case becomes a dispute, until
 * the PSP shows it as precautionary again: one answer without that mark decides nothing for good.
 */
export function withFacts<B extends Facts>(block: B, infraction: PspInfraction): B {
  const { protocol, reason, respondBy, precautionary, status } = infraction;
  if (status === "unrecognised") return block;
  const isDispute = block.blockType === "precautionary" && !precautionary && !CLOSED.has(status);
  const isHeldAgain = block.blockType === "med" && precautionary !== undefined && status === "open";
  const facts: Facts = {
    blockType: isDispute ? "med" : isHeldAgain ? "precautionary" : block.blockType,
    referenceNumber: protocol ?? block.referenceNumber,
    reason: reason ?? block.reason,
    respondBy: respondBy ?? block.respondBy,
    heldUntil: isDispute ? null : (precautionary?.heldUntil ?? block.heldUntil),
  };
  const isSame =
    facts.blockType === block.blockType &&
    facts.referenceNumber === block.referenceNumber &&
    facts.reason === block.reason &&
    facts.respondBy?.getTime() === block.respondBy?.getTime() &&
    facts.heldUntil?.getTime() === block.heldUntil?.getTime();
  return isSame ? block : { ...block, ...facts };
}

/** Why the case closes its block, with the text of the PSP's analyst. */
function resolutionOf(block: Block, { status, resolution }: PspInfraction): Resolution {
  const text = resolution ?? null;
  if (status === "accepted") return { reason: "accepted", text };
  if (status === "cancelled") return { reason: "withdrawn", text };
  return { reason: block.status === "defended" ? "defended" : "other", text };
}

/**
 * Opens a block for a case without one. It holds as much as is left of the Pix; if a refund under way has the rest and fails, a
 * block holds that too. A case that was accepted before it was first listed is blocked and approved at once. If the PSP's returns
 * for it are booked already, its block is made as if the case had come first.
 */
function openCase(pix: ClaimedPix, { shown: infraction, environment }: ApplyCase, batch: Batch): Step {
  if (CLOSED.has(infraction.status) && infraction.status !== "accepted") return unchangedCase;
  if (infraction.status === "unrecognised") return unchangedCase;
  const wanted = infraction.amount - coveredOf(pix, infraction.id);
  const returned = returnedOf(pix, wanted, infraction);
  const taken = takenBy(returned.opened) + sumOf(returned.parts);
  const missing = Math.max(0, wanted - taken);
  const rest = Math.min(missing, leftOf(pix));
  const block = (amount: number): Block =>
    newBlock(blockFacts(pix, infraction, environment, amount, batch), batch.deciding.now);
  const step = holdCase(pix, infraction, returned, rest, block, batch);
  const refund = pix.refunds.find(({ status }) => status === "pending");
  // A case that was accepted and returned in part is over.
  if (!refund || (infraction.status === "accepted" && taken > 0)) return step;
  const inRefund = Math.min(refund.amount, missing - rest) - takenOver(pix, infraction.id, refund.refundId);
  if (inRefund <= 0) return step;
  const change = andThen(step.change ?? unchanged(pix), (so) =>
    blockOfRefund(so, block(inRefund), refund.refundId, batch),
  );
  return { ...step, change };
}

/** Holds the rest of a case, in a block that counts its returns. */
function holdCase(
  pix: ClaimedPix,
  infraction: PspInfraction,
  { opened, parts }: Returned,
  rest: number,
  block: (amount: number) => Block,
  batch: Batch,
): Step {
  if (opened.length > 0 && parts.length === 0) {
    return { outcome: "adopted", change: adopt(pix, opened, rest, infraction, batch) };
  }
  const taken = sumOf(parts);
  if (taken + rest === 0) return { outcome: "nothing_left", change: null };
  const fresh = block(taken + rest);
  const { blockId } = fresh;
  const pspReturns = pix.pspReturns.map((part) => (parts.includes(part) ? { ...part, blockId } : part));
  const begun = andThenBlock(openBlock(fresh, batch, taken), (so) => applyCaseStatus(so, infraction, batch));
  const change = andThen(adopt({ ...pix, pspReturns }, opened, 0, infraction, batch), (so) => withBlock(so, begun));
  if (parts.length > 0) return { outcome: "adopted", change };
  return { outcome: infraction.status === "accepted" ? "approved" : "blocked", change };
}

function blockFacts(
  pix: ClaimedPix,
  infraction: PspInfraction,
  environment: ApplyCase["environment"],
  amount: number,
  { deciding }: Batch,
): BlockFacts {
  return {
    accountId: pix.accountId,
    blockId: deciding.newId(),
    walletId: pix.walletId!,
    blockType: infraction.precautionary ? "precautionary" : "med",
    amount,
    institutionId: pix.institutionId,
    environment,
    chargeId: pix.chargeId,
    e2eId: pix.e2eId,
    externalReference: pix.externalReference,
    pspReturnId: null,
    ...factsOf(infraction),
  };
}

/**
 * Applies the case's status to its new block. If all of its money has gone back, the case is decided, whatever the PSP's
 * list still says.
 */
function applyCaseStatus(block: Block, infraction: PspInfraction, batch: Batch): BlockChange {
  if (infraction.status === "accepted") return approveCase(block, resolutionOf(block, infraction), batch);
  if (block.heldAmount === 0) return approveBlock(block, { reason: "accepted", text: null }, batch);
  return sameBlock(infraction.status === "in_defence" ? { ...block, status: "defended" } : block);
}

const factsOf = (infraction: PspInfraction): CaseOfBlock => ({
  caseId: infraction.id,
  caseStatus: infraction.status,
  caseAmount: infraction.amount,
  referenceNumber: infraction.protocol ?? null,
  reason: infraction.reason ?? null,
  respondBy: infraction.respondBy ?? null,
  heldUntil: infraction.precautionary?.heldUntil ?? null,
});

const withoutCase = (pix: ClaimedPix): Block[] =>
  pix.blocks.filter(({ pspReturnId, caseId }) => pspReturnId !== null && caseId === null);

/** What the PSP had returned for a case before its list showed the case. */
type Returned = {
  /** Blocks without a case, opened by returns that the PSP marks as ends of a dispute. */
  readonly opened: readonly Block[];
  /** Returns that were booked without a known nature. */
  readonly parts: readonly PspMadeReturn[];
};

/**
 * The returns that a case of this amount explains: one of exactly this amount, otherwise the oldest ones, marked disputes
 * first. Where a Pix has two cases, nothing tells which of them a return belongs to; together they take the same money.
 */
function returnedOf(pix: ClaimedPix, wanted: number, infraction: PspInfraction): Returned {
  const free = pix.pspReturns.filter((part) => mayBeOf(part, infraction));
  const blocks = withoutCase(pix);
  const exact = free.find(({ amount }) => amount === wanted);
  if (exact && !blocks.some(({ takenAmount }) => takenAmount === wanted)) return { opened: [], parts: [exact] };
  const opened = takeUpTo(blocks, wanted, ({ takenAmount }) => takenAmount);
  return { opened, parts: takeUpTo(free, wanted - takenBy(opened), ({ amount }) => amount) };
}

const takenBy = (blocks: readonly Block[]): number => blocks.reduce((sum, { takenAmount }) => sum + takenAmount, 0);

function takeUpTo<T>(items: readonly T[], wanted: number, amountOf: (item: T) => number): T[] {
  const exact = items.find((item) => amountOf(item) === wanted);
  if (exact) return [exact];
  let left = wanted;
  return items.filter((item) => {
    const isNeeded = left > 0;
    left -= amountOf(item);
    return isNeeded;
  });
}

/**
 * Whether a return of unknown nature may belong to a case. A return made before the case was opened does not. If the PSP
 * leaves out that time, the deadline for an answer stands in for it. Without a deadline, no return belongs to the case
 * before it is accepted: a hold can be released later, a loss cannot.
 */
function mayBeOf(part: PspMadeReturn, { status, openedAt, respondBy }: PspInfraction): boolean {
  if (!isUnexplained(part)) return false;
  const openedBy = openedAt ?? (status === "accepted" ? undefined : respondBy);
  return openedBy === undefined ? status === "accepted" : openedBy <= part.settledAt;
}

/** Gives these blocks to the case. The last one holds what is not returned yet. */
function adopt(
  pix: ClaimedPix,
  opened: readonly Block[],
  rest: number,
  infraction: PspInfraction,
  batch: Batch,
): Change {
  const text = infraction.status === "accepted" ? (infraction.resolution ?? null) : null;
  const adopted = (change: Change, block: Block): Change =>
    andThen(change, (so) =>
      withBlock(so, adoptBlock(block, factsOf(infraction), block === opened.at(-1) ? rest : 0, text, batch)),
    );
  return opened.reduce(adopted, unchanged(pix));
}
