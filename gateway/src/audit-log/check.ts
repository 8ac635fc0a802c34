import type { Queries } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import { hashOfEntry } from "./chain.ts";
import { type EntryRow, entryTable, toChained } from "./entry.ts";

/** Entries that are read at a time. */
const PAGE = 500;
const MOST = 100;

/** Every entry in the order of accounts and numbers, or those of one account, read in pages. */
export async function* readEntries(
  queries: Queries,
  accountId: string | null = null,
): AsyncGenerator<readonly EntryRow[]> {
  let last: EntryRow | undefined;
  do {
    const { rows } = await queries.query<EntryRow>(sql`
      select ${entryTable.select("a")} from audit_log a
      where (${accountId}::uuid is null or a.account_id = ${accountId})
        and (${last?.accountId ?? null}::uuid is null or (a.account_id, a.seq) > (${last?.accountId ?? null}::uuid, ${last?.seq ?? 0}::bigint))
      order by a.account_id, a.seq limit ${PAGE}`);
    if (rows.length > 0) yield rows;
    last = rows.length < PAGE ? undefined : rows.at(-1);
  } while (last !== undefined);
}

/** At most 100 entries whose hash does not match their content: they were changed after they were written. */
export async function findRewritten(
  queries: Queries,
): Promise<{ readonly account_id: string; readonly found: readonly (string | number)[] }[]> {
  const found: { account_id: string; found: (string | number)[] }[] = [];
  for await (const rows of readEntries(queries)) {
    for (const row of rows) {
      if (hashOfEntry(toChained(row)).equals(row.hash)) continue;
      found.push({
        account_id: row.accountId,
        found: ["auditEntry", row.seq, "action", row.action, "at", row.createdAt.toISOString()],
      });
      if (found.length === MOST) return found;
    }
  }
  return found;
}
