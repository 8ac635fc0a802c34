import { askAboutReturns, readBlock } from "../blocks/case-actions.ts";
import { blockStanding } from "../blocks/end-hold.ts";
import { type CaseAction, REASON } from "../cases/action.ts";
import { beginDecision, carryingOut, readStanding } from "../cases/basis.ts";
import { ApiError, invalid } from "../http/errors.ts";
import { type AdjustBalance, adjustBalance } from "./adjustments.ts";

type GiveBack = AdjustBalance & { readonly blockId: string; readonly e2eId: string };

const giveBackDecided = carryingOut(adjustBalance, blockStanding, ({ accountId, blockId, e2eId }: GiveBack) => ({
  accountId,
  blockId,
  e2eId,
}));

/**
 * What can be done about a block whose money was booked as gone, while its institution closed the case without taking it. The wallet
 * gets it as an adjustment; the balance at the institution is then this much above the books, which its own case shows.
 */
export const GIVE_BACK_ACTIONS: readonly CaseAction[] = [
  {
    action: "give_back",
    kinds: ["block_contradicted"],
    says: "Give the money to the wallet again: the institution has not taken it, and still holds it.",
    parameters: REASON,
    standing: async (ctx, about) => readStanding(ctx.lanes, blockStanding, await readBlock(ctx, about)),
    ask: askAboutReturns,
    async execute(ctx, about, { reason }, { actor, proposalId }) {
      const { accountId, blockId, e2eId } = await readBlock(ctx, about);
      const { walletId, amount } = about.evidence.data ?? {};
      if (typeof walletId !== "string" || typeof amount !== "number")
        throw invalid("action", "the case names no money");
      const command: GiveBack = {
        ...{ accountId, blockId, e2eId, walletId, amount, actor, adjustmentId: proposalId },
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
    says: "The money has left, whatever the institution says of the case: the wallet stays debited.",
    parameters: REASON,
    // What the institution has shown of it since then is in the case.
    standing: () => Promise.resolve({}),
    ask: askAboutReturns,
    async execute(ctx, about, { reason }, { proposalId }) {
      await beginDecision(ctx.lanes, about.account_id, proposalId);
      return { reason };
    },
  },
];
