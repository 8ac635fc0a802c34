import type { Context } from "../context.ts";
import { claimDue, type DueRows } from "../db/due-rows/claim.ts";
import { levelOf } from "../db/pool.ts";
import { part } from "../db/sql.ts";
import { LIMITS } from "../lib/limits.ts";
import type { CaseAction } from "./action.ts";
import { execute } from "./decide.ts";
import { proposalsTable } from "./proposal.ts";

/** Approved proposals that no process has finished in time. */
const DUE: DueRows<typeof proposalsTable.columns, "accountId" | "proposalId"> = {
  table: proposalsTable,
  dueAt: "nextAt",
  claimMs: LIMITS.caseExecution,
  only: () => part`d.status = 'approved'`,
  fields: ["accountId", "proposalId"],
};
/** Proposals that one pass executes, one after the other: all are done before the first lease ends. */
const BATCH = 10;

/**
 * Executes approved proposals whose process has died. One that fails for now does not delay the others.
 *
 * @returns how many were due.
 */
export async function executeDue(ctx: Context, actions: readonly CaseAction[]): Promise<number> {
  const due = await claimDue(ctx, DUE, BATCH);
  for (const proposal of due) {
    try {
      await execute({ ctx, actions }, proposal);
    } catch (error) {
      const { proposalId } = proposal;
      ctx.log[levelOf(error)]({ err: error, proposalId }, "an approved proposal was not executed; it is due again");
    }
  }
  return due.length;
}
