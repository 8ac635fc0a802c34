import type { Context } from "../../context.ts";
import type { Selected } from "../../db/columns.ts";
import { claimDue, type DueRows } from "../../db/due-rows/claim.ts";
import { createRunner, type Runner } from "../../db/due-rows/runner.ts";
import { part, sql } from "../../db/sql.ts";
import { pauseAfter } from "../../outgoing/pursue.ts";
import { blocksTable } from "./row.ts";

/** Lease of a defence: longer than one call takes, milliseconds. */
const CLAIM = 60_000;
/**
 * Refusals that do not concern the defence itself: no access, a proxy's 404, or a PSP whose reads lag. They are retried
 * until the case ends.
 */
const INCONCLUSIVE: ReadonlySet<number> = new Set([401, 403, 404]);
/** The PSP's answer when the case is defended already, or closed. */
const CONFLICT = 409;

const FIELDS = ["accountId", "blockId", "institutionId", "caseId", "defence", "defenceAttempts"] as const;
type Due = Selected<typeof blocksTable.columns, (typeof FIELDS)[number]>;

/**
 * Sends merchants' defences to their PSPs. A defence is stored first, and claimed by moving its due time. An unknown
 * outcome is not a failure: the same text is sent again, since a PSP accepts one defence of a case.
 */
export const createDefender = (ctx: Context): Runner =>
  createRunner<Due>(ctx, {
    loop: "defences",
    claim: (limit) => claimDue(ctx, DUE, limit),
    process: (due) => process(ctx, due),
    span: (due) => ({ objectId: due.blockId }),
    describe: (due) => ({ blockId: due.blockId }),
  });

const DUE: DueRows<typeof blocksTable.columns, (typeof FIELDS)[number]> = {
  table: blocksTable,
  dueAt: "defenceNextAt",
  claimMs: CLAIM,
  set: () => part`, defence_attempts = d.defence_attempts + 1`,
  fields: FIELDS,
};

async function process(ctx: Context, due: Due): Promise<Date | null> {
  const infractions = (await ctx.psps.find(due.institutionId))?.psp.infractions;
  if (!infractions) return retryLater(ctx, due);
  const answer = await infractions.defendInfraction({ id: due.caseId!, text: due.defence! });
  const log = { blockId: due.blockId, institutionId: due.institutionId };
  if (answer.kind === "accepted") return mark(ctx, due, "sent");
  if (answer.kind !== "rejected") {
    ctx.log.warn({ ...log, outcome: answer.kind, reason: answer.reason }, "a defence has no known outcome yet");
    return retryLater(ctx, due);
  }
  // If an earlier request may have arrived, a conflict means that it did.
  if (answer.httpStatus === CONFLICT && due.defenceAttempts > 1) return mark(ctx, due, "sent");
  ctx.log.warn({ ...log, httpStatus: answer.httpStatus, code: answer.code }, "the PSP refused a defence");
  return INCONCLUSIVE.has(answer.httpStatus) ? retryLater(ctx, due) : mark(ctx, due, "refused");
}

/** Written outside the lanes, so it writes only while the defence is under way: a block that has ended has no due time. */
async function mark(ctx: Context, due: Due, status: "sent" | "refused"): Promise<null> {
  await ctx.db.query(sql`
    update balance_blocks set defence_status = ${status}, defence_next_at = null, updated_at = ${ctx.clock.date()}
    where account_id = ${due.accountId} and block_id = ${due.blockId} and defence_status = 'pending'`);
  return null;
}

async function retryLater(ctx: Context, due: Due): Promise<Date> {
  const nextAt = new Date(ctx.clock.now() + pauseAfter(due.defenceAttempts));
  await ctx.db.query(sql`
    update balance_blocks set defence_next_at = ${nextAt}
    where account_id = ${due.accountId} and block_id = ${due.blockId} and defence_status = 'pending'`);
  return nextAt;
}
