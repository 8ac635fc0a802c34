import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { dayOf, daysBefore, dayWindow } from "../lib/days.ts";
import { failpoint } from "../lib/failpoint.ts";
import type { Applier } from "../settlement/apply.ts";
import { writeFindings } from "./findings.ts";
import { type Report, reconcile } from "./reconcile.ts";

/** Days that the loop goes back over: what an institution still adds to a day it adds soon. */
const DAYS = 3;
/** After a day's end, before it is done for the first time: what is on its way arrives meanwhile. */
const SETTLE = 3 * 3_600_000;
const AGAIN = 24 * 3_600_000;
/** One that has not ended by then belongs to nobody. */
const CLAIM = 3_600_000;

/**
 * Reconciles the last days of every institution, once a day each.
 *
 * @returns true when a day was reconciled.
 */
export async function reconcileDaily(ctx: Context, applier: Applier, houseId: string): Promise<boolean> {
  const now = ctx.clock.date();
  const institutions = await ctx.psps.all();
  const days = Array.from({ length: DAYS }, (_, i) => daysBefore(dayOf(now), i + 1));
  for (const { institutionId } of institutions) {
    for (const day of days) {
      const first = new Date(dayWindow(day)!.to.getTime() + SETTLE);
      await ctx.db.query(sql`
        insert into reconciliations (institution_id, day, next_at) values (${institutionId}, ${day}, ${first})
        on conflict do nothing`);
    }
  }
  const { rows } = await ctx.db.query<{ institution_id: string; day: string }>(sql`
    select institution_id, to_char(day, 'YYYY-MM-DD') as day from reconciliations
    where next_at <= ${now} order by next_at limit 1`);
  const due = rows[0];
  if (!due) return false;
  const claimed = await ctx.db.query(sql`
    update reconciliations set next_at = ${new Date(now.getTime() + CLAIM)}
    where institution_id = ${due.institution_id} and day = ${due.day} and next_at <= ${now}`);
  // Another process was faster; there may be another day.
  if (claimed.rowCount === 0) return true;
  const institution = institutions.find((one) => one.institutionId === due.institution_id);
  if (!institution) {
    await ctx.db.query(sql`
      update reconciliations set next_at = null where institution_id = ${due.institution_id} and day = ${due.day}`);
    return true;
  }
  await reconcileAndKeep(ctx, { applier, houseId }, institution, due.day);
  return true;
}

/** Reconciles a day and keeps the result for whoever asks. */
export async function reconcileAndKeep(
  ctx: Context,
  { applier, houseId }: { readonly applier: Applier; readonly houseId: string },
  institution: Institution,
  day: string,
): Promise<Report> {
  const report = await reconcile(ctx, applier, institution, day);
  failpoint("reconciliation.before");
  const isRecent = day >= daysBefore(dayOf(report.checkedAt), DAYS);
  const nextAt = isRecent ? new Date(report.checkedAt.getTime() + AGAIN) : null;
  await ctx.db.query(sql`
    insert into reconciliations (institution_id, day, next_at, checked_at, report)
    values (${institution.institutionId}, ${day}, ${nextAt}, ${report.checkedAt}, ${JSON.stringify(report)}::jsonb)
    on conflict (institution_id, day) do update
      set next_at = excluded.next_at, checked_at = excluded.checked_at, report = excluded.report`);
  await writeFindings(ctx, houseId, report, day);
  const open = report.findings.filter((finding) => !finding.booked).length + report.moreFindings;
  const { institutionId, incomplete } = report;
  const log = { institutionId, day, findings: report.findings.length, open, incomplete };
  if (open > 0 || incomplete !== null) ctx.log.warn(log, "a day does not agree with its institution");
  else ctx.log.info(log, "a day was reconciled");
  return report;
}

/** The last result of a day; null when it was never reconciled. */
export async function readReport(ctx: Pick<Context, "db">, institutionId: string, day: string): Promise<Report | null> {
  const { rows } = await ctx.db.query<{ report: Report | null }>(sql`
    select report from reconciliations where institution_id = ${institutionId} and day = ${day}`);
  return rows[0]?.report ? revive(rows[0].report) : null;
}

/** Times come back from JSON as text. */
const revive = (report: Report): Report => ({
  ...report,
  checkedAt: new Date(report.checkedAt),
  findings: report.findings.map((finding) => ({ ...finding, at: new Date(finding.at) })),
});
