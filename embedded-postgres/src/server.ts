import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Binaries } from "./binaries.ts";
import { EmbeddedPostgresError } from "./error.ts";
import type { Folder } from "./folder.ts";
import { type RunAs, spawnAs, spawnFailure, workingFolder } from "./run-as.ts";

/** Beyond this size the log starts again, and one old file is kept, bytes. */
const LOG_LIMIT = 10 * 1024 * 1024;

/**
 * Settings of the server. They are given on the command line, so that a newer program can change them. Errors are logged
 * without statements and details: both can hold personal data.
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
  logging_collector: "off",
  log_destination: "stderr",
  log_line_prefix: "%m [%p] ",
  log_min_messages: "error",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_statement: "none",
  log_checkpoints: "off",
};

/** A server that this process has started. */
export type Launched = {
  readonly pid: number;
  readonly port: number;
  /** Why it has ended; null while it runs. */
  failure(): EmbeddedPostgresError | null;
};

type Launch = { readonly port: number; readonly settings: Readonly<Record<string, string>> | undefined };

/** Starts the server in a process session of its own: neither Ctrl-C nor this process's death ends it. */
export function launch(folder: Folder, binaries: Binaries, runAs: RunAs | null, { port, ...own }: Launch): Launched {
  const log = openLog(folder);
  try {
    const settings = Object.entries({ ...SETTINGS, ...own.settings }).flatMap(([name, value]) => [
      "-c",
      `${name}=${value}`,
    ]);
    const logged = fstatSync(log).size;
    const child = spawnAs(
      runAs,
      binaries.postgres,
      ["-D", workingFolder(folder.data), "-p", String(port), ...settings],
      { cwd: folder.data, stdio: ["ignore", log, log], detached: true },
    );
    const pid = child.pid ?? 0;
    // The log is read only when the failure is wanted: these events also come when a server ends long after its start,
    // and its folder may be gone by then.
    let failure: (() => EmbeddedPostgresError) | null = null;
    child.once("error", (error) => {
      failure = () => spawnFailure(runAs, binaries.postgres, error);
    });
    child.once("exit", (code, name) => {
      failure = () => {
        const why = lastError(folder, logged, pid) || `it ended with ${name ?? code}`;
        return new EmbeddedPostgresError(`PostgreSQL did not start: ${why}; its log is ${folder.log}`);
      };
    });
    child.unref();
    return { pid, port, failure: () => failure?.() ?? null };
  } finally {
    closeSync(log);
  }
}

/** Opens the log to append to. A running server appends to the same file, which is why truncating it is safe. */
function openLog(folder: Folder): number {
  // Never through a link: the folder's owner could make root write elsewhere.
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  const log = openSync(folder.log, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  // Independent of the umask. Root makes it for the folder's owner, who may start the next server without root.
  fchmodSync(log, 0o600);
  if (process.getuid?.() === 0) {
    const { uid, gid } = statSync(folder.root);
    fchownSync(log, uid, gid);
  }
  if (fstatSync(log).size > LOG_LIMIT) {
    keepOld(folder);
    ftruncateSync(log);
  }
  return log;
}

function keepOld(folder: Folder): void {
  try {
    rmSync(`${folder.log}.1`, { force: true });
    copyFileSync(folder.log, `${folder.log}.1`, constants.COPYFILE_EXCL);
  } catch (error) {
    // A full disk is no reason to keep a log that fills it.
    if (!["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** Bounds the log of a running server, which may outlive many of the processes that attach to it. */
export const boundLog = (folder: Folder): void => closeSync(openLog(folder));

/** Why that process has ended, from what it logged, for the one line that an operator sees. */
function lastError(folder: Folder, from: number, pid: number): string {
  const lines = readFileSync(folder.log).subarray(from).toString().trim().split("\n");
  // The other processes of a server log to the same file.
  const fatal = lines.findLast((line) => line.includes(`[${pid}] `) && /FATAL|PANIC/.test(line));
  // Lines from before the settings are read have no prefix.
  const early = lines.filter((line) => !/^\d{4}-\d\d-\d\d /.test(line)).join(" ");
  return (fatal?.replace(/^.*?(FATAL|PANIC): +/, "") ?? early.slice(0, 500))
    .replaceAll(workingFolder(folder.data), folder.data)
    .trim();
}

/** The port of the last start, if it is free, so that a restart keeps the server's address. Else any free one. */
export async function choosePort(folder: Folder, avoid: ReadonlySet<number>): Promise<number> {
  const last = lastPort(folder);
  const port = (last > 0 && !avoid.has(last) && (await freePort(last))) || (await freePort(0));
  if (port === null) throw new EmbeddedPostgresError("no port of 127.0.0.1 is free for PostgreSQL");
  return port;
}

/** PostgreSQL keeps its last command line. */
function lastPort(folder: Folder): number {
  try {
    return Number(/"-p" "(\d+)"/.exec(readFileSync(join(folder.data, "postmaster.opts"), "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
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
