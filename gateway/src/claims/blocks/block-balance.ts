import { walletsTable } from "../../accounts/wallet.ts";
import { type AuditRow, auditTable, evidenceOfEntry } from "../../audit-log/write.ts";
import { carryingOut, type Standing } from "../../cases/basis.ts";
import { ApiError, invalid, notFound } from "../../http/errors.ts";
import { keyedCommand } from "../../http/keyed-command.ts";
import { type Books, type Decision, insert, update, type Write } from "../../ledger/books.ts";
import { available, held, psp } from "../../ledger/chart.ts";
import type { CommandKind, Deciding, Want } from "../../ledger/lane.ts";
import { toBrl } from "../../lib/money.ts";
import { wantReceivers } from "../../webhooks/events/emit.ts";
import { takeHold } from "../paid-back.ts";
import { claimedPixTable, claimWrites, leftOf, wantPix } from "../pix.ts";
import { type BalanceBlock, toBalanceBlock } from "./block.ts";
import {
  andThenBlock,
  approveBlock,
  approveCase,
  type BlockChange,
  openBlock,
  type Resolution,
  rejectBlock,
  withBlock,
} from "./close.ts";
import { type Block, blocksTable, isOpen, isOrder, newBlock, type ResolutionReason } from "./row.ts";

/** The operator's order to block money of a wallet. */
export type BlockBalance = Pick<
  Block,
  | "accountId"
  | "blockId"
  | "walletId"
  | "blockType"
  | "amount"
  | "institutionId"
  | "environment"
  | "chargeId"
  | "e2eId"
  | "referenceNumber"
  | "reason"
> & {
  /** Name of the operator. */
  readonly actor: string;
};

/**
 * Sets money of a wallet aside (contract, section 6), whatever its balance. A block about a payment holds no more than is
 * left of that payment.
 */
export const blockBalance: CommandKind<BlockBalance, BalanceBlock | ApiError> = {
  name: "block balance",
  wants({ accountId, blockId, walletId, institutionId, e2eId }, want) {
    want.row(blocksTable, { accountId, id: blockId });
    wantWallet(want, accountId, walletId, institutionId);
    if (e2eId !== null) wantPix(want, accountId, e2eId);
  },
  decide(command, books, deciding) {
    const { actor, ...asked } = command;
    const { accountId, blockId, walletId, chargeId, e2eId, amount } = asked;
    const { now } = deciding;
    const known = books.find(blocksTable, { accountId, id: blockId });
    if (known) return { result: toBalanceBlock(known) };
    const pix = e2eId === null ? null : books.find(claimedPixTable, { accountId, id: e2eId });
    if (pix !== null) {
      if (pix?.outcome !== "credited" || pix.walletId !== walletId || pix.chargeId !== chargeId) {
        return { result: invalid("transactionId", "is not a completed payment of this wallet") };
      }
      const left = leftOf(pix);
      if (amount > left) {
        return { result: new ApiError("BALANCE_BLOCK_EXCEEDS_PAYMENT", undefined, { left: toBrl(left) }) };
      }
    }

    // ---- All checks are done.
    const externalReference = pix?.externalReference ?? null;
    const block = newBlock(
      {
        ...asked,
        externalReference,
        caseId: null,
        caseStatus: null,
        caseAmount: null,
        pspReturnId: null,
        respondBy: null,
        heldUntil: null,
      },
      now,
    );
    return storeChange(
      { actor, action: "balance_block.create" },
      null,
      openBlock(block, { books, deciding }),
      books,
      deciding,
    );
  },
};

/** How the operator ends a block. */
export type ResolveBlock = {
  readonly accountId: string;
  /** Name of the operator. */
  readonly actor: string;
  readonly blockId: string;
  readonly walletId: string;
  readonly institutionId: string;
  /** End-to-end id of its payment, which never changes; null: the block is about no payment. */
  readonly e2eId: string | null;
  readonly outcome: "approved" | "rejected";
  /** Left out: it follows from the outcome and the kind of block. */
  readonly resolutionReason: ResolutionReason | null;
  /** In the operator's words. */
  readonly resolutionText: string | null;
};

