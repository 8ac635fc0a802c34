import { execFileSync } from "node:child_process";
import { linkSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import type { Folder } from "./cluster.ts";

/** A server that runs on our folder. */
export type Postmaster = {
  readonly pid: number;
  readonly port: number;
  /** False while it starts, recovers or stops. */
  readonly isReady: boolean;
};

/** Lines of postmaster.pid: the process, and further down its port and what it is doing. */
const [PID, PORT, STATUS] = [0, 3, 7] as const;

/** The postmaster that runs on this folder, by its pid file and by what the kernel says of that process. */
export function findPostmaster(folder: Folder): Postmaster | null {
  const lines = readPidFile(pidFileOf(folder))?.split("\n") ?? [];
  const pid = Number(lines[PID]);
  if (!isOurs(pid, folder)) return null;
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

/** True when the process is a PostgreSQL that works in our cluster's folder. */
export const isOurs = (pid: number, folder: Folder): boolean => identify(pid, folder) === "ours";

function identify(pid: number, folder: Folder): "ours" | "foreign" | "unknown" {
  if (!Number.isSafeInteger(pid) || pid <= 0) return "foreign";
  try {
    if (process.platform !== "linux") {
      // Nothing but its command line tells it from a program that has got the number since.
      const command = execFileSync("/bin/ps", ["-ww", "-o", "command=", "-p", String(pid)], { encoding: "utf8" });
      return command.includes("postgres") && command.includes(` -D ${folder.data} `) ? "ours" : "foreign";
    }
    // By the folder itself and not its path, which can be another one in the process's view.
    const [theirs, ours] = [statSync(`/proc/${pid}/cwd`), statSync(folder.data)];
    if (theirs.ino !== ours.ino || theirs.dev !== ours.dev) return "foreign";
    // After an upgrade has replaced the program, the kernel says "postgres (deleted)".
    return basename(readlinkSync(`/proc/${pid}/exe`)).startsWith("postgres") ? "ours" : "foreign";
  } catch (error) {
    return ["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "") ? "unknown" : "foreign";
  }
}

/**
 * True when any process of PostgreSQL works in the folder: one that has just been started or is about to end, or one
 * whose postmaster was killed and that still finishes a statement. Elsewhere than on Linux, PostgreSQL's own check does.
 */
export function isOccupied(folder: Folder): boolean {
  if (process.platform !== "linux") return false;
  return readdirSync("/proc").some((name) => /^\d+$/.test(name) && isOurs(Number(name), folder));
}

/**
 * Removes a pid file that a crash left, when its number is another program's by now or it was never written: PostgreSQL
 * would take that program for itself and refuse to start. One whose process is dead, or another user's (whom we may not
 * look at), PostgreSQL replaces itself.
 */
export function removeForeignPidFile(folder: Folder): void {
  const path = pidFileOf(folder);
  const found = readPidFile(path);
  if (found === null) return;
  const pid = Number.parseInt(found, 10);
  if (pid > 0 && (!isAlive(pid) || identify(pid, folder) !== "foreign")) return;
  // Put aside and read again: another start may have replaced it by its own since.
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

/** Sends a signal to that process if it is the postmaster of this folder, and to nothing else. */
export function signal(folder: Folder, pid: number, name: NodeJS.Signals): void {
  if (findPostmaster(folder)?.pid !== pid) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
