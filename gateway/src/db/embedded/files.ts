import { closeSync, fsyncSync, lstatSync, openSync } from "node:fs";

/** What makes files does it under a umask that is said, and not under the one that we were started with. */
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
    // Some file systems have nothing to do for a folder, and say so.
    if ((error as NodeJS.ErrnoException).code !== "EINVAL") throw error;
  } finally {
    closeSync(opened);
  }
}

/** True when the name is taken, be it by a link that leads nowhere. */
export const isEntry = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
