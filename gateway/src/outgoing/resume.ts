import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";

/** A row that a process holds is due again within this time, milliseconds: the longest claim. */
const CLAIMED = 60_000;
/** What is due later than this waits for something else than an answer: the longest pause of a retry. */
const LONGEST_PAUSE = 600_000;

/**
 * Makes what has payouts, returns and defences tried as soon as their institution answers again, as this process sees it: the pause
 * of one that has met an outage grows to ten minutes, and nobody should wait for it after the outage.
 *
 * @returns a loop's batch.
 */
export function createResumer(ctx: Pick<Context, "db" | "psps" | "clock" | "hints">): () => Promise<boolean> {
  const down = new Set<string>();
  return async () => {
    for (const { institutionId, health } of await ctx.psps.all()) {
      if (health.state === "down") down.add(institutionId);
      else if (down.has(institutionId)) {
        await resume(ctx, institutionId);
        down.delete(institutionId);
      }
    }
    return false;
  };
}

/** Has everything tried now that waits for another try at this institution, and for nothing else. */
async function resume({ db, clock, hints }: Pick<Context, "db" | "clock" | "hints">, id: string): Promise<void> {
  const now = clock.date();
  const [after, until] = [CLAIMED, LONGEST_PAUSE].map((ms) => new Date(now.getTime() + ms));
  await db.query(sql`
    update withdrawals set next_at = ${now}
    where institution_id = ${id} and status in ('pending', 'processing') and next_at > ${after} and next_at <= ${until}
      and attempts > 0 and (hold_until is null or hold_until <= ${now}) and (limited_until is null or limited_until <= ${now})`);
  await db.query(sql`
    update pix_returns set next_at = ${now}
    where institution_id = ${id} and next_at > ${after} and next_at <= ${until}`);
  await db.query(sql`
    update balance_blocks set defence_next_at = ${now}
    where institution_id = ${id} and defence_next_at > ${after} and defence_next_at <= ${until}`);
  for (const loop of ["withdrawals", "returns", "defences"]) hints.wake(loop);
}
