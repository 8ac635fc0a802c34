import { findRewritten } from "../audit-log/check.ts";
import type { Queries } from "../db/pool.ts";
import { around, type Sql, sql } from "../db/sql.ts";
import type { Progress } from "../lib/progress.ts";
import { INVARIANTS } from "./invariants/invariants.ts";
import { BOOKS, type Statement } from "./source.ts";
import { REWRITTEN, type Violation, type ViolationRow, violationOf } from "./violation.ts";

/**
 * Planner settings for this transaction. The statements compare whole tables: in memory where they fit, on all cores (the
 * planner expects many result rows, and there are none). Compiling a plan costs more than it gains, and so does starting a
 * parallel worker for less than 8 MB: small books took four times as long.
 */
const PLANNER_SETTINGS = sql`
  select set_config('work_mem', '64MB', true), set_config('jit', 'off', true),
    set_config('parallel_tuple_cost', '0', true), set_config('parallel_setup_cost', '0', true),
    case when pg_relation_size('ledger_transfers') < 8388608 then set_config('max_parallel_workers_per_gather', '0', true) end`;

/** The result of a check of the books. */
export type Verified = { readonly ok: boolean; readonly lines: number; readonly violations: Violation[] };

/** Most rows that are listed of one invariant. */
export const MOST = 100;

/**
 * Checks every invariant and returns what breaks them (at most 100 rows of each) and how many lines were checked. Run it on
 * one snapshot (`verifyBooks`), because the books move between statements.
 *
 * @param options.across false: leaves out the rules across accounts, because `queries` sees only one shard of them.
 */
export async function verify(
  queries: Queries,
  { across = true, report = () => {} }: { readonly across?: boolean; readonly report?: Progress } = {},
): Promise<Verified> {
  const violations: Violation[] = [];
  await queries.query(PLANNER_SETTINGS);
  const started = new Map<Statement, Promise<ViolationRow[]>>();
  const run = (query: Statement) => {
    const known = started.get(query) ?? find(queries, query(BOOKS));
    started.set(query, known);
    return known;
  };
  for (const [i, { name, query, unless, ...rule }] of INVARIANTS.entries()) {
    report(i, INVARIANTS.length);
    if (rule.across && !across) continue;
    const doubts = await Promise.all((unless ?? [query]).map(run));
    if (doubts.every((rows) => rows.length === 0)) continue;
    for (const row of await run(query)) violations.push(violationOf(name, row));
  }
  for (const row of await findRewritten(queries)) violations.push(violationOf(REWRITTEN, row));
  const { rows } = await queries.query<{ lines: number }>(sql`select 2 * count(*) as lines from ledger_transfers`);
  return { ok: violations.length === 0, lines: rows[0]!.lines, violations };
}

/** At most 100 rows, planned as if all were wanted: plans that return a first row quickly are slow where there is none. */
async function find(queries: Queries, statement: Sql): Promise<ViolationRow[]> {
  const found = around("with found as materialized (", statement, `) select * from found limit ${MOST}`);
  return (await queries.query<ViolationRow>(found)).rows;
}
