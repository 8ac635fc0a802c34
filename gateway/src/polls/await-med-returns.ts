import type { Applier } from "../booking/apply.ts";
import { blocksTable } from "../claims/blocks/row.ts";
import { settleBlock } from "../claims/blocks/settle.ts";
import type { Context } from "../context.ts";
import type { Selected } from "../db/columns.ts";
import { claimDue, type DueRows } from "../db/due-rows/claim.ts";
import { createRunner, type Runner } from "../db/due-rows/runner.ts";
import { part, sql } from "../db/sql.ts";
import { LIMITS } from "../lib/limits.ts";

/** Lease of a due case: longer than one query and its booking, milliseconds. */
const CLAIM = 60_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Pauses between queries, in order; the last one is repeated. At most about a hundred queries for a case, in 90 days. */
const PAUSES: readonly number[] = [10 * MINUTE, HOUR, 5 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR];

const FIELDS = ["accountId", "blockId", "institutionId", "e2eId", "resolvedAt", "returnAttempts"] as const;
type Due = Selected<typeof blocksTable.columns, (typeof FIELDS)[number]>;

const DUE: DueRows<typeof blocksTable.columns, (typeof FIELDS)[number]> = {
  table: blocksTable,
  dueAt: "returnNextAt",
  claimMs: CLAIM,
  set: () => part`, return_attempts = d.return_attempts + 1`,
  fields: FIELDS,
};

/**
 * Queries institutions for the returns of MED cases that they have accepted. The notification of such a return may be lost,
 * and its Pix may be older than the lists of received Pix reach.
 */
export const createMedReturnAwaiter = (ctx: Context, applier: Applier): Runner =>
  createRunner<Due>(ctx, {
    loop: "med returns",
    claim: (limit) => claimDue(ctx, DUE, limit),
    process: (due) => query(ctx, applier, due),
    span: (due) => ({ objectId: due.blockId }),
    describe: (due) => ({ blockId: due.blockId }),
  });

async function query(ctx: Context, applier: Applier, due: Due): Promise<Date | null> {
  const { accountId, blockId, institutionId } = due;
  const e2eId = due.e2eId!;
  const institution = await ctx.psps.find(institutionId);
  const found = await institution?.psp.findPix(e2eId);
  const pix = found?.kind === "found" ? found.value : null;
  if (institution && pix) await applier.apply(institution, pix);
  const settled = await ctx.lanes.run(settleBlock, { accountId, e2eId, blockId, shown: pix?.returns ?? [] });
  ctx.hints.wake("deliver");
  if (settled === "settled") return null;
  return postpone(ctx, due);
}

/**
 * Schedules the next query. This runs outside the lanes, so it writes only while the return is awaited. After 90 days
 * nothing can be returned any more.
 */
async function postpone(ctx: Context, { accountId, blockId, resolvedAt, returnAttempts }: Due): Promise<Date | null> {
  const pause = PAUSES[Math.min(returnAttempts, PAUSES.length) - 1]!;
  const next = new Date(ctx.clock.now() + pause);
  const nextAt = next.getTime() - resolvedAt!.getTime() > LIMITS.returnWindow ? null : next;
  await ctx.db.query(sql`
    update balance_blocks set return_next_at = ${nextAt}
    where account_id = ${accountId} and block_id = ${blockId} and held_amount > 0 and status = 'approved'`);
  return nextAt;
}
