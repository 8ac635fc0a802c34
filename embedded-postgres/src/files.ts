import { closeSync, fsyncSync, lstatSync, openSync } from "node:fs";

/** Runs `make` under the given umask, whatever umask this process was started with. */
export function withUmask<T>(mask: number, make: () => T): T {
  const before = process.umask(mask);
  try {
    return make();
  } finally {
    process.umask(before);
  }
}

/** Makes the content of a file, or the names in a folder, survive a power cut. */
export function sync(path: string): void {
  const opened = openSync(path, "r");
  try {
    fsyncSync(opened);
  } catch (error) {
    // Some file systems need no sync of a folder, and refuse it.
    if ((error as NodeJS.ErrnoException).code !== "EINVAL") throw error;
  } finally {
    closeSync(opened);
  }
}

/** True when the name exists, even as a link to nothing. */
export const isEntry = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
