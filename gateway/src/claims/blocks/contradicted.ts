import { evidence } from "../../cases/case.ts";
import { closeCase, openCase } from "../../cases/write.ts";
import type { Write } from "../../ledger/books.ts";
import type { Deciding } from "../../ledger/lane.ts";
import { type Change, type ClaimedPix, returnedFor } from "../pix.ts";
import type { Block } from "./row.ts";

const KIND = "block_contradicted" as const;

/** The institution has closed the case of a block that was approved, and did not accept it. */
export const isRefusedCase = ({ status, caseStatus }: Pick<Block, "status" | "caseStatus">): boolean =>
  status === "approved" && (caseStatus === "rejected" || caseStatus === "cancelled");

/**
 * The case of a block whose money operators booked as gone, while its institution closed the MED case without taking it, or all of it:
 * open with what is left of that, and closed once the institution has shown the return of all. Operators decide once about it, however
 * the institution words its refusal afterwards. `pix` and `block` as they are then.
 *
 * @param raw the institution's own words.
 */
export function contradictedCase(pix: ClaimedPix, block: Block, raw: string | undefined, deciding: Deciding): Write[] {
  if (!isRefusedCase(block) || block.takenAmount === 0) return [];
  const { accountId, blockId: objectId, institutionId, caseId, caseStatus, e2eId, walletId } = block;
  const amount = block.takenAmount - returnedFor(pix, objectId);
  if (amount <= 0) return [closeCase({ accountId, kind: KIND, objectId }, deciding)];
  const fact = {
    ...{ accountId, kind: KIND, objectId, institutionId, amount, deadline: null },
    evidence: evidence({
      says: "The money of the block was booked as gone, and the institution has closed the case without taking it.",
      source: "institution",
      ...(raw === undefined ? {} : { raw }),
      data: { caseId, e2eId, walletId, caseStatus, amount },
    }),
  };
  return [openCase(fact, deciding, { caseId })];
}

/**
 * The institution accepts a case after all that it had refused: what operators had booked as gone is what it takes, and nothing is
 * left to decide about that.
 */
export function acceptedAfterAll(pix: ClaimedPix, caseId: string, deciding: Deciding): Change {
  const taken = pix.blocks.filter((one) => one.caseId === caseId && isRefusedCase(one) && one.takenAmount > 0);
  const { accountId } = pix;
  return {
    pix: {
      ...pix,
      blocks: pix.blocks.map((one) => (taken.includes(one) ? { ...one, caseStatus: "accepted" as const } : one)),
    },
    transfers: [],
    writes: taken.map(({ blockId: objectId }) => closeCase({ accountId, kind: KIND, objectId }, deciding)),
  };
}
