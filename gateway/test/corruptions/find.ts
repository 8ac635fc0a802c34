/** What verify finds after a change of one table: it asks the invariants that read the table. */
import { findRewritten } from "../../src/audit-log/check.ts";
import { INVARIANTS } from "../../src/auditor/invariants/invariants.ts";
import { REWRITTEN } from "../../src/auditor/verify.ts";
import type { Queries } from "../../src/db/pool.ts";
import type { Sql } from "../../src/db/sql.ts";

/** The tables that a view shows. */
const VIEWS: Readonly<Record<string, string>> = { ledger_transfers: "ledger_transfers|ledger_lines" };

/** Prepared in the session: planning a rule takes longer than running it on a small book. */
const prepared = new Map<Sql, string>();
async function someOf(queries: Queries, query: Sql): Promise<boolean> {
  let name = prepared.get(query);
  if (name === undefined) {
    name = `rule_${prepared.size}`;
    prepared.set(query, name);
    const literal = (value: unknown) => `'{${(value as string[]).map((one) => `"${one}"`).join(",")}}'`;
    const text = query.text.replace(/\$(\d+)/g, (_, place: string) => literal(query.values[Number(place) - 1]));
    await queries.query({ text: `prepare ${name} as select from (${text}) found limit 1`, values: [] });
  }
  return (await queries.query({ text: `execute ${name}`, values: [] })).rowCount > 0;
}

/** The first invariant that is broken; null: none is. A rule that does not read the table cannot be broken by it. */
export async function findFirst(queries: Queries, table: string): Promise<string | null> {
  const reads = new RegExp(`\\b(from|join) (${VIEWS[table] ?? table})\\b`);
  for (const { name, query, unless } of INVARIANTS) {
    if (!reads.test(query.text)) continue;
    let doubt = false;
    for (const one of unless ?? [query]) doubt ||= await someOf(queries, one);
    if (doubt && (unless === undefined || (await someOf(queries, query)))) return name;
  }
  if (table === "audit_log" && (await findRewritten(queries)).length > 0) return REWRITTEN.split(":")[0]!;
  return null;
}
