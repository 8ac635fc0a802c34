import { readFileSync } from "node:fs";
import { EmbeddedPostgresError } from "./error.ts";

/** The user that PostgreSQL runs as when we are root, as which it refuses to run. */
export type RunAs = { readonly name: string; readonly uid: number; readonly gid: number };

/** Users that may own the cluster, the best first. */
const CANDIDATES = ["pixgate", "postgres", "nobody"];

/** Null unless this process is root. */
export function chooseUser(): RunAs | null {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"));
  for (const name of CANDIDATES) {
    const user = users.find((fields) => fields[0] === name);
    if (user) return { name, uid: Number(user[2]), gid: Number(user[3]) };
  }
  throw new EmbeddedPostgresError(
    "PostgreSQL cannot run as root, and there is no user postgres or nobody; set DATABASE_URL",
  );
}

/** Options of spawn: the child becomes that user. Its working folder is entered before, while we still may. */
export const asUser = (runAs: RunAs | null): { uid?: number; gid?: number } =>
  runAs === null ? {} : { uid: runAs.uid, gid: runAs.gid };

/** What PostgreSQL's programs see of the environment: nothing that could point them elsewhere. */
export const cleanEnvironment = (): NodeJS.ProcessEnv => ({ PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" });

/**
 * How a child names its working folder. On Linux by a link of the kernel that needs no right on the folders above, so
 * that a cluster below a folder that only root may enter works; elsewhere by its path.
 */
export const workingFolder = (path: string): string => (process.platform === "linux" ? "/proc/self/cwd" : path);
