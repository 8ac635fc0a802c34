import type { Clock } from "../lib/clock.ts";
import type { Queries } from "./pool.ts";
import { sql } from "./sql.ts";

/** The processes that answer calls on one database. */
export type Peers = {
  /** This process's part of a limit that all processes share: 1 when it is alone, 1/3 of three. */
  share(): number;
};

/** Only this process: without a database, and in tests of one part. */
export const ALONE: Peers = { share: () => 1 };

/** Most age of a count when it is used, milliseconds. */
const FRESH_MS = 2_000;
const PREFIX = "pixgate api ";

/**
 * The name of a process's connections. PostgreSQL drops it with the last connection, so a dead process is not counted, and
 * no row must be written or cleaned up.
 *
 * @param id of the process; null: it answers no calls and has no part in limits.
 */
export const connectionName = (id: string | null): string => (id === null ? "pixgate" : PREFIX + id);

/**
 * Counts the processes now, and again when the count is used and older than two seconds, so a call needs no statement. The
 * limits' error: for two seconds after process number n starts, 1/n of a limit more is allowed; after one stops, 1/n less.
 */
export async function findPeers(db: Queries, clock: Pick<Clock, "now">): Promise<Peers> {
  let count = 1;
  let readAt = clock.now();
  let reading = false;

  async function read(): Promise<void> {
    readAt = clock.now();
    const { rows } = await db.query<{ count: number }>(sql`
      select count(distinct application_name)::int as count from pg_stat_activity
      where datname = current_database() and starts_with(application_name, ${PREFIX})`);
    count = Math.max(1, rows[0]!.count);
  }

  await read();
  return {
    share() {
      if (!reading && Math.abs(clock.now() - readAt) >= FRESH_MS) {
        reading = true;
        // Without an answer the last count stays.
        read()
          .catch(() => {})
          .finally(() => {
            reading = false;
          });
      }
      return 1 / count;
    },
  };
}
