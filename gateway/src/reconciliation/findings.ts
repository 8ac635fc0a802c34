import { writeCases } from "../cases/write.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import type { Report } from "./reconcile.ts";

/** Cases of one institution and day; a report lists more. */
const MOST = 100;

/**
 * Opens a case for each difference of a day that was not booked, and closes those of the day that are gone. An incomplete
 * comparison closes none: what it did not find it may not have seen.
 */
export async function writeFindings(ctx: Context, houseId: string, report: Report, day: string): Promise<void> {
  const { institutionId } = report;
  const unbooked = report.findings.filter(({ booked }) => !booked);
  const open = unbooked.slice(0, MOST).map(({ kind, state, key, theirs, ours, at, cause }) => ({
    ...{ accountId: houseId, kind: "reconciliation_difference" as const, institutionId, deadline: null },
    objectId: `${institutionId} ${kind} ${key}`,
    amount: theirs ?? ours,
    evidence: {
      says: cause,
      source: "institution" as const,
      data: { day, kind, state, key, amount: theirs ?? ours, theirs, ours, at: at.toISOString() },
    },
  }));
  const { rows } = await ctx.db.query<{ object_id: string }>(sql`
    select object_id from cases
    where account_id = ${houseId} and kind = 'reconciliation_difference' and status = 'open'
      and institution_id = ${institutionId} and evidence -> 'data' ->> 'day' = ${day}`);
  const found = new Set(open.map(({ objectId }) => objectId));
  const gone = report.incomplete === null && unbooked.length <= MOST;
  const close = rows
    .filter(({ object_id }) => gone && !found.has(object_id))
    .map(({ object_id: objectId }) => ({ accountId: houseId, kind: "reconciliation_difference" as const, objectId }));
  if (open.length + close.length === 0) return;
  const ids = { now: ctx.clock.date(), newId: () => ctx.ids.uuid() };
  await ctx.db.transaction((tx) => writeCases(tx, { open, close }, ids));
}
