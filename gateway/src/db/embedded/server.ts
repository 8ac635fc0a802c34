import { spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import pg from "pg";
import type { Binaries } from "./binaries.ts";
import type { Folder } from "./cluster.ts";
import { EmbeddedPostgresError } from "./error.ts";
import { asUser, cleanEnvironment, type RunAs, workingFolder } from "./run-as.ts";

/** Its log is put aside beyond this size, bytes: one old file is kept. */
const LOG_LIMIT = 10 * 1024 * 1024;

/**
 * Settings of the server. They are given on the command line, so that a newer Pixgate can change them. Errors are logged
 * without statements and details: both can hold names and documents.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  shared_buffers: "128MB",
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
  max_wal_size: "2GB",
  min_wal_size: "256MB",
  checkpoint_completion_target: "0.9",
  jit: "off",
  log_line_prefix: "%m [%p] ",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_statement: "none",
  log_checkpoints: "off",
};

/** A server that runs on our folder. */
export type Postmaster = { readonly pid: number; readonly port: number };

/** The postmaster that runs on this folder, by its pid file and by what the kernel says of that process. */
export function findPostmaster(folder: Folder): Postmaster | null {
  const lines = readPidFile(folder);
  const pid = Number(lines?.[0]);
  if (!lines || !Number.isSafeInteger(pid) || pid <= 0 || !isOurs(pid, folder)) return null;
  return { pid, port: Number(lines[3] ?? 0) };
}

function readPidFile(folder: Folder): string[] | null {
  try {
    return readFileSync(join(folder.data, "postmaster.pid"), "utf8").split("\n");
  } catch {
    return null;
  }
}

/** True when the process works in our cluster's folder. Where the kernel does not tell, being alive must do. */
function isOurs(pid: number, folder: Folder): boolean {
  try {
    if (process.platform === "linux") return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(folder.data);
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return process.platform !== "linux" && (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Removes a pid file that a crash left and whose number another program now has: PostgreSQL would take that program for
 * itself. Only when no process at all works in the cluster's folder: orphans of a killed postmaster still write.
 */
export function removeForeignPidFile(folder: Folder): void {
  const pid = Number(readPidFile(folder)?.[0]);
  if (process.platform !== "linux" || !Number.isSafeInteger(pid) || !existsSync(`/proc/${pid}`)) return;
  if (isOurs(pid, folder)) return;
  const inside = readdirSync("/proc").some((name) => /^\d+$/.test(name) && isOurs(Number(name), folder));
  if (!inside) rmSync(join(folder.data, "postmaster.pid"), { force: true });
}

/** True when the server answers with our password: then it is ours, and ready. */
export async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on("error", () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** Starts the server in a process session of its own: neither Ctrl-C nor our death ends it. */
export function launch(
  folder: Folder,
  binaries: Binaries,
  runAs: RunAs | null,
  port: number,
): { pid: number; ended: () => boolean } {
  if (existsSync(folder.log) && statSync(folder.log).size > LOG_LIMIT) renameSync(folder.log, `${folder.log}.1`);
  const log = openSync(folder.log, "a", 0o600);
  try {
    const settings = Object.entries(SETTINGS).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const child = spawn(binaries.postgres, ["-D", workingFolder(folder.data), "-p", String(port), ...settings], {
      cwd: folder.data,
      env: cleanEnvironment(),
      stdio: ["ignore", log, log],
      detached: true,
      ...asUser(runAs),
    });
    let ended = false;
    child.once("error", () => {
      ended = true;
    });
    child.once("exit", () => {
      ended = true;
    });
    child.unref();
    return { pid: child.pid ?? 0, ended: () => ended };
  } finally {
    closeSync(log);
  }
}

/** The port of the last time, if it is free: a restart under a running gateway should not move. Else any free one. */
export async function choosePort(folder: Folder, avoid: ReadonlySet<number>): Promise<number> {
  const file = join(folder.root, "port");
  const last = existsSync(file) ? Number(readFileSync(file, "utf8")) : 0;
  const port = (last > 0 && !avoid.has(last) && (await freePort(last))) || (await freePort(0));
  if (port === null) throw new EmbeddedPostgresError("no port of 127.0.0.1 is free for PostgreSQL");
  writeFileSync(file, String(port), { mode: 0o600 });
  return port;
}

function freePort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(null));
    probe.listen(port, "127.0.0.1", () => {
      const { port: got } = probe.address() as { port: number };
      probe.close(() => resolve(got));
    });
  });
}

/** The last error of the server's log, for the one line that an operator sees. */
export function lastError(folder: Folder): string {
  try {
    const lines = readFileSync(folder.log, "utf8").slice(-8_000).trim().split("\n");
    const errors = lines.filter((line) => /FATAL|PANIC|could not/.test(line));
    return (errors.at(-1) ?? lines.at(-1) ?? "").replace(/^.*?(FATAL|PANIC|LOG|HINT): +/, "");
  } catch {
    return "";
  }
}

/** Sends a signal to the postmaster of this folder, and to nothing else. */
export function signal(folder: Folder, name: NodeJS.Signals): boolean {
  const postmaster = findPostmaster(folder);
  if (!postmaster) return false;
  try {
    process.kill(postmaster.pid, name);
    return true;
  } catch {
    return false;
  }
}
