import { randomBytes } from "node:crypto";
import {
  chownSync,
  closeSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { Binaries } from "./binaries.ts";
import { EmbeddedPostgresError } from "./error.ts";
import { isEntry, sync, withUmask } from "./files.ts";
import { type RunAs, spawnAs, spawnFailure, workingFolder } from "./run-as.ts";

/** What an unfinished start has left belongs to nobody when it is older than this, milliseconds. */
const STALE = 10 * 60_000;
/** initdb takes about a second; with a slow disk, some. Past this it hangs, milliseconds. */
const INITDB_TIMEOUT = 120_000;

/** The files of one PostgreSQL: the cluster, which is its user's, and beside it what only we read. */
export type Folder = {
  readonly root: string;
  readonly data: string;
  readonly log: string;
  /** The superuser's password: made once, mode 0600, never on a command line. */
  readonly password: string;
};

export const folderAt = (root: string): Folder => ({
  root,
  data: join(root, "data"),
  log: join(root, "postgres.log"),
  password: join(root, "password"),
});

/** Makes the folder of everything, for nobody else to enter. */
export function makeRoot(folder: Folder): void {
  withUmask(0o077, () => mkdirSync(folder.root, { recursive: true }));
}

/**
 * Makes the cluster unless it is there, and answers with its password. It is made in a folder of its own and renamed
 * when it is whole and synced, so a kill in the middle leaves nothing half done, and of two first starts one wins.
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

function makePassword(folder: Folder): string {
  // Linked under its name when it is whole: of two first starts, both read the same one.
  const fresh = join(folder.root, `.password-${randomBytes(4).toString("hex")}`);
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

function readPassword(folder: Folder): string {
  if (!isEntry(folder.password)) {
    throw new EmbeddedPostgresError(
      `${folder.password} is missing; without it the database in ${folder.data} cannot be opened`,
    );
  }
  return readFileSync(folder.password, "utf8").trim();
}

async function makeCluster(folder: Folder, binaries: Binaries, runAs: RunAs | null, password: string): Promise<void> {
  if (isEntry(folder.data) && readdirSync(folder.data).length > 0 && readMajor(folder) === null) {
    throw new EmbeddedPostgresError(`${folder.data} is not empty and holds no PostgreSQL; move it away`);
  }
  const fresh = join(folder.root, `init-${randomBytes(4).toString("hex")}`);
  withUmask(0o077, () => mkdirSync(fresh));
  try {
    if (runAs) giveTo(runAs, fresh);
    await initdb(folder, fresh, binaries, runAs, password);
    renameSync(fresh, folder.data);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another start was faster: its cluster is as good.
    if (readMajor(folder) === null) throw error;
  }
  // initdb has synced what is inside. Without these a power cut could take the whole folder, after money was in it.
  sync(folder.root);
  sync(dirname(folder.root));
}

function giveTo(runAs: RunAs, path: string): void {
  try {
    chownSync(path, runAs.uid, runAs.gid);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `PostgreSQL cannot run as root, and this root may not give files to the user ${runAs.name}; run Pixgate as another user or set DATABASE_URL`,
      { cause: error },
    );
  }
}

/** What a killed start left. The age decides, as process numbers say nothing across containers. */
function removeStale(folder: Folder): void {
  for (const name of readdirSync(folder.root)) {
    if (!/^(init|\.password)-/.test(name)) continue;
    const path = join(folder.root, name);
    const made = lstatSync(path, { throwIfNoEntry: false });
    if (made && Date.now() - made.mtimeMs > STALE) rmSync(path, { recursive: true, force: true });
  }
}

async function initdb(
  folder: Folder,
  fresh: string,
  binaries: Binaries,
  runAs: RunAs | null,
  password: string,
): Promise<void> {
  const opened = openSecret(folder, runAs, `${password}\n`);
  try {
    const child = spawnAs(
      runAs,
      binaries.initdb,
      [
        ...["-D", workingFolder(fresh), "-U", "pixgate"],
        ...["--encoding=UTF8", "--locale=C", "--auth=scram-sha-256", "--data-checksums", "--no-instructions"],
        `--pwfile=${process.platform === "linux" ? "/proc/self/fd/3" : "/dev/fd/3"}`,
      ],
      {
        cwd: fresh,
        stdio: ["ignore", "ignore", "pipe", opened],
        timeout: INITDB_TIMEOUT,
        killSignal: "SIGKILL",
      },
    );
    let said = "";
    child.stderr!.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-4_000);
    });
    const failure = await new Promise<string | null>((resolve) => {
      child.once("error", (error) => resolve(spawnFailure(runAs, binaries.initdb, error)));
      child.once("close", (code, signal) =>
        resolve(
          code === 0
            ? null
            : lastError(said).replaceAll(workingFolder(fresh), fresh) || `initdb ended with ${signal ?? code}`,
        ),
      );
    });
    if (failure !== null) {
      throw new EmbeddedPostgresError(`PostgreSQL could not make its files in ${folder.root}: ${failure}`);
    }
  } finally {
    closeSync(opened);
  }
}

/** initdb ends with what it cleans up; the line before that tells why. */
function lastError(said: string): string {
  const lines = said.trim().split("\n");
  const line = lines.findLast((text) => /error|fatal|could not/i.test(text)) ?? lines.at(-1) ?? "";
  return line.replace(/^.*?(FATAL|PANIC): +/, "").trim();
}

/** An open file without a name. The path to one with a name may be closed to the user that initdb runs as. */
function openSecret(folder: Folder, runAs: RunAs | null, content: string): number {
  const path = join(folder.root, `.password-${randomBytes(4).toString("hex")}`);
  try {
    withUmask(0o077, () => writeFileSync(path, content, { flag: "wx" }));
    if (runAs) giveTo(runAs, path);
    return openSync(path, "r");
  } finally {
    rmSync(path, { force: true });
  }
}
