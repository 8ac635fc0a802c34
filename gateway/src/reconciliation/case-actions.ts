import { type CaseAction, REASON } from "../cases/action.ts";

/** What can be done about a difference of a day that nothing will undo: the list of that day is history. */
export const RECONCILIATION_ACTIONS: readonly CaseAction[] = [
  {
    action: "acknowledge",
    kinds: ["reconciliation_difference"],
    says: "Leave the books as they are: the difference is explained. The same one opens no other case.",
    parameters: REASON,
    execute: (_ctx, _about, { reason }) => Promise.resolve({ reason }),
  },
];