/**
 * Ends a block. Repeating the same end gives the same answer. If operators approve an order, everything that the block holds
 * leaves. For a case at an institution, money leaves only when the institution returns it: the block holds it until the
 * institution shows a return, and releases it if the institution decides otherwise (claims/blocks/case.ts).
 */
export const resolveBlock: CommandKind<ResolveBlock, BalanceBlock | ApiError> = {
  name: "resolve block",
  evidence: evidenceOfEntry,
  wants({ accountId, blockId, walletId, institutionId, e2eId }, want) {
    want.row(blocksTable, { accountId, id: blockId });
    wantWallet(want, accountId, walletId, institutionId);
    if (e2eId !== null) wantPix(want, accountId, e2eId);
  },
  decide({ accountId, actor, blockId, e2eId, outcome, resolutionReason, resolutionText }, books, deciding) {
    const before = books.find(blocksTable, { accountId, id: blockId });
    if (!before) return { result: notFound("balance block", blockId) };
    if (before.status === outcome) return { result: toBalanceBlock(before) };
    if (!isOpen(before)) {
      return { result: new ApiError("BALANCE_BLOCK_RESOLVED", undefined, { status: before.status }) };
    }

    // ---- All checks are done.
    const pix = e2eId === null ? undefined : books.find(claimedPixTable, { accountId, id: e2eId });
    const batch = { books, deciding };
    const resolution: Resolution = {
      reason: resolutionReason ?? usualReason(before, outcome),
      text: resolutionText,
    };
    const change =
      outcome === "rejected"
        ? rejectBlock(before, resolution, batch)
        : before.caseId !== null
          ? approveCase(before, resolution, batch)
          : andThenBlock(takeHold(pix ?? null, before, batch), (so) => approveBlock(so, resolution, batch));
    return storeChange({ actor, action: "balance_block.resolve" }, before, change, books, deciding);
  },
};

/** The state of a block on which a decision to end it is based. */
export const openBlockStanding: Standing<Pick<ResolveBlock, "accountId" | "blockId">> = {
  wants: ({ accountId, blockId }, want) => want.row(blocksTable, { accountId, id: blockId }),
  facts({ accountId, blockId }, books) {
    const block = books.find(blocksTable, { accountId, id: blockId });
    if (!block) return {};
    const { status, caseStatus, heldAmount, takenAmount } = block;
    return { status, caseStatus, heldAmount, takenAmount };
  },
};

/** Runs only while the block is as it was when the operators decided. */
export const resolveDecided = carryingOut(resolveBlock, openBlockStanding, (command) => command);

function usualReason(block: Block, outcome: ResolveBlock["outcome"]): ResolutionReason {
  if (isOrder(block)) return outcome === "approved" ? "other" : "order_lifted";
  return outcome === "approved" ? "accepted" : "other";
}

export const blockKeyed = keyedCommand(blockBalance);
export const resolveKeyed = keyedCommand(resolveBlock);

function wantWallet(want: Want, accountId: string, walletId: string, institutionId: string): void {
  want.row(walletsTable, { accountId, id: walletId });
  wantReceivers(want, accountId);
  for (const name of [available(walletId), held(walletId), psp(institutionId)]) want.ledger(accountId, name);
}

/** The decision that stores a changed block: its row, its Pix where it has one, and an entry of the audit log. */
function storeChange(
  done: Pick<AuditRow, "actor" | "action">,
  before: Block | null,
  change: BlockChange,
  books: Books,
  { now, newId }: Deciding,
): Decision<BalanceBlock> {
  const { block, transfers, writes } = change;
  const { accountId, blockId, e2eId } = block;
  const pix = e2eId === null ? undefined : books.find(claimedPixTable, { accountId, id: e2eId });
  const rows: Write[] = pix
    ? claimWrites(pix, withBlock(pix, change).pix)
    : [before ? update(blocksTable, block, "state", block) : insert(blocksTable, block)];
  const result = toBalanceBlock(block);
  const audit = {
    accountId,
    auditId: newId(),
    ...done,
    objectId: blockId,
    before: before && toBalanceBlock(before),
    after: result,
    createdAt: now,
  };
  return { result, transfers, writes: [...rows, ...writes, insert(auditTable, audit)] };
}
