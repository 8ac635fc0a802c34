/** The places with the version of everything that is released together. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A file, and the text before its version. Every match in the file is changed; there must be at least one. */
const PLACES: readonly (readonly [file: string, before: RegExp])[] = [
  ...["conformance", "console", "embedded-postgres", "gateway", "mcp", "psp-simulator", "sdk", "traces", "."].map(
    (folder) => [`${folder}/package.json`, /^ {2}"version": "|"@pixgate\/[\w-]+": "/m] as const,
  ),
  ["deploy/helm/pixgate/Chart.yaml", /^version: |^appVersion: "/m],
  ["clients/python/pyproject.toml", /^version = "/m],
  ["clients/python/src/pixgate/_transport.py", /pixgate-python\//],
  ["clients/python/README.md", /dist\/pixgate-/],
  ["clients/php/composer.json", /"version": "/],
  ["clients/php/src/Transport.php", /pixgate-php\//],
  ["plugins/woocommerce/pixgate-for-woocommerce/pixgate-for-woocommerce.php", /^ \* Version: /],
  ["sdk/README.md", /pixgate-sdk-/],
  ["examples/README.md", /pixgate-sdk-/],
];
const VERSION = /\d+\.\d+\.\d+/;
/** The form of our versions. */
export const RELEASE = /^\d+\.\d+\.\d+$/;

export const versionOf = (root: string): string =>
  (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }).version;

/**
 * Writes the version into all these places.
 *
 * @throws Error when a place has no version: otherwise a moved file would be released with an old one.
 */
export function writeVersions(root: string, version: string): void {
  for (const [file, before] of PLACES) {
    const path = join(root, file);
    const pattern = new RegExp(`(${before.source})${VERSION.source}`, "gm");
    const text = readFileSync(path, "utf8");
    if (!pattern.test(text)) throw new Error(`${file} has no version after ${before.source}`);
    writeFileSync(path, text.replace(pattern, `$1${version}`));
  }
  writeLock(join(root, "package-lock.json"), version);
}

/** Writes the version of our own packages into the lock file. */
function writeLock(path: string, version: string): void {
  const lock = JSON.parse(readFileSync(path, "utf8")) as Lock;
  lock.version = version;
  for (const [folder, one] of Object.entries(lock.packages)) {
    if (folder.includes("node_modules/")) continue;
    one.version = version;
    for (const list of [one.dependencies, one.devDependencies])
      for (const name of Object.keys(list ?? {})) if (name.startsWith("@pixgate/")) list![name] = version;
  }
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
}

type Lock = {
  version: string;
  packages: Record<
    string,
    { version?: string; dependencies?: Record<string, string>; devDependencies?: Record<string, string> }
  >;
};
