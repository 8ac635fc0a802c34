/** What verify finds after a change of one table: it asks the invariants that read the table. */
import { findRewritten } from "../../src/audit-log/check.ts";
import { INVARIANTS } from "../../src/auditor/invariants/invariants.ts";
import { BOOKS, type Statement } from "../../src/auditor/source.ts";
import { REWRITTEN } from "../../src/auditor/violation.ts";
import type { Queries } from "../../src/db/pool.ts";
import { prepared } from "../../src/db/sql.ts";

/** The tables that a view shows. */
const VIEWS: Readonly<Record<string, string>> = { ledger_transfers: "ledger_transfers|ledger_lines" };

/** Prepared: planning a rule takes longer than running it on a small book. */
async function someOf(queries: Queries, statement: Statement): Promise<boolean> {
  const { text, values } = statement(BOOKS);
  const first = prepared({ text: `select from (${text}) found limit 1`, values });
  return (await queries.query(first)).rowCount > 0;
}

/** The first invariant that is broken; null: none is. A rule that does not read the table cannot be broken by it. */
export async function findFirst(queries: Queries, table: string): Promise<string | null> {
  const reads = new RegExp(`\\b(from|join) (${VIEWS[table] ?? table})\\b`);
  for (const { name, query, unless } of INVARIANTS) {
    if (!reads.test(query(BOOKS).text)) continue;
    let doubt = false;
    for (const one of unless ?? [query]) doubt ||= await someOf(queries, one);
    if (doubt && (unless === undefined || (await someOf(queries, query)))) return name;
  }
  if (table === "audit_log" && (await findRewritten(queries)).length > 0) return REWRITTEN;
  return null;
}
