import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const WAIT_MS = 3000;

/** When a process began, by the kernel's clock: pids are used again after a crash, a pair of both is not. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
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

function liveOwner(path: string): number | undefined {
  try {
    const { pid, start } = JSON.parse(readFileSync(path, "utf8")) as { pid: number; start: string };
    return pid !== process.pid && isAlive(pid) && startOf(pid) === start ? pid : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Makes this process the only one on the folder: two writers would tear the journal. Waits a little for an owner that
 * is going down, and makes the folder where there is none. Returns the function that gives the folder up.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, "owner.json");
  const deadline = Date.now() + WAIT_MS;
  while (!take(path)) {
    const owner = liveOwner(path);
    if (owner === undefined) rmSync(path, { force: true });
    else if (Date.now() > deadline) throw new Error(`${folder} is in use by process ${owner}`);
    else await pause(50);
  }
  return () => rmSync(path, { force: true });
}

/** Writes the owner's file unless there is one: a link is made with all of its text, or not at all. */
function take(path: string): boolean {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, JSON.stringify({ pid: process.pid, start: startOf(process.pid) }));
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}
