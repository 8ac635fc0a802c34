/**
 * Makes a release of the commit that is checked out:
 *
 *     node scripts/release.ts 0.1.0 --ci-passed "$(git rev-parse HEAD)"   # CI has passed on this very commit
 *     node scripts/release.ts 0.1.0                                      # runs .ci/run first, half an hour
 *     node scripts/release.ts 0.1.0 --ci-passed … --dry-run              # in a clone that is deleted; prints the notes
 *     node scripts/release.ts 0.1.0 --ci-passed … --dry-run --keep /tmp/x # in a clone that stays, to look at
 *     node scripts/release.ts 0.1.0 --again --keep /tmp/x                # the files of a release that is made, in a clone of its tag
 *
 * It refuses a tree with changes, and a version that is released already or older. Then it writes the version into
 * every package, cuts the changelog, copies the documents of the API (`openapi/released`), marks the migrations as
 * released (the check then refuses changes of them), commits, tags `v0.1.0`, and writes the files to publish to
 * `dist/release/`. Nothing leaves this machine: the owner of the names publishes with `node scripts/publish.ts 0.1.0`.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readArguments } from "./options.ts";
import { writeArtefacts } from "./release/artefacts.ts";
import { cutChangelog } from "./release/changelog.ts";
import { releaseMigrations } from "./release/migrations.ts";
import { git, linkPackages, refusals } from "./release/repository.ts";
import { writeVersions } from "./release/versions.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const { values, positionals } = readArguments(import.meta.url, {
  allowPositionals: true,
  options: {
    "ci-passed": { type: "string" },
    "dry-run": { type: "boolean", default: false },
    again: { type: "boolean", default: false },
    keep: { type: "string" },
  },
});
const [version = ""] = positionals;

if (values.again) {
  remake();
  process.exit();
}
const against = refusals(root, version);
const passed = values["ci-passed"];
const head = git(root, "rev-parse", "HEAD");
if (passed !== undefined && passed !== head) against.push(`CI has passed on ${passed}, and this is ${head}`);
if (against.length > 0) {
  for (const reason of against) console.error(`release: ${reason}`);
  process.exit(1);
}
if (passed === undefined) run("bash", ".ci/run");

if (values["dry-run"]) rehearse();
else release();

/** Makes the release in a clone, which is deleted unless `--keep` is given. */
function rehearse(): void {
  const clone = values.keep ?? mkdtempSync(join(tmpdir(), "pixgate-release-"));
  try {
    git(root, "clone", "--quiet", "--no-hardlinks", root, clone);
    linkPackages(root, clone);
    const { status } = spawnSync(process.execPath, ["scripts/release.ts", version, "--ci-passed", head], {
      cwd: clone,
      stdio: "inherit",
    });
    if (status === 0) console.log(readFileSync(join(clone, "dist/release/NOTES.md"), "utf8"));
    process.exitCode = status ?? 1;
  } finally {
    if (values.keep === undefined) rmSync(clone, { recursive: true, force: true });
  }
}

/** Writes the files of a release again in a clone of its tag, from which they can be published. Nothing changes here. */
function remake(): void {
  const tag = `v${version}`;
  const clone = resolve(values.keep ?? "");
  if (values.keep === undefined || git(root, "tag", "--list", tag) === "" || existsSync(clone)) {
    const why = values.keep === undefined ? "--keep FOLDER says where" : existsSync(clone) ? `${clone} is there` : null;
    console.error(`release: ${why ?? `no tag ${tag}: git fetch --tags`}`);
    process.exit(1);
  }
  const quiet = ["--quiet", "--config", "advice.detachedHead=false"];
  git(root, "clone", ...quiet, "--no-hardlinks", "--branch", tag, root, clone);
  // The tag is pushed from there.
  if (git(root, "remote").split("\n").includes("origin"))
    git(clone, "remote", "set-url", "origin", git(root, "remote", "get-url", "origin"));
  linkPackages(root, clone);
  const notes = git(root, "for-each-ref", "--format=%(contents:body)", `refs/tags/${tag}`);
  const files = writeArtefacts(clone, version, notes, join(clone, "dist/release"));
  console.log(`${clone}/dist/release: ${files.join(", ")}`);
  console.log(`publish it: node scripts/publish.ts ${version} --of ${clone}`);
}

function release(): void {
  const day = new Date().toISOString().slice(0, 10);
  const changelog = join(root, "CHANGELOG.md");
  const cut = cutChangelog(readFileSync(changelog, "utf8"), version, day);
  writeFileSync(changelog, cut.text);
  writeVersions(root, version);
  const migrations = releaseMigrations(root, version);
  keepDocuments();
  try {
    run(process.execPath, "scripts/check.ts");
  } catch {
    console.error("release: the check failed, and nothing is committed: git reset --hard takes the changes back");
    process.exit(1);
  }
  git(root, "add", "--all");
  git(root, "commit", "--quiet", "--message", `Release ${version}`);
  git(
    root,
    "tag",
    "--annotate",
    `v${version}`,
    "--cleanup=verbatim",
    "--message",
    `Pixgate ${version}\n\n${cut.notes}`,
  );
  const files = writeArtefacts(root, version, cut.notes, join(root, "dist/release"));
  console.log(
    `v${version} of ${git(root, "rev-parse", "--short", "HEAD")}, with ${migrations.join(", ") || "no migration"}`,
  );
  console.log(`dist/release: ${files.join(", ")}`);
  console.log(`publish it: node scripts/publish.ts ${version}`);
}

/** Copies the documents with which later versions are compared, and ends the list of deliberate breaking changes. */
function keepDocuments(): void {
  const deliberate = join(root, "scripts/api-changes/deliberate.ts");
  const text = readFileSync(deliberate, "utf8");
  const comment = text.slice(0, text.indexOf("*/") + 3);
  writeFileSync(deliberate, `${comment}export const DELIBERATE: Readonly<Record<string, string>> = {};\n`);
  run(process.execPath, "scripts/api-changes.ts", "--release");
  // The generated clients contain their version too.
  run(process.execPath, "scripts/sdk.ts");
  run(process.execPath, "scripts/supply-chain.ts");
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
}
