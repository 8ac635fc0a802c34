import { evidence } from "../../cases/case.ts";
import { closeCase, openCase } from "../../cases/write.ts";
import type { Write } from "../../ledger/books.ts";
import type { Deciding } from "../../ledger/lane.ts";
import { type Change, type ClaimedPix, returnedFor } from "../pix.ts";
import type { Block } from "./row.ts";

const KIND = "block_contradicted" as const;

/** Whether the institution has closed the case of an approved block without accepting it. */
export const isRefusedCase = ({ status, caseStatus }: Pick<Block, "status" | "caseStatus">): boolean =>
  status === "approved" && (caseStatus === "rejected" || caseStatus === "cancelled");

/**
 * The operators' case about a block whose money was booked as gone, while its institution closed the MED case without
 * taking all of it. It is open while a part is not returned, and closed once the institution has shown the return of
 * everything. Operators decide it once, however the institution words its refusal later. `pix` and `block` are the states
 * after the change.
 *
 * @param raw the institution's own status text.
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
      raw,
      data: { caseId, e2eId, walletId, caseStatus, amount },
    }),
  };
  return [openCase(fact, deciding, { caseId })];
}

/** Closes that case when the institution accepts the MED case after all: it takes what operators had booked as gone. */
export function acceptedAfterAll(pix: ClaimedPix, caseId: string, deciding: Deciding): Change {
  const taken = pix.blocks.filter((block) => block.caseId === caseId && isRefusedCase(block) && block.takenAmount > 0);
  const { accountId } = pix;
  return {
    pix: {
      ...pix,
      blocks: pix.blocks.map((block) =>
        taken.includes(block) ? { ...block, caseStatus: "accepted" as const } : block,
      ),
    },
    transfers: [],
    writes: taken.map(({ blockId: objectId }) => closeCase({ accountId, kind: KIND, objectId }, deciding)),
  };
}
