/** The files of a release, written again from its tag in a clone, whatever came after it. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { linkPackages } from "./repository.ts";
import { versionOf } from "./versions.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const VERSION = versionOf(ROOT);
const ENV = {
  ...process.env,
  ...{ GIT_AUTHOR_NAME: "Ana", GIT_AUTHOR_EMAIL: "ana@pixgate.test" },
  ...{ GIT_COMMITTER_NAME: "Ana", GIT_COMMITTER_EMAIL: "ana@pixgate.test" },
};
const folder = mkdtempSync(join(tmpdir(), "pixgate-again-test-"));
const clone = join(folder, "clone");
const again = join(folder, "again");
const git = (...args: string[]): string => execFileSync("git", args, { cwd: clone, encoding: "utf8", env: ENV }).trim();
const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: clone, encoding: "utf8", env: ENV });

before(() => {
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", ROOT, clone]);
  linkPackages(ROOT, clone);
  // This tree stands for the release, whether the clone has its tag or not.
  for (const tag of git("tag", "--list", "v*").split("\n").filter(Boolean)) git("tag", "--delete", tag);
  git(
    "tag",
    "--annotate",
    `v${VERSION}`,
    "--cleanup=verbatim",
    "--message",
    `Pixgate ${VERSION}\n\n### What is tried here\n`,
  );
  writeFileSync(join(clone, "later.txt"), "");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Later");
});
after(() => rmSync(folder, { recursive: true, force: true }));

function isRefused(reason: RegExp, ...args: string[]): void {
  const there = () => (existsSync(again) ? readdirSync(again).length : 0);
  const earlier = there();
  const { status, stderr } = node("scripts/release.ts", ...args);
  assert.equal(status, 1);
  assert.match(stderr, reason);
  assert.equal(there(), earlier);
}

test("the files of a release are its tag's, its sums agree, and they are published from there", {
  timeout: 500_000,
}, () => {
  isRefused(/--keep FOLDER says where/, VERSION, "--again");
  isRefused(/no tag v999\.0\.0/, "999.0.0", "--again", "--keep", again);
  const made = node("scripts/release.ts", VERSION, "--again", "--keep", again);
  assert.equal(made.status, 0, made.stdout + made.stderr);
  const files = join(again, "dist/release");
  execFileSync("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: files });
  assert.match(readFileSync(join(files, "NOTES.md"), "utf8"), /### What is tried here/);
  assert.equal(existsSync(join(again, "later.txt")), false);
  for (const name of [`pixgate-${VERSION}.tgz`, `pixgate-sdk-${VERSION}.tgz`, "sbom.cdx.json", "provenance.json"])
    assert.ok(existsSync(join(files, name)), name);
  isRefused(/is there/, VERSION, "--again", "--keep", again);
  const { status, stdout, stderr } = node("scripts/publish.ts", VERSION, "--print", "--of", again);
  assert.equal(status, 0, stderr);
  assert.match(stdout, new RegExp(`^git push origin v${VERSION}\\nnpm publish dist/release/pixgate-${VERSION}\\.tgz`));
});
