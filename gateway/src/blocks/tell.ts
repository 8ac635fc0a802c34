import type { Context } from "../context.ts";
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

type Due = {
  readonly account_id: string;
  readonly block_id: string;
  readonly institution_id: string;
  readonly case_id: string;
  readonly defence: string;
  readonly defence_attempts: number;
};

/**
 * Tells PSPs of defences that merchants have sent. A defence is stored before and claimed by moving its due time; an
 * unclear outcome is no failure, and the same words are sent again: a PSP takes one defence of a case.
 */
export const createDefender = (ctx: Context): Runner =>
  createRunner<Due>(ctx, {
    loop: "defences",
    claim: (limit) => claimDue(ctx, DUE, limit),
    carry: (due) => carry(ctx, due),
    span: (due) => ({ of: due.block_id }),
    describe: (due) => ({ blockId: due.block_id }),
  });

const DUE: DueRows = {
  table: "balance_blocks",
  id: "block_id",
  idIs: "uuid",
  nextAt: "defence_next_at",
  claimMs: CLAIM,
  set: () => part`, defence_attempts = d.defence_attempts + 1`,
  returning: part`d.account_id, d.block_id, d.institution_id, d.case_id, d.defence, d.defence_attempts`,
};

async function carry(ctx: Context, due: Due): Promise<Date | null> {
  const infractions = (await ctx.psps.find(due.institution_id))?.psp.infractions;
  if (!infractions) return again(ctx, due);
  const told = await infractions.defendInfraction({ id: due.case_id, text: due.defence });
  const log = { blockId: due.block_id, institutionId: due.institution_id };
  if (told.kind === "accepted") return mark(ctx, due, "sent");
  if (told.kind !== "rejected") {
    ctx.log.warn({ ...log, outcome: told.kind, reason: told.reason }, "a defence has no known outcome yet");
    return again(ctx, due);
  }
  // After a request that may have got in, a conflict is its echo.
  if (told.httpStatus === CONFLICT && due.defence_attempts > 1) return mark(ctx, due, "sent");
  ctx.log.warn({ ...log, httpStatus: told.httpStatus, code: told.code }, "the PSP refused a defence");
  return BESIDE_THE_POINT.has(told.httpStatus) ? again(ctx, due) : mark(ctx, due, "refused");
}

/** Written outside the lanes, so only while the defence is under way: a block that is over has no due time any more. */
async function mark(ctx: Context, due: Due, status: "sent" | "refused"): Promise<null> {
  await ctx.db.query(sql`
    update balance_blocks set defence_status = ${status}, defence_next_at = null, updated_at = ${ctx.clock.date()}
    where account_id = ${due.account_id} and block_id = ${due.block_id} and defence_status = 'pending'`);
  return null;
}

async function again(ctx: Context, due: Due): Promise<Date> {
  const nextAt = new Date(ctx.clock.now() + pauseAfter(due.defence_attempts));
  await ctx.db.query(sql`
    update balance_blocks set defence_next_at = ${nextAt}
    where account_id = ${due.account_id} and block_id = ${due.block_id} and defence_status = 'pending'`);
  return nextAt;
}
