import { execFileSync } from "node:child_process";
import { linkSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Folder } from "./folder.ts";

/** A server that runs on a folder. */
export type Postmaster = {
  readonly pid: number;
  readonly port: number;
  /** False while it starts, recovers or stops. */
  readonly isReady: boolean;
};

/** Lines of postmaster.pid: the process, and further down its port and what it is doing. */
const [PID, PORT, STATUS] = [0, 3, 7] as const;

/** The postmaster that runs on this folder: its pid file names it, and the kernel confirms what that process is. */
export function findPostmaster(folder: Folder): Postmaster | null {
  const lines = readPidFile(pidFileOf(folder))?.split("\n") ?? [];
  const pid = Number(lines[PID]);
  if (!isPostmasterOf(folder, pid)) return null;
  const port = Number(lines[PORT] ?? 0);
  return { pid, port, isReady: port > 0 && lines[STATUS]?.trim() === "ready" };
}

const pidFileOf = (folder: Folder): string => join(folder.data, "postmaster.pid");

function readPidFile(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (!["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return null;
  }
}

/** True when the process is a PostgreSQL whose working folder is this cluster. */
export const isPostmasterOf = (folder: Folder, pid: number): boolean => identify(folder, pid) === "ours";

/** `unknown`: a process of another user, of which the kernel shows nothing. */
function identify(folder: Folder, pid: number): "ours" | "foreign" | "unknown" {
  if (!Number.isSafeInteger(pid) || pid <= 0) return "foreign";
  try {
    if (process.platform !== "linux") {
      // Only its command line distinguishes it from a program that got the same number since.
      const command = execFileSync("/bin/ps", ["-ww", "-o", "command=", "-p", String(pid)], { encoding: "utf8" });
      return command.includes("postgres") && command.includes(` -D ${folder.data} `) ? "ours" : "foreign";
    }
    // Compares the folder itself, not its path: the process may see it under another one.
    const [theirs, ours] = [statSync(`/proc/${pid}/cwd`), statSync(folder.data)];
    if (theirs.ino !== ours.ino || theirs.dev !== ours.dev) return "foreign";
    // After an upgrade has replaced the program, the kernel says "postgres (deleted)".
    return basename(readlinkSync(`/proc/${pid}/exe`)).startsWith("postgres") ? "ours" : "foreign";
  } catch (error) {
    return ["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "") ? "unknown" : "foreign";
  }
}

/**
 * True when any process of PostgreSQL works in the folder: one that was just started or is about to end, or one whose
 * postmaster was killed while it runs a statement. Not on Linux: always false, PostgreSQL's own check has to do.
 */
export function isOccupied(folder: Folder): boolean {
  if (process.platform !== "linux") return false;
  return readdirSync("/proc").some((name) => /^\d+$/.test(name) && isPostmasterOf(folder, Number(name)));
}

/**
 * Removes a pid file that a crash left, when another program has its number by now or the file is empty: PostgreSQL would
 * take that program for a postmaster and refuse to start. A file whose process is dead, or belongs to another user (and
 * cannot be identified), is left: PostgreSQL replaces that itself.
 */
export function removeForeignPidFile(folder: Folder): void {
  const path = pidFileOf(folder);
  const found = readPidFile(path);
  if (found === null) return;
  const pid = Number.parseInt(found, 10);
  if (pid > 0 && (!isAlive(pid) || identify(folder, pid) !== "foreign")) return;
  // Renamed and read again: another start may have replaced it by its own meanwhile.
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
    if (readPidFile(aside) !== found) linkSync(aside, path);
  } catch (error) {
    if (!["ENOENT", "EEXIST"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Sends a signal to that process if it is the postmaster of this folder; else does nothing. */
export function signal(folder: Folder, pid: number, name: NodeJS.Signals): void {
  if (findPostmaster(folder)?.pid !== pid) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
