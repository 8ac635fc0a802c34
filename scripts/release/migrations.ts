/** The released migrations. They never change, because databases of users have applied them. */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fingerprintOf } from "../../gateway/src/db/migrate.ts";

const FOLDER = "gateway/src/db/migrations";
/** Path of the list from the repository's root. `node scripts/tidy.ts` compares the migrations with it. */
export const RELEASED_LIST = `${FOLDER}/released.json`;

/** By file: the release that introduced it, and the fingerprint that databases have stored (db/migrate.ts). */
export type ReleasedMigrations = Record<string, { readonly release: string; readonly fingerprint: string }>;

/**
 * Adds the new migrations of this release.
 *
 * @returns their files
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
