/** The files of a release: packages, sources, notes, a bill of materials, and a statement of provenance. */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { packPlugin } from "../woocommerce.ts";
import { git } from "./repository.ts";

/** The folders from which the npm packages are packed, once they are built. */
const NPM_PACKAGES = ["dist/pixgate", "sdk", "conformance"];

/**
 * Writes everything into a folder.
 *
 * @returns the names of the files, in the order of `SHA256SUMS`
 */
export function writeArtefacts(root: string, version: string, notes: string, folder: string): string[] {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const run = (command: string, ...args: string[]): string =>
    execFileSync(command, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 64e6 });
  run(process.execPath, "scripts/package.ts");
  for (const from of NPM_PACKAGES)
    run(
      "npm",
      "pack",
      "--silent",
      "--pack-destination",
      folder,
      ...(from.startsWith("dist") ? [`./${from}`] : ["-w", from]),
    );
  const tag = `v${version}`;
  const archive = (name: string, prefix: string, tree: string) =>
    git(root, "archive", `--prefix=${prefix}/`, "--output", join(folder, name), tree);
  archive(`pixgate-${version}-source.tar.gz`, `pixgate-${version}`, tag);
  archive(`pixgate-${version}-python-source.tar.gz`, `pixgate-python-${version}`, `${tag}:clients/python`);
  archive(`pixgate-${version}-php.zip`, "pixgate-php", `${tag}:clients/php`);
  archive(`pixgate-${version}-helm.tar.gz`, "pixgate", `${tag}:deploy/helm/pixgate`);
  packPlugin(root, tag, join(folder, `pixgate-for-woocommerce-${version}.zip`));
  writeFileSync(join(folder, "NOTES.md"), `# Pixgate ${version}\n\n${notes}\n`);
  writeFileSync(join(folder, "sbom.cdx.json"), run(process.execPath, "scripts/supply-chain.ts", "--sbom"));
  const subjects = readdirSync(folder).sort();
  const sums = subjects.map((name) => ({ name, sha256: sha256(join(folder, name)) }));
  writeFileSync(join(folder, "provenance.json"), `${JSON.stringify(provenance(root, tag, sums), null, 2)}\n`);
  const all = [...sums, { name: "provenance.json", sha256: sha256(join(folder, "provenance.json")) }];
  // In the format of `sha256sum --check`.
  writeFileSync(join(folder, "SHA256SUMS"), all.map((one) => `${one.sha256}  ${one.name}\n`).join(""));
  return all.map(({ name }) => name);
}

const sha256 = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

/**
 * An in-toto statement (SLSA provenance 1): the commit from which the files were made, and the builder. It is not
 * signed: the publisher signs it, or lets the registry's build make one (`npm publish --provenance`).
 */
function provenance(root: string, tag: string, subjects: readonly { name: string; sha256: string }[]): object {
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: subjects.map(({ name, sha256: digest }) => ({ name, digest: { sha256: digest } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "scripts/release.ts",
        externalParameters: { tag },
        internalParameters: { node: process.version, npm: npmVersion() },
        resolvedDependencies: [
          { name: basename(root), digest: { gitCommit: git(root, "rev-parse", `${tag}^{commit}`) } },
          { name: "package-lock.json", digest: { sha256: sha256(join(root, "package-lock.json")) } },
        ],
      },
      runDetails: { builder: { id: "scripts/release.ts" } },
    },
  };
}

const npmVersion = (): string => execFileSync("npm", ["--version"], { encoding: "utf8" }).trim();
