import { type CaseAction, REASON } from "../cases/action.ts";
import { carryingOut, NO_STANDING } from "../cases/basis.ts";
import { closeCase } from "../cases/write.ts";
import { isOfCharge } from "../charges/case-actions.ts";
import { ApiError } from "../http/errors.ts";
import type { CommandKind } from "../ledger/lane.ts";

type Acknowledge = {
  /** The house account. */
  readonly accountId: string;
  readonly objectId: string;
  /** Name of the operator. */
  readonly actor: string;
};

/** Closes the case of an explained difference, and moves nothing. */
const acknowledge: CommandKind<Acknowledge, null | ApiError> = {
  name: "acknowledge difference",
  wants() {},
  decide: ({ accountId, objectId, actor }, _, deciding) => ({
    result: null,
    writes: [
      closeCase({ accountId, kind: "reconciliation_difference", objectId, because: "decided", actor }, deciding),
    ],
  }),
};
const acknowledgeDecided = carryingOut(acknowledge, NO_STANDING, (command) => command);

/** What an operator can do about a difference of a day that cannot be undone, since the list of that day is history. */
export const RECONCILIATION_ACTIONS: readonly CaseAction[] = [
  {
    action: "acknowledge",
    kinds: ["reconciliation_difference"],
    // A charge would stay pending for good: its own action ends it.
    fits: (about) => !isOfCharge(about),
    description: "Leave the books as they are: the difference is explained. The same one opens no other case.",
    parameters: REASON,
    amount: () => 0,
    standing: () => Promise.resolve({}),
    async execute(ctx, { accountId, objectId }, { reason }, { proposalId, actor }) {
      const command = { accountId, objectId, actor };
      const done = await ctx.lanes.run(acknowledgeDecided, { accountId, proposalId, command });
      if (done instanceof ApiError) throw done;
      return { reason };
    },
  },
];
