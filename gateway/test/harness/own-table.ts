import { describedTables } from "../../src/db/columns.ts";

/**
 * Describes a table that only one test file has. It is taken out of the list of the schema's tables, which another file holds
 * against the schema in the same process.
 */
export function ownTable<T>(describe: () => T): T {
  const before = describedTables.length;
  const table = describe();
  describedTables.length = before;
  return table;
}
