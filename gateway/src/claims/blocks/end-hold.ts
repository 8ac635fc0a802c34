import { type AuditRow, auditTable, evidenceOfEntry } from "../../audit-log/write.ts";
import { carryingOut, type Standing } from "../../cases/basis.ts";
import { ApiError, notFound } from "../../http/errors.ts";
import { insert } from "../../ledger/books.ts";
import type { CommandKind } from "../../ledger/lane.ts";
import { takeHold } from "../paid-back.ts";
import { claimedPixTable, decided, sumOf, wantMoneyOf, wantPix } from "../pix.ts";
import { type BalanceBlock, toBalanceBlock } from "./block.ts";
import { releaseHold, withBlock } from "./close.ts";
import { blocksTable } from "./row.ts";

/** The operator's decision about an accepted case whose return the PSP never showed. */
type EndHold = {
  readonly accountId: string;
  readonly blockId: string;
  /** Of its payment, which never changes. */
  readonly e2eId: string;
  /** `released`: the PSP did not take the money. `taken`: the money has left, although the PSP does not show it. */
  readonly outcome: "released" | "taken";
  /** Name of the operator. */
  readonly actor: string;
};

/** Ends the hold of an accepted case. Repeating the same end gives the same answer. */
export const endHold: CommandKind<EndHold, BalanceBlock | ApiError> = {
  name: "end hold",
  evidence: evidenceOfEntry,
  wants({ accountId, blockId, e2eId }, want) {
    want.row(blocksTable, { accountId, id: blockId });
    wantPix(want, accountId, e2eId);
  },
  follows: ({ accountId, e2eId }, books, want) => wantMoneyOf(want, books, accountId, e2eId),
  decide({ accountId, blockId, e2eId, outcome, actor }, books, deciding) {
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    const before = pix?.blocks.find((block) => block.blockId === blockId);
    if (!pix || !before) return { result: notFound("balance block", blockId) };
    const isEnded = before.heldAmount === 0 && (outcome === "taken") === before.takenAmount > 0;
    if (before.status === "approved" && isEnded) return { result: toBalanceBlock(before) };
    if (before.status !== "approved" || before.heldAmount === 0) {
      return { result: new ApiError("BALANCE_BLOCK_RESOLVED", undefined, { status: before.status }) };
    }

    // ---- All checks are done.
    const batch = { books, deciding };
    const change = withBlock(pix, outcome === "taken" ? takeHold(pix, before, batch) : releaseHold(before, batch));
    const result = toBalanceBlock(change.pix.blocks.find((block) => block.blockId === blockId)!);
    const audit: AuditRow = {
      accountId,
      auditId: deciding.newId(),
      actor,
      action: "balance_block.end_hold",
      objectId: blockId,
      before: toBalanceBlock(before),
      after: result,
      createdAt: deciding.now,
    };
    return decided(pix, { ...change, writes: [...change.writes, insert(auditTable, audit)] }, result);
  },
};

/** The state on which such a decision is based: the block, and how much of its Pix has gone back. */
export const blockStanding: Standing<{ readonly accountId: string; readonly e2eId: string; readonly blockId: string }> =
  {
    wants: ({ accountId, e2eId }, want) => wantPix(want, accountId, e2eId),
    facts({ accountId, e2eId, blockId }, books) {
      const pix = books.find(claimedPixTable, { accountId, id: e2eId });
      const block = pix?.blocks.find((candidate) => candidate.blockId === blockId);
      if (!pix || !block) return {};
      const { status, caseStatus, heldAmount, takenAmount } = block;
      return { status, caseStatus, heldAmount, takenAmount, returned: sumOf(pix.pspReturns) };
    },
  };

/** Runs only while that state is as it was when the operators decided. */
export const endDecidedHold = carryingOut(endHold, blockStanding, (command) => command);
