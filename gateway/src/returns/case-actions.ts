import { type CaseAction, NO_PARAMETERS, REASON } from "../cases/action.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ApiError, notFound } from "../http/errors.ts";
import { toBrl } from "../lib/money.ts";
import { type ForceReturn, forceReturn, writeOffReturn } from "./force.ts";

type About = Parameters<CaseAction["execute"]>[1];
type Execution = Parameters<CaseAction["execute"]>[3];

async function readReturn({ db }: Pick<Context, "db">, { account_id: accountId, object_id: returnId }: About) {
  const { rows } = await db.query<{ e2eId: string; institutionId: string }>(sql`
    select e2e_id as "e2eId", institution_id as "institutionId" from pix_returns
    where account_id = ${accountId} and return_id = ${returnId}`);
  if (!rows[0]) throw notFound("return", returnId);
  return { accountId, returnId, ...rows[0] };
}

async function force(ctx: Context, about: About, outcome: ForceReturn["outcome"], execution: Execution) {
  const { institutionId, ...of } = await readReturn(ctx, about);
  const environment = (await ctx.psps.find(institutionId))?.environment ?? ctx.config.environment;
  const done = await ctx.lanes.run(forceReturn, { ...of, environment, outcome, ...execution });
  if (done instanceof ApiError) throw done;
  ctx.hints.wake("deliver");
  ctx.hints.wake(`settled/${of.e2eId}`);
  return { status: done.status };
}

/** What can be done about a return that has no end, and about one that cannot be made. */
export const RETURN_ACTIONS: readonly CaseAction[] = [
  {
    action: "force_completed",
    kinds: ["return_unresolved", "return_failed"],
    says: "Book the return as made: the payer has the money back.",
    parameters: NO_PARAMETERS,
    execute: (ctx, about, _, execution) => force(ctx, about, { to: "completed" }, execution),
  },
  {
    action: "force_failed",
    kinds: ["return_unresolved"],
    says: "Book the return as not made: a refund's money is available again, a deposit's waits in the case of a failed return.",
    parameters: REASON,
    execute: (ctx, about, { reason }, execution) =>
      force(ctx, about, { to: "failed", reason: reason as string }, execution),
  },
  {
    action: "write_off",
    kinds: ["return_failed"],
    says: "Book the money as the operator's gain: it cannot go back to its payer.",
    parameters: NO_PARAMETERS,
    async execute(ctx, about, _, execution) {
      const { institutionId: _institution, ...of } = await readReturn(ctx, about);
      const done = await ctx.lanes.run(writeOffReturn, { ...of, ...execution });
      if (done instanceof ApiError) throw done;
      return { amount: toBrl(done.amount) };
    },
  },
];
