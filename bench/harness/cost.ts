import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";

/** What work costs beside time. Differences of two readings. */
type Cost = {
  /** User and system time of all processes of the server, milliseconds. */
  readonly postgresCpu: number;
  /** Bytes of the write-ahead log. */
  readonly walBytes: number;
  /** Times that the log was forced to the disk. */
  readonly walFlushes: number;
  readonly commits: number;
};

export type Meter = { read(): Promise<Cost>; close(): Promise<void> };

/** User and system time of a process, milliseconds; 0 where there is no /proc. */
function cpuOf(pid: number | string): number {
  return entries(`/proc/${pid}/task`).reduce(
    (sum, thread) => sum + Number(text(`/proc/${pid}/task/${thread}/schedstat`).split(" ")[0]) / 1e6,
    0,
  );
}

/** What of a server's CPU was taken by processes that have ended meanwhile, milliseconds. */
function cpuOfEnded(postmaster: number): number {
  const stat = text(`/proc/${postmaster}/stat`);
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(13, 15); // cutime and cstime, in ticks of 10 ms
  return 10 * (Number(user) + Number(system));
}

/** CPU time of a server, milliseconds: the postmaster and all its processes. (schedstat counts every nanosecond; stat samples.) */
export function cpuOfPostgres(postmaster: number): number {
  if (postmaster === 0) return 0;
  const children = entries("/proc").filter((pid) => /^\d+$/.test(pid) && parentOf(pid) === postmaster);
  return [postmaster, ...children].reduce((sum: number, pid) => sum + cpuOf(pid), cpuOfEnded(postmaster));
}

const parentOf = (pid: string) => Number(/^PPid:\s+(\d+)/m.exec(text(`/proc/${pid}/status`))?.[1]);

/** What is there; nothing when the process has ended meanwhile. */
function text(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function entries(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Resident memory of a process, MB. */
export function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(text(`/proc/${pid}/status`))?.[1]) / 1024;
}

/** Reads what a server has spent; over a connection of its own. */
export async function openMeter(url: string): Promise<Meter> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const { pid } = rows[0]!;
  // A server on another machine has none here, or another program has that number: its CPU cannot be seen.
  const postmaster = text(`/proc/${pid}/cmdline`).startsWith("postgres") ? parentOf(String(pid)) : 0;
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
