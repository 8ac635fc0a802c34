import { openDb, type Queries } from "./pool.ts";
import { DatabaseRefused } from "./refused.ts";
import { sql } from "./sql.ts";

/** Another process may take the server's connection between two queries; a later comparison finds that. */
const COMPARISONS = 5;

/**
 * Refuses a pooler that shares a server connection among several of ours (PgBouncer's transaction mode): our settings such
 * as `synchronous_commit`, our prepared statements and our connections' names belong to one connection.
 *
 * @throws DatabaseRefused
 */
export async function checkPooler(db: Queries, url: string): Promise<void> {
  const other = openDb({ url, max: 1, onError: () => {} });
  try {
    for (let n = 0; n < COMPARISONS; n += 1) {
      const [ours, others] = [await serverOf(db), await serverOf(other)];
      if (ours !== others) continue;
      throw new DatabaseRefused(
        "the pooler at DATABASE_URL works in transaction mode: Pixgate needs session mode, or PostgreSQL itself",
      );
    }
  } finally {
    await other.end();
  }
}

/** The server process behind a connection. Two open connections never have the same one, unless a pooler shares it. */
async function serverOf(db: Queries): Promise<number> {
  const { rows } = await db.query<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  return rows[0]!.pid;
}
