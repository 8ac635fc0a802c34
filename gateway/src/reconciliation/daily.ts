import type { Applier } from "../booking/apply.ts";
import { REFUSED, reportListIn, secondOf } from "../booking/report-unread.ts";
import { writeCases } from "../cases/write.ts";
import type { Context } from "../context.ts";
import { passesByItself } from "../db/batch.ts";
import { levelOf } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { Institution } from "../institutions/registry.ts";
import { dayOf, daysBefore, dayWindow } from "../lib/days.ts";
import { failpoint } from "../lib/failpoint.ts";
import type { Progress } from "../lib/progress.ts";
import { uncompared, writeFindings } from "./findings.ts";
import { type Report, reconcile } from "./reconcile.ts";
import { reconciliations } from "./tables.ts";

/** Most recent days that are reconciled: an institution adds late entries soon. */
const DAYS = 3;
/**
 * Most days back that are still compared where no comparison was complete, because the gateway or the institution was
 * down.
 */
const LONGEST = 90;
/** Time after a day's end before its first comparison: late entries arrive meanwhile. */
const SETTLE = 3 * 3_600_000;
const AGAIN = 24 * 3_600_000;
/** Lease of a comparison: after it another process may continue. */
const CLAIM = 3_600_000;

/**
 * Reconciles the last days of every institution, once a day each, and older ones until a comparison of them was complete.
 *
 * @returns true when a day was reconciled.
 */
export async function reconcileDaily(ctx: Context, applier: Applier, houseId: string): Promise<boolean> {
  const now = ctx.clock.date();
  const institutions = await ctx.psps.all();
  const days = Array.from({ length: LONGEST }, (_, i) => daysBefore(dayOf(now), i + 1));
  for (const { institutionId } of institutions) {
    for (const day of await missingDays(ctx, institutionId, days)) {
      const first = new Date(dayWindow(day)!.to.getTime() + SETTLE);
      await ctx.db.query(sql`
        insert into reconciliations (institution_id, day, next_at) values (${institutionId}, ${day}, ${first})
        on conflict do nothing`);
    }
  }
  const { rows } = await ctx.db.query<{ institutionId: string; day: string }>(sql`
    select ${reconciliations.select("", ["institutionId", "day"])} from reconciliations
    where next_at <= ${now} order by next_at limit 1`);
  const due = rows[0];
  if (!due) return false;
  const claimed = await ctx.db.query(sql`
    update reconciliations set next_at = ${new Date(now.getTime() + CLAIM)}
    where institution_id = ${due.institutionId} and day = ${due.day} and next_at <= ${now}`);
  // Another process was faster; there may be another day.
  if (claimed.rowCount === 0) return true;
  const institution = institutions.find((candidate) => candidate.institutionId === due.institutionId);
  if (!institution) {
    await ctx.db.query(sql`
      update reconciliations set next_at = null where institution_id = ${due.institutionId} and day = ${due.day}`);
    return true;
  }
  try {
    await reconcileAndKeep(ctx, { applier, houseId }, institution, due.day);
  } catch (error) {
    if (passesByItself(error)) throw error;
    // It is due again in an hour, and does not delay other days.
    const { institutionId } = institution;
    ctx.log[levelOf(error)]({ err: error, institutionId, day: due.day }, "a day could not be compared");
  }
  return true;
}

/** The last days, since the institution was connected, that have no row yet. */
async function missingDays({ db }: Context, institutionId: string, days: readonly string[]): Promise<string[]> {
  const [comparedDays, connected] = await Promise.all([
    db.query<{ day: string }>(sql`
      select ${reconciliations.select("", ["day"])} from reconciliations
      where institution_id = ${institutionId} and day >= ${days.at(-1)!}::date`),
    db.query<{ at: Date }>(sql`select created_at as at from institutions where institution_id = ${institutionId}`),
  ]);
  const compared = new Set(comparedDays.rows.map(({ day }) => day));
  const first = connected.rows[0] && dayOf(connected.rows[0].at);
  return days.filter((day, i) => !compared.has(day) && (i < DAYS || (first !== undefined && day >= first)));
}

type With = { readonly applier: Applier; readonly houseId: string };

/** Reconciles a day and stores the result. If that fails, a case is open until it succeeds. */
export async function reconcileAndKeep(
  ctx: Context,
  using: With,
  institution: Institution,
  day: string,
  progress: Progress = () => {},
): Promise<Report> {
  try {
    return await compareDay(ctx, using, institution, day, progress);
  } catch (error) {
    if (!passesByItself(error)) {
      const ids = { now: ctx.clock.date(), newId: () => ctx.ids.uuid() };
      const open = [uncompared(using.houseId, institution.institutionId, day)];
      await ctx.db.transaction((tx) => writeCases(tx, { open }, ids));
    }
    throw error;
  }
}

async function compareDay(
  ctx: Context,
  { applier, houseId }: With,
  institution: Institution,
  day: string,
  progress: Progress,
): Promise<Report> {
  const { rows } = await ctx.db.query<{ askedLast: string | null }>(sql`
    select ${reconciliations.select("", ["askedLast"])} from reconciliations where institution_id = ${institution.institutionId} and day = ${day}`);
  const compared = await reconcile(ctx, applier, institution, day, rows[0]?.askedLast ?? null, progress);
  const { report, last } = compared;
  failpoint("reconciliation.before");
  const since = daysBefore(dayOf(report.checkedAt), report.incomplete === null ? DAYS : LONGEST);
  // If a month of comparisons did not complete a day, another one seldom does: each wait is a quarter of the day's age.
  const wait = Math.max(AGAIN, (report.checkedAt.getTime() - dayWindow(day)!.to.getTime()) / 4);
  const nextAt = day >= since && compared.refused === null ? new Date(report.checkedAt.getTime() + wait) : null;
  // Report and cases are stored together, otherwise the next comparison repeats this one.
  await ctx.db.transaction(async (tx) => {
    await tx.query(sql`
      insert into reconciliations (institution_id, day, next_at, checked_at, report, asked_last)
      values (${institution.institutionId}, ${day}, ${nextAt}, ${report.checkedAt}, ${JSON.stringify(report)}::jsonb, ${last})
      on conflict (institution_id, day) do update
        set next_at = excluded.next_at, checked_at = excluded.checked_at, report = excluded.report,
          asked_last = excluded.asked_last`);
    failpoint("reconciliation.cases");
    await writeFindings(tx, ctx, houseId, compared, day);
    for (const { of: list, at } of compared.beyond) {
      const missing = at.map((from) => ({ item: secondOf(from), from, to: from }));
      await reportListIn(
        tx,
        ctx,
        { houseId, institutionId: institution.institutionId, subject: list },
        "unlisted",
        missing,
      );
    }
    if (compared.refused !== null) {
      const { from, to } = dayWindow(day)!;
      const list = { houseId, institutionId: institution.institutionId, subject: compared.refused };
      await reportListIn(tx, ctx, list, "refused", [{ item: REFUSED, from, to: new Date(to.getTime() - 1) }]);
    }
  });
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

/** JSON returns times as text. */
const revive = (report: Report): Report => ({
  ...report,
  checkedAt: new Date(report.checkedAt),
  findings: report.findings.map((finding) => ({ ...finding, at: new Date(finding.at) })),
});
