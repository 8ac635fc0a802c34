import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Binaries } from "./binaries.ts";
import { EmbeddedPostgresError } from "./error.ts";
import { asUser, cleanEnvironment, type RunAs, workingFolder } from "./run-as.ts";

/** The major version of the packaged server; a cluster belongs to one. */
const MAJOR = "18";
/** An unfinished initialisation older than this belongs to nobody, milliseconds. */
const STALE = 10 * 60_000;

/** The files of one PostgreSQL: the cluster, and beside it what only we read. */
export type Folder = { readonly root: string; readonly data: string; readonly log: string };

export const folderAt = (root: string): Folder => ({ root, data: join(root, "data"), log: join(root, "postgres.log") });

/** The superuser's password: made once, mode 0600, never on a command line. */
export function readPassword(folder: Folder): string {
  mkdirSync(folder.root, { recursive: true, mode: 0o700 });
  const file = join(folder.root, "password");
  try {
    writeFileSync(file, randomBytes(24).toString("base64url"), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFileSync(file, "utf8").trim();
}

/**
 * Makes the cluster unless it is there. It is made in a folder of its own and renamed when it is whole and synced, so
 * a kill in the middle leaves nothing half done, and of two first starts one wins.
 */
export async function ensureCluster(
  folder: Folder,
  binaries: Binaries,
  runAs: RunAs | null,
  password: string,
): Promise<void> {
  if (existsSync(join(folder.data, "PG_VERSION"))) {
    const major = readFileSync(join(folder.data, "PG_VERSION"), "utf8").trim();
    if (major !== MAJOR) {
      throw new EmbeddedPostgresError(
        `${folder.data} belongs to PostgreSQL ${major}, this program brings ${MAJOR}; move the data over by dump and restore`,
      );
    }
    return;
  }
  removeStale(folder);
  const fresh = join(folder.root, `init-${process.pid}-${randomBytes(4).toString("hex")}`);
  mkdirSync(fresh, { mode: 0o700 });
  chmodSync(fresh, 0o700);
  if (runAs) chownSync(fresh, runAs.uid, runAs.gid);
  try {
    await initdb(folder, fresh, binaries, runAs, password);
    renameSync(fresh, folder.data);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another start was faster: its cluster is as good.
    if (!existsSync(join(folder.data, "PG_VERSION"))) throw error;
  }
}

function removeStale(folder: Folder): void {
  for (const name of readdirSync(folder.root)) {
    const path = join(folder.root, name);
    if (name.startsWith("init-") && Date.now() - statSync(path).mtimeMs > STALE)
      rmSync(path, { recursive: true, force: true });
  }
}

async function initdb(
  folder: Folder,
  fresh: string,
  binaries: Binaries,
  runAs: RunAs | null,
  password: string,
): Promise<void> {
  // The password reaches initdb as an open file: the path to it may be closed to the user that initdb runs as.
  const secret = join(folder.root, `.password-${randomBytes(4).toString("hex")}`);
  writeFileSync(secret, `${password}\n`, { mode: 0o600, flag: "wx" });
  if (runAs) chownSync(secret, runAs.uid, runAs.gid);
  const opened = openSync(secret, "r");
  try {
    const args = [
      "-D",
      workingFolder(fresh),
      "-U",
      "pixgate",
      "--encoding=UTF8",
      "--locale=C",
      "--auth=scram-sha-256",
      "--data-checksums",
    ];
    const linux = process.platform === "linux";
    args.push(`--pwfile=${linux ? "/proc/self/fd/3" : secret}`);
    const child = spawn(binaries.initdb, args, {
      cwd: fresh,
      env: cleanEnvironment(),
      stdio: ["ignore", "pipe", "pipe", opened],
      ...asUser(runAs),
    });
    let said = "";
    child.stdout!.resume();
    child.stderr!.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4_000);
    });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    if (code !== 0) {
      const last =
        said
          .trim()
          .split("\n")
          .filter((line) => /error|fatal|could not/i.test(line))
          .at(-1) ?? said.trim();
      throw new EmbeddedPostgresError(`PostgreSQL could not make its files in ${folder.root}: ${last}`);
    }
  } finally {
    closeSync(opened);
    rmSync(secret, { force: true });
  }
}
