import { randomBytes } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Binaries } from "./binaries.ts";
import { EmbeddedPostgresError } from "./error.ts";
import { isEntry, sync, withUmask } from "./files.ts";
import type { Folder } from "./folder.ts";
import { initdb } from "./initdb.ts";
import { makePassword, readPassword } from "./password.ts";
import { giveTo, type RunAs } from "./run-as.ts";

/** Files of an unfinished start that are older than this belong to no running start, milliseconds. */
const STALE = 10 * 60_000;

/**
 * Makes the cluster unless it exists, and returns its superuser's password. The cluster is made in a folder of its own
 * and renamed when it is complete and synced: a kill in the middle leaves nothing half done, and of two first starts at
 * once one wins.
 */
export async function ensureCluster(folder: Folder, binaries: Binaries, runAs: RunAs | null): Promise<string> {
  removeStale(folder);
  const major = readMajor(folder);
  if (major === null) {
    const password = makePassword(folder);
    await makeCluster(folder, binaries, runAs, password);
    return password;
  }
  if (major !== binaries.major) {
    throw new EmbeddedPostgresError(
      `${folder.data} belongs to PostgreSQL ${major}, this program brings ${binaries.major}; move the data over by dump and restore`,
    );
  }
  return readPassword(folder);
}

function readMajor(folder: Folder): string | null {
  try {
    return readFileSync(join(folder.data, "PG_VERSION"), "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return null;
  }
}

async function makeCluster(folder: Folder, binaries: Binaries, runAs: RunAs | null, password: string): Promise<void> {
  if (isEntry(folder.data) && readdirSync(folder.data).length > 0 && readMajor(folder) === null) {
    throw new EmbeddedPostgresError(`${folder.data} is not empty and holds no PostgreSQL; move it away`);
  }
  const fresh = join(folder.root, `init-${randomBytes(4).toString("hex")}`);
  withUmask(0o077, () => mkdirSync(fresh));
  try {
    if (runAs) giveTo(runAs, fresh);
    await initdb(folder, fresh, { binaries, runAs, password });
    renameSync(fresh, folder.data);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another start was faster: its cluster is as good.
    if (readMajor(folder) === null) throw error;
  }
  // initdb has synced the files. Without these two a power cut could lose the whole folder, long after rows were stored.
  sync(folder.root);
  sync(dirname(folder.root));
}

/** Removes what a killed start left. Its age decides: process numbers mean nothing across containers. */
function removeStale(folder: Folder): void {
  for (const name of readdirSync(folder.root)) {
    if (!/^(init|\.password)-/.test(name)) continue;
    const path = join(folder.root, name);
    const made = lstatSync(path, { throwIfNoEntry: false });
    if (made && Date.now() - made.mtimeMs > STALE) rmSync(path, { recursive: true, force: true });
  }
}
