/** Plausible corruptions of a column, in one row of each kind that its table has. */
import type { Queries } from "../../src/db/pool.ts";
import type { Column } from "./columns.ts";

type Generated = { readonly what: string; readonly statement: string };

/** The column that says of which kind a row is. */
const KIND = ["status", "outcome", "kind", "type", "source", "action", "scope", "verdict", "mode"];
/** Rows that are corrupted of one table. */
const MOST_ROWS = 4;

/**
 * Rows of a table that are corrupted only where it has no others. A row of a day on which nothing moved may move to another day
 * unseen (docs/corruptions.md), and which row comes first in its table is chance.
 */
const IDLE: Readonly<Record<string, string>> = { ledger_closes: "opening = closing" };

type Way = readonly [to: string, expression: string];
const NOTHING: Way = ["nothing", "null"];

function waysOf({ table, name, type, nullable, values }: Column): readonly Way[] {
  const old = `t."${name}"`;
  const others = `(select o."${name}" from ${table} o where o."${name}" <> ${old} order by 1 limit 1)`;
  switch (type) {
    case "timestamp with time zone":
      return [
        ["three days later", `coalesce(${old}, now()) + interval '3 days'`],
        ["2999", "timestamptz '2999-01-01'"],
      ];
    case "date":
      return [["another day", `${old} + 400`]];
    case "bigint":
    case "integer":
      return [["100 more", `coalesce(${old}, 0) + 100`]];
    case "boolean":
      return [["the opposite", `not ${old}`]];
    case "uuid":
      return [
        ["nobody's", "'ffffffff-ffff-7fff-8fff-ffffffffffff'::uuid"],
        ["another's", `coalesce(${others}, ${old})`],
      ];
    case "bigint[]":
    case "integer[]":
      return [["100 more", `array_prepend(${old}[1] + 100, ${old}[2:])`]];
    case "text[]":
      return [["one more", `array_append(${old}, '9')`]];
    case "jsonb":
      return [["another figure", `regexp_replace(${old}::text, '([^0-9])([0-9])', '\\1' || '9\\2')::jsonb`]];
    default:
      if (values.length > 0) return values.map((value) => [value, `'${value}'`]);
      return [["another text", `coalesce(${old}, '') || '9'`], ...(nullable ? [NOTHING] : [])];
  }
}

/** @param first the account whose rows are corrupted where it has any. */
export async function corruptionsOf(
  queries: Queries,
  column: Column,
  all: readonly Column[],
  first: string,
): Promise<readonly Generated[]> {
  const { table, name } = column;
  const has = (one: string) => all.some((each) => each.table === table && each.name === one);
  const kind = KIND.find(has);
  const own = has("account_id") ? `account_id <> '${first}'` : "false";
  const { rows } = await queries.query<{ place: string; kind: string }>({
    text: `select distinct on (kind, empty) place, kind from (
        select ctid::text as place, ${kind === undefined ? "'a row'" : `"${kind}"::text`} as kind, "${name}" is null as empty, ${own} as other,
          ${IDLE[table] ?? "false"} as idle
        from ${table}) t
      order by kind, empty, other, idle, place limit ${MOST_ROWS}`,
    values: [],
  });
  return rows.flatMap((row) =>
    waysOf(column).map(([to, expression]) => ({
      what: `${table}.${name} of ${row.kind}: ${to}`,
      statement: `update ${table} t set "${name}" = ${expression} where ctid = '${row.place}' and "${name}" is distinct from ${expression}`,
    })),
  );
}
