import { blocksTable } from "../claims/block.ts";
import type { Context } from "../context.ts";
import type { Selected } from "../db/columns.ts";
import { part, sql } from "../db/sql.ts";
import { claimDue, type DueRows } from "../outgoing/claim.ts";
import { pauseAfter } from "../outgoing/pursue.ts";
import { createRunner, type Runner } from "../outgoing/runner.ts";

/** Longer than telling one takes, milliseconds. */
const CLAIM = 60_000;
/** Refusals that say nothing of the defence: we are not let in. */
const BESIDE_THE_POINT: ReadonlySet<number> = new Set([401, 403]);
/** The case is defended already, or closed. */
const CONFLICT = 409;

const FIELDS = ["accountId", "blockId", "institutionId", "caseId", "defence", "defenceAttempts"] as const;
type Due = Selected<typeof blocksTable.columns, (typeof FIELDS)[number]>;

/**
 * Tells PSPs of defences that merchants have sent. A defence is stored before and claimed by moving its due time; an
 * unclear outcome is no failure, and the same words are sent again: a PSP takes one defence of a case.
 */
export const createDefender = (ctx: Context): Runner =>
  createRunner<Due>(ctx, {
    loop: "defences",
    claim: (limit) => claimDue(ctx, DUE, limit),
    carry: (due) => carry(ctx, due),
    span: (due) => ({ of: due.blockId }),
    describe: (due) => ({ blockId: due.blockId }),
  });

const DUE: DueRows<typeof blocksTable.columns, (typeof FIELDS)[number]> = {
  of: blocksTable,
  dueAt: "defenceNextAt",
  claimMs: CLAIM,
  set: () => part`, defence_attempts = d.defence_attempts + 1`,
  fields: FIELDS,
};

async function carry(ctx: Context, due: Due): Promise<Date | null> {
  const infractions = (await ctx.psps.find(due.institutionId))?.psp.infractions;
  if (!infractions) return again(ctx, due);
  const told = await infractions.defendInfraction({ id: due.caseId!, text: due.defence! });
  const log = { blockId: due.blockId, institutionId: due.institutionId };
  if (told.kind === "accepted") return mark(ctx, due, "sent");
  if (told.kind !== "rejected") {
    ctx.log.warn({ ...log, outcome: told.kind, reason: told.reason }, "a defence has no known outcome yet");
    return again(ctx, due);
  }
  // After a request that may have got in, a conflict is its echo.
  if (told.httpStatus === CONFLICT && due.defenceAttempts > 1) return mark(ctx, due, "sent");
  ctx.log.warn({ ...log, httpStatus: told.httpStatus, code: told.code }, "the PSP refused a defence");
  return BESIDE_THE_POINT.has(told.httpStatus) ? again(ctx, due) : mark(ctx, due, "refused");
}

/** Written outside the lanes, so only while the defence is under way: a block that is over has no due time any more. */
async function mark(ctx: Context, due: Due, status: "sent" | "refused"): Promise<null> {
  await ctx.db.query(sql`
    update balance_blocks set defence_status = ${status}, defence_next_at = null, updated_at = ${ctx.clock.date()}
    where account_id = ${due.accountId} and block_id = ${due.blockId} and defence_status = 'pending'`);
  return null;
}

async function again(ctx: Context, due: Due): Promise<Date> {
  const nextAt = new Date(ctx.clock.now() + pauseAfter(due.defenceAttempts));
  await ctx.db.query(sql`
    update balance_blocks set defence_next_at = ${nextAt}
    where account_id = ${due.accountId} and block_id = ${due.blockId} and defence_status = 'pending'`);
  return nextAt;
}
