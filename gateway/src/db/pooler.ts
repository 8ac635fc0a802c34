import { openDb, type Queries } from "./pool.ts";
import { DatabaseRefused } from "./refused.ts";
import { sql } from "./sql.ts";

/** Another process may take the server's connection between two queries; then the next comparison finds it. */
const COMPARISONS = 5;

/**
 * Refuses a pooler that gives one connection of the server to several of ours in turn (PgBouncer's transaction mode): our
 * settings, `synchronous_commit` among them, our prepared statements and our connections' names belong to one connection.
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

/** The server's process that serves a connection: no two open connections have the same, unless a pooler shares it. */
async function serverOf(db: Queries): Promise<number> {
  const { rows } = await db.query<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  return rows[0]!.pid;
}
