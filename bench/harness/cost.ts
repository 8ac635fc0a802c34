import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import type { Db } from "../../gateway/src/db/pool.ts";

/** What work costs beside time. Differences of two readings. */
export type Cost = {
  /** User and system time of all processes of the server, milliseconds. */
  readonly postgresCpu: number;
  /** Bytes of the write-ahead log. */
  readonly walBytes: number;
  /** Times that the log was forced to the disk. */
  readonly walFlushes: number;
  readonly commits: number;
};

export type Meter = { read(): Promise<Cost>; close(): Promise<void> };

/** User and system time of a process, milliseconds (Linux: in ticks of 10 ms); 0 where there is no /proc. */
export function cpuOf(pid: number): number {
  return ticks(pid, [13, 14]) * 10;
}

/** Fields of /proc/<pid>/stat, numbered as in proc(5) less one. */
function ticks(pid: number, fields: readonly number[]): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in brackets, may hold blanks.
    const rest = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields.reduce((sum, field) => sum + Number(rest[field - 2]), 0);
  } catch {
    return 0;
  }
}

/** A server's CPU: the postmaster, its children, and children that have ended. */
export function cpuOfPostgres(postmaster: number): number {
  let sum = ticks(postmaster, [13, 14, 15, 16]);
  try {
    for (const entry of readdirSync("/proc")) {
      if (/^\d+$/.test(entry) && ticks(Number(entry), [3]) === postmaster) sum += ticks(Number(entry), [13, 14]);
    }
  } catch {
    return 0;
  }
  return sum * 10;
}

/** Resident memory of a process, MB. */
export function memoryOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

/** The highest that its resident memory was, MB. */
export function peakMemoryOf(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  } catch {
    return Number.NaN;
  }
}

/** Reads what a server has spent; over a connection of its own. */
export async function openMeter(url: string): Promise<Meter> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const folder = (await client.query<{ data_directory: string }>("show data_directory")).rows[0]!.data_directory;
  let postmaster = 0;
  try {
    postmaster = Number(readFileSync(`${folder}/postmaster.pid`, "utf8").split("\n")[0]);
  } catch {
    // On another machine: its CPU cannot be seen from here.
  }
  return {
    async read() {
      await client.query("select pg_stat_force_next_flush()");
      const result = await client.query<{ wal: string; flushes: string; commits: string }>(`
        select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as wal,
          (select coalesce(sum(fsyncs), 0) from pg_stat_io where object = 'wal')::text as flushes,
          (select xact_commit from pg_stat_database where datname = current_database())::text as commits`);
      const { wal, flushes, commits } = result.rows[0]!;
      return {
        postgresCpu: cpuOfPostgres(postmaster),
        walBytes: Number(wal),
        walFlushes: Number(flushes),
        commits: Number(commits),
      };
    },
    close: () => client.end(),
  };
}

export const minus = (after: Cost, before: Cost): Cost => ({
  postgresCpu: after.postgresCpu - before.postgresCpu,
  walBytes: after.walBytes - before.walBytes,
  walFlushes: after.walFlushes - before.walFlushes,
  commits: after.commits - before.commits,
});

/** Makes idle connections of a pool tell what they have counted: by themselves they do so every 10 s. */
export async function tellStatistics(db: Db, connections: number): Promise<void> {
  await Promise.all(
    Array.from({ length: connections }, () =>
      db.query({ text: "select pg_stat_force_next_flush(), pg_sleep(0.1)", values: [] }),
    ),
  );
}
