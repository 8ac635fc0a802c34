import { ApiError, notFound } from "../../http/errors.ts";
import { keyedCommand } from "../../http/keyed-command.ts";
import { update } from "../../ledger/books.ts";
import type { CommandKind } from "../../ledger/lane.ts";
import { claimedPixTable, claimWrites, withRow } from "../pix.ts";
import { type BalanceBlock, toBalanceBlock } from "./block.ts";
import { type Block, blocksTable } from "./row.ts";

/** A defence that the merchant sends. */
export type DefendBlock = {
  readonly accountId: string;
  readonly walletId: string;
  readonly blockId: string;
  /** Of the block's payment, which never changes; null: the block is about no payment. */
  readonly e2eId: string | null;
  readonly text: string;
};

/**
 * Stores a defence; claims/blocks/send-defence.ts sends it to the PSP. A block has at most one. For a block that the
 * operator made there is no PSP to send it to, and the operator reads it.
 */
export const defendBlock: CommandKind<DefendBlock, BalanceBlock | ApiError> = {
  name: "defend block",
  wants({ accountId, blockId, e2eId }, want) {
    want.row(blocksTable, { accountId, id: blockId });
    if (e2eId !== null) want.row(claimedPixTable, { accountId, id: e2eId });
  },
  decide({ accountId, walletId, blockId, e2eId, text }, books, { now }) {
    const before = books.find(blocksTable, { accountId, id: blockId });
    if (before?.walletId !== walletId) return { result: notFound("balance block", blockId) };
    if (before.status === "defended" && before.defence === text) return { result: toBalanceBlock(before) };
    if (before.status !== "awaiting_response") {
      return { result: new ApiError("BALANCE_BLOCK_NOT_DEFENDABLE", undefined, { status: before.status }) };
    }
    if (before.blockType === "precautionary") {
      const message = "The institution holds the payment by itself, and takes no defence.";
      return { result: new ApiError("BALANCE_BLOCK_NOT_DEFENDABLE", message, { status: before.status }) };
    }
    if (before.respondBy !== null && now > before.respondBy) {
      const respondBy = before.respondBy.toISOString();
      const message = "The time for a defence is over.";
      return {
        result: new ApiError("BALANCE_BLOCK_NOT_DEFENDABLE", message, { status: before.status, respondBy }),
      };
    }

    // ---- All checks are done.
    const row: Block = {
      ...before,
      status: "defended",
      defence: text,
      defenceStatus: before.caseId === null ? null : "pending",
      defenceNextAt: before.caseId === null ? null : now,
      updatedAt: now,
    };
    const pix = e2eId === null ? undefined : books.find(claimedPixTable, { accountId, id: e2eId });
    const writes = pix
      ? claimWrites(pix, { ...pix, blocks: withRow(pix.blocks, row, (block) => block.blockId) })
      : [update(blocksTable, before, "state", row)];
    return { result: toBalanceBlock(row), writes };
  },
};

/** The same command with its Idempotency-Key and answer. */
export const defendKeyedBlock = keyedCommand(defendBlock);
