import { Type } from "typebox";
import { type CaseAction, NO_PARAMETERS } from "../cases/action.ts";
import { type Facts, readStanding } from "../cases/basis.ts";
import { RETURN_BASIS } from "../claims/returns/case-actions.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { Exact } from "../http/contract.ts";
import { notFound } from "../http/errors.ts";
import { findUnmatched, resolveUnmatched, type UnmatchedDecision } from "./act.ts";
import { receiptStanding } from "./decided.ts";

type About = Parameters<CaseAction["execute"]>[1];

/** The state of a case's receipt in the house account's books. */
export async function standingOfReceipt(ctx: Context, { accountId, objectId: pixId }: About) {
  const { rows } = await ctx.db.query<{ e2e_id: string }>(sql`
    select e2e_id from received_pix where account_id = ${accountId} and pix_id = ${pixId}`);
  if (!rows[0]) throw notFound("unmatched", pixId);
  return readStanding(ctx.lanes, receiptStanding, { accountId, e2eId: rows[0].e2e_id });
}

/** The state of the charge that a receipt would settle: a late or second payment is not credited like a first one. */
async function askAboutCharge(ctx: Context, _: About, parameters: Readonly<Record<string, unknown>>): Promise<Facts> {
  const { accountId, chargeId } = parameters as { readonly accountId: string; readonly chargeId: string };
  const { rows } = await ctx.db.query<{ charge: string; charged: number }>(sql`
    select status as charge, amount as charged from charges where account_id = ${accountId} and charge_id = ${chargeId}`);
  return rows[0] ?? { charge: null };
}

const action = (
  of: Pick<CaseAction, "action" | "kinds" | "description" | "parameters" | "standing" | "ask"> & {
    readonly decision: (parameters: Readonly<Record<string, unknown>>) => UnmatchedDecision;
  },
): CaseAction => ({
  ...of,
  async execute(ctx, about, parameters, { actor, proposalId }) {
    const shown = await findUnmatched(ctx, about.objectId);
    const acting = { ...ctx, operator: { name: actor } };
    const done = await resolveUnmatched(acting, shown, of.decision(parameters), {
      ...{ keyed: null, proposalId },
      toAnswer: (row) => ({ status: 200, body: JSON.stringify({ status: row.status }) }),
    });
    return JSON.parse(done.answer.body) as { status: string };
  },
});

/** What an operator can do about a receipt without a charge, and about a failed return. */
export const UNMATCHED_ACTIONS: readonly CaseAction[] = [
  action({
    action: "assign",
    kinds: ["unmatched_receipt"],
    standing: standingOfReceipt,
    ask: askAboutCharge,
    description: "Settle a charge with this Pix, as if it had been paid by its code.",
    parameters: Exact({ accountId: Type.String({ format: "uuid" }), chargeId: Type.String({ format: "uuid" }) }),
    decision: ({ accountId, chargeId }) => ({
      action: "assign",
      accountId: accountId as string,
      chargeId: chargeId as string,
    }),
  }),
  action({
    action: "return",
    kinds: ["unmatched_receipt"],
    standing: standingOfReceipt,
    description: "Send the money back to its payer.",
    parameters: NO_PARAMETERS,
    decision: () => ({ action: "return" }),
  }),
  action({
    ...RETURN_BASIS,
    action: "retry",
    kinds: ["return_failed"],
    description: "Ask the institution about the failed return, and return the money again.",
    parameters: NO_PARAMETERS,
    decision: () => ({ action: "retry" }),
  }),
];
