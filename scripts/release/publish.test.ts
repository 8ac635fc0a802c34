/** Only what was released is published: tested in a repository with the scripts and a release of one file. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "pixgate-publish-test-"));
const git = (...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=Ana", "-c", "user.email=ana@pixgate.test", ...args], {
    cwd: folder,
    encoding: "utf8",
  }).trim();
const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
const publish = (env: Record<string, string> = {}) =>
  spawnSync(process.execPath, ["scripts/publish.ts", "0.1.0", "--print"], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });

/** Asserts a refusal, and that no command was printed. */
function isRefused(reason: RegExp): void {
  const { status, stdout, stderr } = publish();
  assert.deepEqual([status, stdout], [1, ""]);
  assert.match(stderr, reason);
}

before(() => {
  mkdirSync(join(folder, "scripts"));
  for (const file of ["publish.ts", "options.ts"]) cpSync(join(ROOT, "scripts", file), join(folder, "scripts", file));
  cpSync(join(ROOT, "scripts/release"), join(folder, "scripts/release"), { recursive: true });
  write("package.json", JSON.stringify({ type: "module", version: "0.1.0" }));
  write(".gitignore", "dist\n");
  mkdirSync(join(folder, "dist/release"), { recursive: true });
  write("dist/release/pixgate-0.1.0.tgz", "packed");
  const sum = createHash("sha256").update("packed").digest("hex");
  write("dist/release/SHA256SUMS", `${sum}  pixgate-0.1.0.tgz\n`);
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Release 0.1.0");
});
after(() => rmSync(folder, { recursive: true, force: true }));

test("a release whose commit bears no tag is not published", () =>
  isRefused(/this is [0-9a-f]{40}, and v0\.1\.0 is nothing/));

test("a release is published of its tag's commit, whether the tag has a text or not", () => {
  for (const kind of [["--annotate", "--message", "Pixgate 0.1.0"], ["--force"]]) {
    git("tag", ...kind, "v0.1.0");
    const { status, stdout, stderr } = publish();
    assert.equal(status, 0, stderr);
    assert.match(
      stdout,
      /^git push origin v0\.1\.0\nnpm publish dist\/release\/pixgate-0\.1\.0\.tgz --access public\n/,
    );
  }
});

test("an image and a chart are published where their owner says, and not without that", () => {
  assert.doesNotMatch(publish().stdout, /docker|helm/);
  const { stdout } = publish({
    PIXGATE_IMAGE_REPOSITORY: "registry.example.com/pixgate",
    PIXGATE_CHART_REPOSITORY: "oci://registry.example.com/charts",
  });
  assert.deepEqual(stdout.trimEnd().split("\n").slice(-4), [
    "docker build --tag registry.example.com/pixgate:0.1.0 .",
    "docker push registry.example.com/pixgate:0.1.0",
    "helm package deploy/helm/pixgate --destination dist/chart",
    "helm push dist/chart/pixgate-0.1.0.tgz oci://registry.example.com/charts",
  ]);
});

test("a tree with a change, committed or not, is not the release, and is not published", () => {
  write("left-over.txt", "");
  isRefused(/changes that were not released:\n\?\? left-over\.txt/);
  git("add", "--all");
  git("commit", "--quiet", "--message", "Later");
  isRefused(new RegExp(`this is ${git("rev-parse", "HEAD")}, and v0\\.1\\.0 is ${git("rev-parse", "HEAD~1")}`));
});

test("a release is published from a clone of its tag, whatever is checked out here by now", () => {
  const clone = join(folder, "dist/of-the-tag");
  git("clone", "--quiet", "--config", "advice.detachedHead=false", "--branch", "v0.1.0", ".", clone);
  const from = () =>
    spawnSync(process.execPath, ["scripts/publish.ts", "0.1.0", "--print", "--of", clone], {
      cwd: folder,
      encoding: "utf8",
    });
  assert.match(from().stderr, /no release 0\.1\.0/);
  cpSync(join(folder, "dist/release"), join(clone, "dist/release"), { recursive: true });
  const { status, stdout, stderr } = from();
  assert.equal(status, 0, stderr);
  assert.match(stdout, /^git push origin v0\.1\.0\nnpm publish /);
  writeFileSync(join(clone, "left-over.txt"), "");
  assert.match(from().stderr, /changes that were not released/);
});
