import { evidence } from "../../cases/case.ts";
import { openCase } from "../../cases/write.ts";
import type { CommandKind, Deciding } from "../../ledger/lane.ts";
import { LIMITS } from "../../lib/limits.ts";
import type { PspReturn } from "../../psp/psp.ts";
import { findUnbooked } from "../find-booked.ts";
import { releaseRest } from "../paid-back.ts";
import { andThen, type Change, claimedPixTable, decided, wantMoneyOf, wantPix } from "../pix.ts";
import { withBlock } from "./close.ts";
import type { Block } from "./row.ts";

/** An accepted case whose return is awaited, with the returns of its Pix that the PSP shows. */
type SettleBlock = {
  readonly accountId: string;
  readonly e2eId: string;
  readonly blockId: string;
  readonly shown: readonly PspReturn[];
};

/** `awaited`: the block still holds money, and the PSP is queried again. */
type Settled = "awaited" | "settled";

/**
 * Releases what an accepted case still holds after the PSP has returned less. If the PSP returns nothing for too long, it
 * opens an operators' case.
 */
export const settleBlock: CommandKind<SettleBlock, Settled> = {
  name: "settle block",
  wants: ({ accountId, e2eId }, want) => wantPix(want, accountId, e2eId),
  follows: ({ accountId, e2eId }, books, want) => wantMoneyOf(want, books, accountId, e2eId),
  decide({ accountId, e2eId, blockId, shown: pspReturns }, books, deciding) {
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    const block = pix?.blocks.find((candidate) => candidate.blockId === blockId);
    if (!pix || !block || block.heldAmount === 0) return { result: "settled" };
    const batch = { books, deciding };
    const released = releaseRest(pix, findUnbooked(pix, pspReturns), batch);
    if (released.pix !== pix) return decided(pix, released, "settled");
    const due = block.resolvedAt!.getTime() + LIMITS.medReturnOverdue;
    if (block.returnMissingSince !== null || deciding.now.getTime() < due) return { result: "awaited" };
    return decided(
      pix,
      andThen(released, (so) => reportMissing(so, block, deciding)),
      "awaited",
    );
  },
};

function reportMissing(pix: Change["pix"], block: Block, deciding: Deciding): Change {
  const { accountId, blockId: objectId, institutionId, heldAmount, caseId, e2eId, resolvedAt, resolutionText } = block;
  const fact = {
    ...{ accountId, kind: "block_without_return" as const, objectId, institutionId, amount: heldAmount },
    deadline: new Date(resolvedAt!.getTime() + LIMITS.medReturnDeadline),
    evidence: evidence({
      says: "The MED case was accepted, and the institution has not shown the return of the money. The wallet still holds it.",
      source: "institution",
      raw: resolutionText,
      data: { caseId, e2eId, acceptedAt: resolvedAt!.toISOString() },
    }),
  };
  const row = { ...block, returnMissingSince: deciding.now, updatedAt: deciding.now };
  return withBlock(pix, { block: row, transfers: [], writes: [openCase(fact, deciding)] });
}
