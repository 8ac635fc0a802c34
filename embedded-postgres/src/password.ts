import { randomBytes } from "node:crypto";
import { linkSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedPostgresError } from "./error.ts";
import { isEntry, withUmask } from "./files.ts";
import type { Folder } from "./folder.ts";
import { giveTo, type RunAs } from "./run-as.ts";

/** Makes the superuser's password unless there is one, and returns it. */
export function makePassword(folder: Folder): string {
  // Linked under its name when it is complete: two first starts at once read the same password.
  const fresh = temporaryName(folder);
  try {
    withUmask(0o077, () => writeFileSync(fresh, randomBytes(24).toString("base64url"), { flag: "wx", flush: true }));
    linkSync(fresh, folder.password);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(fresh, { force: true });
  }
  return readPassword(folder);
}

export function readPassword(folder: Folder): string {
  if (!isEntry(folder.password)) {
    throw new EmbeddedPostgresError(
      `${folder.password} is missing; without it the database in ${folder.data} cannot be opened`,
    );
  }
  return readFileSync(folder.password, "utf8").trim();
}

/**
 * Opens a file without a name that holds the password, for initdb to read by its descriptor: initdb's user may not be
 * allowed to enter the path of a named one. The caller closes it.
 */
export function openPassword(folder: Folder, runAs: RunAs | null, password: string): number {
  const path = temporaryName(folder);
  try {
    withUmask(0o077, () => writeFileSync(path, `${password}\n`, { flag: "wx" }));
    if (runAs) giveTo(runAs, path);
    return openSync(path, "r");
  } finally {
    rmSync(path, { force: true });
  }
}

const temporaryName = ({ root }: Folder): string => join(root, `.password-${randomBytes(4).toString("hex")}`);
