/**
 * Publishes a release that `scripts/release.ts` has made:
 *
 *     node scripts/publish.ts 0.1.0 --print   # what it would run
 *     node scripts/publish.ts 0.1.0           # by whoever owns the names: signed in to npm, PyPI and a registry of images
 *     node scripts/publish.ts 0.1.0 --of /tmp/x # of a clone of the tag: node scripts/release.ts 0.1.0 --again --keep /tmp/x
 *
 * `PIXGATE_IMAGE_REPOSITORY` and `PIXGATE_CHART_REPOSITORY` say where an image and the chart go. The PHP client is not
 * uploaded: Packagist reads a repository of its own, made from `pixgate-0.1.0-php.zip`.
 *
 * It first compares `dist/release/` with its checksums, and refuses a tree with changes and a commit other than the
 * tag's (the image and the Python package are built from the tree). It stops at the first command that fails. A command
 * that has succeeded cannot be repeated, since a version of a package is published once: run the remaining ones by
 * hand.
 */

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readArguments } from "./options.ts";
import { strayings } from "./release/repository.ts";

const { values, positionals } = readArguments(import.meta.url, {
  allowPositionals: true,
  options: { print: { type: "boolean", default: false }, of: { type: "string" } },
});
const root = resolve(values.of ?? fileURLToPath(new URL("../", import.meta.url)));
const folder = join(root, "dist/release");
const [version = ""] = positionals;
/** Repositories, such as registry.example.com/pixgate and oci://registry.example.com/charts. Without one, that is not published. */
const { PIXGATE_IMAGE_REPOSITORY: image, PIXGATE_CHART_REPOSITORY: chart } = process.env;

const sums = existsSync(join(folder, "SHA256SUMS")) ? readFileSync(join(folder, "SHA256SUMS"), "utf8") : "";
const files = [...sums.matchAll(/^([0-9a-f]{64}) {2}(.+)$/gm)].map(([, sum = "", name = ""]) => ({ sum, name }));
const wrong = files.filter(({ sum, name }) => sum !== sumOf(join(folder, name)));
if (!files.some(({ name }) => name === `pixgate-${version}.tgz`) || wrong.length > 0) {
  const what = wrong.map(({ name }) => name).join(", ") || `no release ${version}: node scripts/release.ts ${version}`;
  console.error(`publish: dist/release has ${wrong.length > 0 ? "other files than its sums say: " : ""}${what}`);
  process.exit(1);
}

const against = strayings(root, version);
if (against.length > 0) {
  for (const reason of against) console.error(`publish: ${reason}`);
  process.exit(1);
}

for (const command of commands()) {
  console.log(command.join(" "));
  if (values.print) continue;
  const [program = "", ...args] = command;
  const { status } = spawnSync(program, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

function commands(): string[][] {
  const packed = files.map(({ name }) => name).filter((name) => name.endsWith(".tgz"));
  return [
    ["git", "push", "origin", `v${version}`],
    ...packed.map((name) => ["npm", "publish", join("dist/release", name), "--access", "public"]),
    ["python3", "-m", "build", "clients/python", "--outdir", `dist/python`],
    [
      "python3",
      "-m",
      "twine",
      "upload",
      `dist/python/pixgate-${version}.tar.gz`,
      `dist/python/pixgate-${version}-py3-none-any.whl`,
    ],
    ...(image === undefined
      ? []
      : [
          ["docker", "build", "--tag", `${image}:${version}`, "."],
          ["docker", "push", `${image}:${version}`],
        ]),
    ...(chart === undefined
      ? []
      : [
          ["helm", "package", "deploy/helm/pixgate", "--destination", "dist/chart"],
          ["helm", "push", `dist/chart/pixgate-${version}.tgz`, chart],
        ]),
  ];
}

function sumOf(path: string): string {
  return existsSync(path) ? createHash("sha256").update(readFileSync(path)).digest("hex") : "";
}
