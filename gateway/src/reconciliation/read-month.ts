import type { Context } from "../context.ts";
import { texts } from "../db/arrays.ts";
import { sql } from "../db/sql.ts";
import { DAY_CASES, findingObject } from "./findings.ts";
import type { Report } from "./reconcile.ts";

/**
 * What the comparisons of a day came to, over all institutions:
 *
 * - `incomplete`: a list of an institution was not complete.
 * - `differs`: something does not agree, and nobody has decided about it.
 * - `decided`: something did not agree, and all of its cases are closed.
 * - `agrees`: nothing differs, or what did was booked by the comparison.
 */
export const DAY_STATES = ["agrees", "differs", "decided", "incomplete"] as const;
type DayState = (typeof DAY_STATES)[number];

/** A day that was compared. Centavos. */
type ComparedDay = {
  readonly day: string;
  readonly state: DayState;
  /** What was not booked by the comparison, decided or not. */
  readonly findings: number;
  /** What the institutions have more than the books, by these findings. */
  readonly difference: number;
  /** What both sides have alike and moved, in either direction, without tariffs. */
  readonly volume: number;
  /** Of the oldest comparison among them. */
  readonly checkedAt: Date;
};

type Row = {
  readonly day: string;
  readonly checkedAt: Date;
  readonly isIncomplete: boolean;
  /** Findings beyond those that the report lists. */
  readonly more: number;
  readonly findings: number;
  readonly openCases: number;
  readonly difference: number;
  readonly volume: number;
};

/** The compared days from `first` to `last`, by the last comparison of each institution that is not retired. */
export async function readDays(
  { db }: Pick<Context, "db">,
  houseId: string,
  { first, last }: { readonly first: string; readonly last: string },
): Promise<ComparedDay[]> {
  const { rows } = await db.query<Row>(sql`
    select to_char(r.day, 'YYYY-MM-DD') as day, r.checked_at as "checkedAt",
      r.report ->> 'incomplete' is not null as "isIncomplete", (r.report ->> 'moreFindings')::int as more,
      f.findings, f.difference, m.volume, coalesce(o.cases, 0) as "openCases"
    from reconciliations r join institutions i on i.institution_id = r.institution_id and i.status <> 'retired'
    cross join lateral (
      select count(*)::int as findings, coalesce(sum((coalesce(x.theirs, 0) - coalesce(x.ours, 0))
        * case when x.kind in ('received', 'sent_back') then 1 else -1 end), 0)::bigint as difference
      from jsonb_to_recordset(r.report -> 'findings') as x (kind text, theirs bigint, ours bigint, booked boolean)
      where not x.booked) f
    cross join lateral (
      select coalesce(sum((x.value ->> 'amount')::bigint), 0)::bigint as volume
      from jsonb_each(r.report -> 'matched') x where x.key <> 'tariff') m
    left join (
      select institution_id, evidence -> 'data' ->> 'day' as day, count(*)::int as cases from cases
      where account_id = ${houseId} and kind = 'reconciliation_difference' and status = 'open'
      group by institution_id, evidence -> 'data' ->> 'day'
    ) o on o.institution_id = r.institution_id and o.day = to_char(r.day, 'YYYY-MM-DD')
    where r.day >= ${first}::date and r.day <= ${last}::date and r.report is not null
    order by r.day`);
  const days = Map.groupBy(rows, ({ day }) => day);
  return [...days].map(([day, all]) => ({
    day,
    state: stateOf(all),
    findings: sum(all, (one) => one.findings + one.more),
    difference: sum(all, (one) => one.difference),
    volume: sum(all, (one) => one.volume),
    checkedAt: new Date(Math.min(...all.map(({ checkedAt }) => checkedAt.getTime()))),
  }));
}

const sum = (rows: readonly Row[], of: (row: Row) => number): number => rows.reduce((all, row) => all + of(row), 0);

/** Beyond the findings that have cases, no case says whether somebody has decided. */
function stateOf(rows: readonly Row[]): DayState {
  const differs = ({ openCases, findings, more }: Row) => openCases > 0 || findings + more > DAY_CASES;
  if (rows.some(differs)) return "differs";
  if (rows.some(({ isIncomplete }) => isIncomplete)) return "incomplete";
  return rows.some(({ findings }) => findings > 0) ? "decided" : "agrees";
}

type FindingCase = { readonly caseId: string; readonly isOpen: boolean };

/** The newest case of each finding of reports that has one, by `findingObject`. */
export async function readFindingCases(
  { db }: Pick<Context, "db">,
  houseId: string,
  reports: readonly Report[],
): Promise<ReadonlyMap<string, FindingCase>> {
  const objects = reports.flatMap(({ institutionId, findings }) =>
    findings
      .filter(({ booked }) => !booked)
      .slice(0, DAY_CASES)
      .map((finding) => findingObject(institutionId, finding)),
  );
  if (objects.length === 0) return new Map();
  const { rows } = await db.query<{ object_id: string; case_id: string; status: string }>(sql`
    select distinct on (object_id) object_id, case_id, status from cases
    where account_id = ${houseId} and kind = 'reconciliation_difference'
      and object_id = any(${texts(objects)}::text[])
    order by object_id, case_id desc`);
  return new Map(rows.map((row) => [row.object_id, { caseId: row.case_id, isOpen: row.status === "open" }]));
}
