import { Type } from "typebox";
import { type CaseAction, NO_PARAMETERS } from "../cases/action.ts";
import { findUnmatched, resolveUnmatched, type UnmatchedDecision } from "./act.ts";

const action = (
  of: Pick<CaseAction, "action" | "kinds" | "says" | "parameters"> & {
    readonly decision: (parameters: Readonly<Record<string, unknown>>) => UnmatchedDecision;
  },
): CaseAction => ({
  ...of,
  async execute(ctx, about, parameters, { actor }) {
    const shown = await findUnmatched(ctx, about.object_id);
    const acting = { ...ctx, operator: { name: actor } };
    const done = await resolveUnmatched(acting, shown, of.decision(parameters), {
      keyed: null,
      toAnswer: (row) => ({ status: 200, body: JSON.stringify({ status: row.status }) }),
    });
    return JSON.parse(done.answer.body) as { status: string };
  },
});

/** What can be done about a receipt without a charge, and about a return that failed. */
export const UNMATCHED_ACTIONS: readonly CaseAction[] = [
  action({
    action: "assign",
    kinds: ["unmatched_receipt"],
    says: "Settle a charge with this Pix, as if it had been paid by its code.",
    parameters: Type.Object(
      { accountId: Type.String({ format: "uuid" }), chargeId: Type.String({ format: "uuid" }) },
      { additionalProperties: false },
    ),
    decision: ({ accountId, chargeId }) => ({
      action: "assign",
      accountId: accountId as string,
      chargeId: chargeId as string,
    }),
  }),
  action({
    action: "return",
    kinds: ["unmatched_receipt"],
    says: "Send the money back to its payer.",
    parameters: NO_PARAMETERS,
    decision: () => ({ action: "return" }),
  }),
  action({
    action: "retry",
    kinds: ["return_failed"],
    says: "Ask the institution about the failed return, and return the money again.",
    parameters: NO_PARAMETERS,
    decision: () => ({ action: "retry" }),
  }),
];
