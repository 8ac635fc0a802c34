/** The migrations that are released, which are never changed again: databases of other people have applied them. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fingerprintOf } from "../../gateway/src/db/migrate.ts";

const FOLDER = "gateway/src/db/migrations";
/** The list, from the repository's root. `node scripts/tidy.ts` holds the migrations to it. */
export const RELEASED_LIST = `${FOLDER}/released.json`;

/** By file: the release that brought it, and the fingerprint that its databases have stored (db/migrate.ts). */
export type ReleasedMigrations = Record<string, { readonly release: string; readonly fingerprint: string }>;

/**
 * Adds what this release brings.
 *
 * @returns the files that it brings
 */
export function releaseMigrations(root: string, release: string): string[] {
  const path = join(root, RELEASED_LIST);
  const released = JSON.parse(readFileSync(path, "utf8")) as ReleasedMigrations;
  const files = readdirSync(join(root, FOLDER)).filter((name) => name.endsWith(".sql") && !(name in released));
  for (const name of files.sort())
    released[name] = { release, fingerprint: fingerprintOf(readFileSync(join(root, FOLDER, name), "utf8")) };
  writeFileSync(path, `${JSON.stringify(released, null, 2)}\n`);
  return files;
}
