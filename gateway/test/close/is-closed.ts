import type { Queries } from "../../src/db/pool.ts";
import { sql } from "../../src/db/sql.ts";

/** Whether a day (of São Paulo) is closed. */
export async function isClosed(queries: Queries, day: string): Promise<boolean> {
  const { rows } = await queries.query(sql`select from day_closes where day = ${day}`);
  return rows.length > 0;
}
