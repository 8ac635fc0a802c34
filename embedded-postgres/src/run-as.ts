import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { chownSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { EmbeddedPostgresError } from "./error.ts";
import type { Folder } from "./folder.ts";

/** The user that PostgreSQL runs as when this process is root, as which PostgreSQL refuses to run. */
export type RunAs = { readonly name: string; readonly uid: number; readonly gid: number };

/** The user that PostgreSQL runs as on this cluster, which may not exist yet. Null unless this process is root. */
export function chooseUser({ name: own, data }: Pick<Folder, "name" | "data">): RunAs | null {
  if (process.getuid?.() !== 0) return null;
  const users = readUsers();
  // PostgreSQL insists on the owner of its files: even when a better user was added after the first start, or when this
  // start is the first as root.
  const made = statSync(join(data, "PG_VERSION"), { throwIfNoEntry: false });
  if (made && made.uid !== 0) {
    const name = users.find((user) => user.uid === made.uid)?.name ?? `with id ${made.uid}`;
    return { name, uid: made.uid, gid: made.gid };
  }
  for (const name of [own, "postgres", "nobody"]) {
    const user = users.find((candidate) => candidate.name === name && candidate.uid > 0);
    if (user) return user;
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL cannot run as root, and there is no user ${own}, postgres or nobody; run as another user`,
    { reason: "unsupported" },
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

/** Makes that user the owner of a file or folder. */
export function giveTo(runAs: RunAs, path: string): void {
  try {
    chownSync(path, runAs.uid, runAs.gid);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `PostgreSQL cannot run as root, and this root may not give files to the user ${runAs.name}; run as another user`,
      { reason: "unsupported", cause: error },
    );
  }
}

/**
 * Runs a program of PostgreSQL as that user, without this process's groups, and without any variable of its environment
 * that PostgreSQL reads. The child enters its working folder before it changes the user, while it still may.
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
    throw spawnFailure(runAs, program, error as Error);
  }
}

/** Why a program did not run at all. Some of these failures are thrown, others arrive as the child's `error` event. */
export function spawnFailure(
  runAs: RunAs | null,
  program: string,
  error: NodeJS.ErrnoException,
): EmbeddedPostgresError {
  const unsupported = { reason: "unsupported", cause: error } as const;
  if (error.code === "ENOENT" && existsSync(program)) {
    return new EmbeddedPostgresError(`${program} needs a system with glibc`, unsupported);
  }
  if (runAs === null) return new EmbeddedPostgresError(`${program} cannot be run: ${error.message}`, { cause: error });
  return new EmbeddedPostgresError(
    `${program} cannot be run as the user ${runAs.name}, and PostgreSQL refuses root (${error.message}); run as another user`,
    unsupported,
  );
}

/**
 * How a child names its working folder. On Linux by a link of the kernel that needs no right on the folders above, so
 * that a cluster below a folder that only root may enter works; elsewhere by its path.
 */
export const workingFolder = (path: string): string => (process.platform === "linux" ? "/proc/self/cwd" : path);
