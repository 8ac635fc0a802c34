import assert from "node:assert/strict";
import pg from "pg";
import type { Queries } from "../../src/db/pool.ts";
import type { Shards } from "../../src/db/shards.ts";
import { placed, type Sql } from "../../src/db/sql.ts";

export type Plan = {
  readonly Plans?: readonly Plan[];
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Actual Rows"?: number;
  readonly "Actual Loops"?: number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Distributed Query"?: { readonly Job: { readonly Tasks: readonly Task[] } };
};
let explainedBefore = 0;
/** Number of the type in every PostgreSQL. */
const UUID = 2950;

type Task = { readonly "Remote Plan": readonly (readonly { readonly Plan: Plan }[])[] };

/**
 * Runs a statement of one account and gives all steps of its plan; on a cluster those of the one server that has the account.
 * On one server a prepared statement is planned for any parameters, as its sixth run is. Otherwise the values are part of the
 * text: a cluster explains a statement with parameters as if it did not know them.
 */
export async function explain(queries: Queries, statement: Sql, shards: Shards): Promise<Plan[]> {
  const { text, values, prepared } = placed(shards, statement);
  const literals = await Promise.all(values.map((value) => literalOf(queries, value)));
  const run = async <R>(statement: string) => (await queries.query<R>({ text: statement, values: [] })).rows;
  const explained = async (statement: string) => {
    const rows = await run<{ "QUERY PLAN": { Plan: Plan }[] }>(`explain (analyze, format json) ${statement}`);
    return stepsOf(rows[0]!["QUERY PLAN"][0]!.Plan);
  };
  if (!prepared || shards.spread) {
    return explained(text.replace(/\$(\d+)/g, (_, n: string) => literals[Number(n) - 1]!));
  }
  // It outlives a transaction that fails here.
  const name = `explained_${explainedBefore++}`;
  await run("set local plan_cache_mode = force_generic_plan");
  await run(`prepare ${name} as ${text}`);
  const steps = await explained(`execute ${name}(${literals.join(", ")})`);
  await run(`deallocate ${name}`);
  await run("set local plan_cache_mode = auto");
  return steps;
}

/** Rows of tables that the scans of a plan read. */
export function rowsRead(steps: readonly Plan[]): number {
  return steps
    .filter((step) => step["Relation Name"] !== undefined && step["Node Type"].includes("Scan"))
    .reduce(
      (sum, step) =>
        sum + (step["Actual Rows"] ?? 0) * (step["Actual Loops"] ?? 1) + (step["Rows Removed by Filter"] ?? 0),
      0,
    );
}

async function literalOf(queries: Queries, value: unknown): Promise<string> {
  if (value === null || value === undefined) return "null";
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString());
  if (!Buffer.isBuffer(value)) return pg.escapeLiteral(String(value));
  // An array of words or ids, which is sent as bytes: behind two numbers is the type of its elements.
  const type = value.readInt32BE(8) === UUID ? "uuid[]" : "text[]";
  const { rows } = await queries.query<{ text: string }>({
    text: `select ($1::${type})::text as text`,
    values: [value],
  });
  return pg.escapeLiteral(rows[0]!.text);
}

function stepsOf(plan: Plan): Plan[] {
  const tasks = plan["Distributed Query"]?.Job.Tasks ?? [];
  assert.ok(tasks.length <= 1, `${tasks.length} shards`);
  const index = plan["Index Name"];
  return [
    // A shard's index has its number after the name.
    { ...plan, ...(index !== undefined && { "Index Name": index.replace(/_\d{6,}$/, "") }) },
    ...(plan.Plans ?? []).flatMap(stepsOf),
    ...tasks.flatMap((task) => stepsOf(task["Remote Plan"][0]![0]!.Plan)),
  ];
}
