/**
 * Packs the plugin for WooCommerce, together with the PHP client, for WordPress ("Plugins", "Upload"):
 *
 *     node scripts/woocommerce.ts [file]        # default: dist/pixgate-for-woocommerce.zip
 *
 * It packs the committed files.
 */

import "./help.ts";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const NAME = "pixgate-for-woocommerce";
const CLIENT = "clients/php/src";

/** Writes the archive of a commit; returns the names of its files. */
export function packPlugin(root: string, commit: string, file: string): string[] {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" });
  const client = git("ls-tree", "-r", "--name-only", commit, CLIENT).trim().split("\n");
  mkdirSync(dirname(file), { recursive: true });
  git(
    ...["archive", "--format=zip", "--output", file, `--prefix=${NAME}/client/`],
    ...client.map((path) => `--add-file=${path}`),
    ...[`--prefix=${NAME}/`, `${commit}:plugins/woocommerce/${NAME}`],
  );
  const own = git("ls-tree", "-r", "--name-only", `${commit}:plugins/woocommerce/${NAME}`).trim().split("\n");
  return [...own, ...client.map((path) => path.replace(CLIENT, "client"))];
}

if (import.meta.main) {
  const root = fileURLToPath(new URL("../", import.meta.url));
  const file = resolve(process.argv[2] ?? join(root, `dist/${NAME}.zip`));
  packPlugin(root, "HEAD", file);
  console.log(file);
}
