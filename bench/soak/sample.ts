import { readdirSync, readFileSync } from "node:fs";
import type pg from "pg";

/** How large a table is: all of it in bytes, and its rows. */
export type TableSize = { readonly bytes: number; readonly live: number; readonly dead: number };

/** Memory of processes by what they are, MB: what is theirs alone where many share (PostgreSQL). */
export function readMemory(gateway: number, receiver: number, postmaster: number): Record<string, number> {
  const simulator = childrenOf(gateway)[0];
  return {
    gateway: memoryOf(gateway, "VmRSS"),
    ...(simulator === undefined ? {} : { simulator: memoryOf(simulator, "VmRSS") }),
    receiver: memoryOf(receiver, "VmRSS"),
    PostgreSQL: [postmaster, ...childrenOf(postmaster)].reduce((sum, pid) => sum + memoryOf(pid, "RssAnon"), 0),
  };
}

/** The tables of a database that have rows, and the write-ahead log so far, bytes. */
export async function readTables(client: pg.Client): Promise<{ tables: Record<string, TableSize>; wal: number }> {
  await client.query("select pg_stat_force_next_flush()");
  const { rows } = await client.query<{ name: string; bytes: string; live: string; dead: string }>(`
    select relname as name, pg_total_relation_size(relid)::text as bytes, n_live_tup::text as live, n_dead_tup::text as dead
    from pg_stat_user_tables where n_live_tup + n_dead_tup > 0 order by 1`);
  const wal = await client.query<{ bytes: string }>(
    "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as bytes",
  );
  const tables = rows.map(({ name, bytes, live, dead }) => [
    name,
    { bytes: Number(bytes), live: Number(live), dead: Number(dead) },
  ]);
  return { tables: Object.fromEntries(tables) as Record<string, TableSize>, wal: Number(wal.rows[0]!.bytes) };
}

/** The server that a connection is at; 0 where it is on another machine. */
export async function postmasterOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return Number(/^PPid:\s+(\d+)/m.exec(status(rows[0]!.pid))?.[1] ?? 0);
}

const memoryOf = (pid: number, field: "VmRSS" | "RssAnon"): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status(pid))?.[1] ?? 0) / 1_024;

const childrenOf = (pid: number): number[] =>
  pid === 0
    ? []
    : readdirSync("/proc")
        .filter((name) => /^\d+$/.test(name) && new RegExp(`^PPid:\\s+${pid}$`, "m").test(status(Number(name))))
        .map(Number);

function status(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}
