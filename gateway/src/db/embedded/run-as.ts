import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedPostgresError } from "./error.ts";

/** The user that PostgreSQL runs as when we are root, as which it refuses to run. */
export type RunAs = { readonly name: string; readonly uid: number; readonly gid: number };

/** Users that may own the cluster, the best first. */
const CANDIDATES = ["pixgate", "postgres", "nobody"];

/** Who PostgreSQL runs as on the cluster in `data`, which may be missing yet. Null unless this process is root. */
export function chooseUser(data: string): RunAs | null {
  if (process.getuid?.() !== 0) return null;
  const users = readUsers();
  // PostgreSQL wants the owner of its files: also when a better user came after the first start, or when this start is
  // the first as root.
  const made = statSync(join(data, "PG_VERSION"), { throwIfNoEntry: false });
  if (made && made.uid !== 0) {
    const name = users.find((user) => user.uid === made.uid)?.name ?? `with id ${made.uid}`;
    return { name, uid: made.uid, gid: made.gid };
  }
  for (const name of CANDIDATES) {
    const user = users.find((candidate) => candidate.name === name && candidate.uid > 0);
    if (user) return user;
  }
  throw new EmbeddedPostgresError(
    "PostgreSQL cannot run as root, and there is no user pixgate, postgres or nobody; run Pixgate as another user or set DATABASE_URL",
  );
}

function readUsers(): RunAs[] {
  let text: string;
  try {
    text = readFileSync("/etc/passwd", "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    const [name, , uid, gid] = line.split(":");
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}

/**
 * Runs a program of PostgreSQL as that user, without the groups of ours, and with nothing of our environment that could
 * point it elsewhere. Its working folder is entered before, while we still may.
 */
export function spawnAs(
  runAs: RunAs | null,
  program: string,
  args: readonly string[],
  options: SpawnOptions & { readonly cwd: string },
): ChildProcess {
  const env = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
  const user = runAs === null ? {} : { uid: runAs.uid, gid: runAs.gid };
  try {
    return spawn(program, args, { ...options, env, ...user });
  } catch (error) {
    throw new EmbeddedPostgresError(spawnFailure(runAs, program, error as Error), { cause: error });
  }
}

/** Some failures are thrown, others come as the child's event. */
export function spawnFailure(runAs: RunAs | null, program: string, error: NodeJS.ErrnoException): string {
  if (error.code === "ENOENT" && existsSync(program)) {
    return `${program} needs a system with glibc; set DATABASE_URL to a PostgreSQL of yours`;
  }
  if (runAs === null) return `${program} cannot be run: ${error.message}`;
  return `${program} cannot be run as the user ${runAs.name}, and PostgreSQL refuses root (${error.message}); run Pixgate as another user or set DATABASE_URL`;
}

/**
 * How a child names its working folder. On Linux by a link of the kernel that needs no right on the folders above, so
 * that a cluster below a folder that only root may enter works; elsewhere by its path.
 */
export const workingFolder = (path: string): string => (process.platform === "linux" ? "/proc/self/cwd" : path);
