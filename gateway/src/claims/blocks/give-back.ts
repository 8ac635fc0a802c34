import { type AuditRow, auditTable } from "../../audit-log/write.ts";
import { type CaseAction, REASON } from "../../cases/action.ts";
import { beginDecision, carryingOut, readStanding } from "../../cases/basis.ts";
import { ApiError, invalid, notFound } from "../../http/errors.ts";
import { insert } from "../../ledger/books.ts";
import { available, psp } from "../../ledger/chart.ts";
import type { CommandKind } from "../../ledger/lane.ts";
import { movementKey, movementsTable, movementWrite } from "../../ledger/movement.ts";
import { movedTo } from "../../lib/ids.ts";
import { type AdjustBalance, toAdjustment } from "../../transfers/adjustments/adjust.ts";
import { claimedPixTable, decided, returnedFor, wantMoneyOf, wantPix } from "../pix.ts";
import { queryReturns, readBlock } from "./case-actions.ts";
import { withBlock } from "./close.ts";
import { isRefusedCase } from "./contradicted.ts";
import { blockStanding } from "./end-hold.ts";

type GiveBack = AdjustBalance & { readonly blockId: string; readonly e2eId: string };
type Adjustment = ReturnType<typeof toAdjustment>;

/**
 * Reverses the booking that a block's money has left: the institution still holds the money. The block has taken that much
 * less. If the institution returns it after all, the wallet pays.
 */
const giveBack: CommandKind<GiveBack, Adjustment | ApiError> = {
  name: "give back block",
  wants({ accountId, adjustmentId, walletId, e2eId }, want) {
    want.row(movementsTable, movementKey({ accountId, walletId, movementId: adjustmentId }));
    wantPix(want, accountId, e2eId);
  },
  follows: ({ accountId, e2eId }, books, want) => wantMoneyOf(want, books, accountId, e2eId),
  decide(command, books, { now, newId }) {
    const { accountId, adjustmentId, walletId, blockId, e2eId, amount, actor } = command;
    const known = books.find(movementsTable, movementKey({ accountId, walletId, movementId: adjustmentId }));
    if (known) return { result: toAdjustment(command, known.createdAt) };
    const pix = books.find(claimedPixTable, { accountId, id: e2eId });
    const block = pix?.blocks.find((candidate) => candidate.blockId === blockId);
    if (!pix || block?.walletId !== walletId) return { result: notFound("balance block", blockId) };
    if (!isRefusedCase(block) || amount !== block.takenAmount - returnedFor(pix, blockId)) {
      return { result: new ApiError("BALANCE_BLOCK_RESOLVED", undefined, { status: block.status }) };
    }

    // ---- All checks are done.
    const result = toAdjustment(command, now);
    const cause = { accountId, leg: 0, amount };
    const audit: AuditRow = {
      ...{ accountId, auditId: newId(), actor, action: "adjustment.create", objectId: adjustmentId },
      ...{ before: null, after: result, createdAt: now },
    };
    const change = withBlock(pix, {
      block: {
        ...{ ...block, takenAmount: block.takenAmount - amount, updatedAt: now },
        givenBackAmount: block.givenBackAmount + amount,
      },
      transfers: [
        {
          ...{ ...cause, kind: "adjustment", sourceId: adjustmentId, occurredAt: now },
          ...{ from: psp(block.institutionId), to: available(walletId) },
        },
      ],
      writes: [
        movementWrite({
          ...{
            ...cause,
            movementId: adjustmentId,
            walletId,
            type: "adjustment",
            direction: "in",
            causeId: adjustmentId,
          },
          ...{ description: command.reason, idempotencyKey: null, createdAt: now },
        }),
        insert(auditTable, audit),
      ],
    });
    return decided(pix, change, result);
  },
};

const giveBackDecided = carryingOut(giveBack, blockStanding, ({ accountId, blockId, e2eId }: GiveBack) => ({
  accountId,
  blockId,
  e2eId,
}));

/**
 * What an operator can do about a block whose money was booked as gone, while its institution closed the case without
 * taking it.
 */
export const GIVE_BACK_ACTIONS: readonly CaseAction[] = [
  {
    action: "give_back",
    kinds: ["block_contradicted"],
    description: "Give the money to the wallet again: the institution has not taken it, and still holds it.",
    parameters: REASON,
    standing: async (ctx, about) => readStanding(ctx.lanes, blockStanding, await readBlock(ctx, about)),
    ask: queryReturns,
    async execute(ctx, about, { reason }, { actor, proposalId, decidedAt }) {
      const { accountId, blockId, e2eId } = await readBlock(ctx, about);
      const { walletId, amount } = about.evidence.data ?? {};
      if (typeof walletId !== "string" || typeof amount !== "number")
        throw invalid("action", "the case names no money");
      const adjustmentId = movedTo(proposalId, decidedAt.getTime());
      const command: GiveBack = {
        ...{ accountId, blockId, e2eId, walletId, amount, actor, adjustmentId },
        ...{ subAccount: null, balance: "available", type: "adjustment", reason: reason as string },
      };
      const done = await ctx.lanes.run(giveBackDecided, { accountId, proposalId, command });
      if (done instanceof ApiError) throw done;
      return { adjustmentId: done.id, amount: done.amount };
    },
  },
  {
    action: "acknowledge",
    kinds: ["block_contradicted"],
    description: "The money has left, whatever the institution says of the case: the wallet stays debited.",
    parameters: REASON,
    // The case already holds what the institution has shown since then.
    standing: () => Promise.resolve({}),
    ask: queryReturns,
    async execute(ctx, about, { reason }, { proposalId }) {
      await beginDecision(ctx.lanes, about.accountId, proposalId);
      return { reason };
    },
  },
];
