import { cases } from "../cases/case.ts";
import type { Context } from "../context.ts";
import { texts } from "../db/arrays.ts";
import type { Selected } from "../db/columns.ts";
import { sql } from "../db/sql.ts";
import { DAY_CASES, findingObject } from "./findings.ts";
import type { Report } from "./reconcile.ts";
import { reconciliations } from "./tables.ts";

/**
 * The result of a day's comparisons, over all institutions:
 * - `incomplete`: a list of an institution was not complete.
 * - `differs`: there is a difference that nobody has decided.
 * - `decided`: there was a difference, and all of its cases are closed.
 * - `agrees`: no difference, or the comparison booked it.
 */
export const DAY_STATES = ["agrees", "differs", "decided", "incomplete"] as const;
type DayState = (typeof DAY_STATES)[number];

/** A compared day. Centavos. */
type ComparedDay = {
  readonly day: string;
  readonly state: DayState;
  /** Differences that the comparison did not book, decided or not. */
  readonly findings: number;
  /** By these findings, how much more the institutions have than the books. */
  readonly difference: number;
  /** Amounts that both sides have alike, in either direction, without tariffs. */
  readonly volume: number;
  /** Of the oldest of these comparisons. */
  readonly checkedAt: Date;
};

type Row = {
  readonly day: string;
  readonly checkedAt: Date;
  readonly isIncomplete: boolean;
  /** Findings that the report does not list. */
  readonly more: number;
  readonly findings: number;
  readonly openCases: number;
  readonly difference: number;
  readonly volume: number;
};

/**
 * The compared days from `first` to `last`, by the last comparison of each institution that is not retired. A comparison of
 * a day before its institution was added counts only if it found something: that two empty sides agree proves nothing, and
 * nobody misses a list of that day.
 */
export async function readDays(
  { db }: Pick<Context, "db">,
  houseId: string,
  { first, last }: { readonly first: string; readonly last: string },
): Promise<ComparedDay[]> {
  const { rows } = await db.query<Row>(sql`
    select ${reconciliations.select("r", ["day", "checkedAt"])},
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
      and (m.volume > 0 or f.findings > 0
        or r.day >= (i.created_at at time zone 'America/Sao_Paulo')::date)
    order by r.day`);
  const days = Map.groupBy(rows, ({ day }) => day);
  return [...days].map(([day, all]) => ({
    day,
    state: stateOf(all),
    findings: sum(all, (row) => row.findings + row.more),
    difference: sum(all, (row) => row.difference),
    volume: sum(all, (row) => row.volume),
    checkedAt: new Date(Math.min(...all.map(({ checkedAt }) => checkedAt.getTime()))),
  }));
}

const sum = (rows: readonly Row[], figureOf: (row: Row) => number): number =>
  rows.reduce((all, row) => all + figureOf(row), 0);

/** Findings beyond the most that have cases count as undecided. */
function stateOf(rows: readonly Row[]): DayState {
  const differs = ({ openCases, findings, more }: Row) => openCases > 0 || findings + more > DAY_CASES;
  if (rows.some(differs)) return "differs";
  if (rows.some(({ isIncomplete }) => isIncomplete)) return "incomplete";
  return rows.some(({ findings }) => findings > 0) ? "decided" : "agrees";
}

type FindingCase = { readonly caseId: string; readonly isOpen: boolean };

/** The newest case of each finding of these reports that has one, by `findingObject`. */
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
  const { rows } = await db.query<Selected<typeof cases.columns, "objectId" | "caseId" | "status">>(sql`
    select distinct on (object_id) ${cases.select("", ["objectId", "caseId", "status"])} from cases
    where account_id = ${houseId} and kind = 'reconciliation_difference'
      and object_id = any(${texts(objects)}::text[])
    order by object_id, case_id desc`);
  return new Map(rows.map((row) => [row.objectId, { caseId: row.caseId, isOpen: row.status === "open" }]));
}
