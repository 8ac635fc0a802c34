import type { Clock } from "../lib/clock.ts";
import type { Queries } from "./pool.ts";
import { sql } from "./sql.ts";

/** The processes on one database. */
export type Peers = {
  /** This process's part of a limit that all processes which answer calls share: 1 when it is alone, 1/3 of three. */
  share(): number;
  /** The same of a limit that workers share too. */
  shareOfAll(): number;
};

/** Only this process: without a database, and in tests of one part. */
export const ALONE: Peers = { share: () => 1, shareOfAll: () => 1 };

/** Most age of a count when it is used, milliseconds. */
const FRESH_MS = 2_000;
const PREFIX = "pixgate api ";
const WORKER_PREFIX = "pixgate worker ";

/**
 * The name of a process's connections. PostgreSQL drops it with the last connection, so a dead process is not counted, and
 * no row must be written or cleaned up.
 *
 * @param answers whether the process answers calls; a worker has no part in the limits of calls.
 */
export const connectionName = (id: string, answers: boolean): string => (answers ? PREFIX : WORKER_PREFIX) + id;

/**
 * Counts the processes now, and again when the count is used and older than two seconds, so a call needs no statement. The
 * limits' error: for two seconds after process number n starts, 1/n of a limit more is allowed; after one stops, 1/n less.
 */
export async function findPeers(db: Queries, clock: Pick<Clock, "now">): Promise<Peers> {
  let [answering, all] = [1, 1];
  let readAt = clock.now();
  let reading = false;

  async function read(): Promise<void> {
    readAt = clock.now();
    const { rows } = await db.query<{ answering: number; all: number }>(sql`
      select count(distinct application_name) filter (where starts_with(application_name, ${PREFIX}))::int as answering,
        count(distinct application_name)::int as all
      from pg_stat_activity where datname = current_database()
        and (starts_with(application_name, ${PREFIX}) or starts_with(application_name, ${WORKER_PREFIX}))`);
    answering = Math.max(1, rows[0]!.answering);
    all = Math.max(1, rows[0]!.all);
  }

  await read();
  function refresh(): void {
    if (reading || Math.abs(clock.now() - readAt) < FRESH_MS) return;
    reading = true;
    // Without an answer the last count stays.
    read()
      .catch(() => {})
      .finally(() => {
        reading = false;
      });
  }

  return {
    share() {
      refresh();
      return 1 / answering;
    },
    shareOfAll() {
      refresh();
      return 1 / all;
    },
  };
}
