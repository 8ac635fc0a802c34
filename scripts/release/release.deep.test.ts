/** A release, made in a clone in a temporary folder. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { cutChangelog } from "./changelog.ts";
import { RELEASED_LIST } from "./migrations.ts";
import { linkPackages } from "./repository.ts";
import { versionOf } from "./versions.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** A version newer than any release of this tree, and one between the two. */
const [MAJOR = 0, MINOR = 0] = versionOf(ROOT).split(".").map(Number);
const [BEFORE_NEXT, NEXT] = [`${MAJOR}.${MINOR + 1}.6`, `${MAJOR}.${MINOR + 1}.7`];
const ENV = {
  ...process.env,
  // With this variable, a test runner in the clone would consider itself a part of this run, and run nothing.
  NODE_TEST_CONTEXT: undefined,
  ...{ GIT_AUTHOR_NAME: "Ana", GIT_AUTHOR_EMAIL: "ana@pixgate.test" },
  ...{ GIT_COMMITTER_NAME: "Ana", GIT_COMMITTER_EMAIL: "ana@pixgate.test" },
};

const folder = mkdtempSync(join(tmpdir(), "pixgate-release-test-"));
/** The clone in use: after the rehearsal, the one that it has kept. */
let clone = join(folder, "clone");
const git = (...args: string[]): string => execFileSync("git", args, { cwd: clone, encoding: "utf8", env: ENV }).trim();
const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: clone, encoding: "utf8", env: ENV });
const release = (...args: string[]) => node("scripts/release.ts", ...args);
const ciPassed = () => ["--ci-passed", git("rev-parse", "HEAD")];
const read = (file: string): string => readFileSync(join(clone, file), "utf8");

before(() => {
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", ROOT, clone]);
  linkPackages(ROOT, clone);
  // Uncommitted changes of this tree are tested too.
  const changed = execFileSync("git", ["ls-files", "--modified", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  for (const file of changed.split("\n").filter((name) => name !== "" && existsSync(join(ROOT, name))))
    cpSync(join(ROOT, file), join(clone, file));
  // Makes the clone look unreleased and with changes to release, whatever was released by now.
  for (const tag of git("tag", "--list", "v*").split("\n").filter(Boolean)) git("tag", "--delete", tag);
  writeFileSync(join(clone, RELEASED_LIST), "{}\n");
  const news = "## Unreleased\n\n### For everybody\n\n- What is tried here.\n";
  writeFileSync(join(clone, "CHANGELOG.md"), read("CHANGELOG.md").replace("## Unreleased\n", news));
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "--message", "What is released");
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Asserts a refusal, and that it made no tag, commit or file. */
function isRefused(args: readonly string[], reason: RegExp): void {
  const state = () => [git("tag"), git("rev-parse", "HEAD"), git("status", "--porcelain")];
  const earlier = state();
  const { status, stderr } = release(...args);
  assert.equal(status, 1);
  assert.match(stderr, reason);
  assert.deepEqual(state(), earlier);
}

test("a release is refused where the tree, the version or CI's commit is not right", () => {
  isRefused(["later", ...ciPassed()], /later is no version/);
  isRefused(["0.0.9", ...ciPassed()], /0\.0\.9 is older than/);
  isRefused([NEXT, "--ci-passed", "0".repeat(40)], /CI has passed on 0{40}, and this is/);
  writeFileSync(join(clone, "left-over.txt"), "");
  isRefused([NEXT, ...ciPassed()], /changes that are not committed:\n\?\? left-over\.txt/);
  rmSync(join(clone, "left-over.txt"));
});

test("a rehearsed release has one version in every package, its notes, and packages that its sums and provenance name", {
  timeout: 400_000,
}, () => {
  const earlier = [git("tag"), git("rev-parse", "HEAD"), git("status", "--porcelain")];
  const { status, stdout, stderr } = release(NEXT, ...ciPassed(), "--dry-run", "--keep", join(folder, "released"));
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, new RegExp(`# Pixgate ${NEXT}\\n\\n### For everybody`));
  assert.deepEqual([git("tag"), git("rev-parse", "HEAD"), git("status", "--porcelain")], earlier);
  assert.ok(!existsSync(join(clone, "dist/release")));

  clone = join(folder, "released");
  assert.equal(git("tag", "--list", "v*"), `v${NEXT}`);
  assert.equal(git("rev-parse", `v${NEXT}^{commit}`), git("rev-parse", "HEAD"));
  assert.equal(git("status", "--porcelain"), "");

  // Examples are copied by users and have their own versions.
  const manifests = git("ls-files", "*package.json")
    .split("\n")
    .filter((file) => !file.startsWith("examples/"))
    .map((file) => JSON.parse(read(file)));
  const released = manifests.filter(({ version }) => version !== undefined);
  assert.ok(released.length >= 9);
  for (const { name, version, dependencies = {} } of released) {
    assert.equal(version, NEXT, name);
    for (const [other, of] of Object.entries(dependencies))
      if (other.startsWith("@pixgate/")) assert.equal(of, NEXT, other);
  }
  for (const file of ["clients/python/pyproject.toml", "clients/php/composer.json", "deploy/helm/pixgate/Chart.yaml"])
    assert.match(read(file), new RegExp(`version"?( =|:) "?${NEXT}`), file);
  assert.match(
    read("CHANGELOG.md"),
    new RegExp(`## Unreleased\\n\\n## ${NEXT} \\(\\d{4}-\\d\\d-\\d\\d\\)\\n\\n### For everybody`),
  );
  assert.doesNotMatch(read("CHANGELOG.md"), /Nothing is released yet/);
  assert.ok(existsSync(join(clone, `openapi/released/${NEXT}/merchant.json`)));
  assert.match(read("docs/api-changes.md"), new RegExp(`since ${NEXT}[\\s\\S]*Nothing\\.`));

  const files = read("dist/release/SHA256SUMS")
    .trimEnd()
    .split("\n")
    .map((line) => line.slice(66));
  execFileSync("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: join(clone, "dist/release") });
  for (const name of [
    `pixgate-${NEXT}.tgz`,
    `pixgate-sdk-${NEXT}.tgz`,
    `pixgate-conformance-${NEXT}.tgz`,
    "NOTES.md",
    "sbom.cdx.json",
  ])
    assert.ok(files.includes(name), `${name}: ${files.join(", ")}`);
  const provenance = JSON.parse(read("dist/release/provenance.json"));
  assert.equal(provenance.predicate.buildDefinition.resolvedDependencies[0].digest.gitCommit, git("rev-parse", "HEAD"));
  assert.deepEqual(
    provenance.subject.map(({ name }: { name: string }) => name),
    files.filter((name) => name !== "provenance.json"),
  );
  const sbom = JSON.parse(read("dist/release/sbom.cdx.json"));
  assert.equal(sbom.bomFormat, "CycloneDX");
  assert.ok(sbom.components.some(({ name }: { name: string }) => name === "fastify"));

  isRefused([NEXT, ...ciPassed()], new RegExp(`tag v${NEXT} is there already`));
  isRefused([BEFORE_NEXT, ...ciPassed()], new RegExp(`${BEFORE_NEXT} is older than ${NEXT}, which is released`));
});

test("publishing names every package, and refuses a file that is not the one that was made", () => {
  const { status, stdout } = node("scripts/publish.ts", NEXT, "--print");
  assert.equal(status, 0);
  assert.deepEqual(
    stdout.split("\n").filter((line) => /^git|^npm/.test(line)),
    [
      `git push origin v${NEXT}`,
      ...["", "-conformance", "-sdk"].map(
        (name) => `npm publish dist/release/pixgate${name}-${NEXT}.tgz --access public`,
      ),
    ].sort((a, b) => a.localeCompare(b)),
  );
  writeFileSync(join(clone, "dist/release/NOTES.md"), "others");
  const other = node("scripts/publish.ts", NEXT, "--print");
  assert.deepEqual([other.status, other.stdout], [1, ""]);
  assert.match(other.stderr, /other files than its sums say: NOTES\.md/);
});

test("after a release its migrations stay as they are, and another may follow", () => {
  const migration = join(clone, "gateway/src/db/migrations/0001_schema.sql");
  const text = readFileSync(migration, "utf8");
  const tidy = () => node("scripts/tidy.ts").stdout;
  writeFileSync(migration, `${text}create index institutions_by_name on institutions (name);\n`);
  assert.match(tidy(), new RegExp(`0001_schema\\.sql \\[sql\\] was released with ${NEXT} and is not what it was`));
  writeFileSync(migration, text);
  const further = readdirSync(dirname(migration)).filter((name) => name.endsWith(".sql")).length + 1;
  writeFileSync(
    join(dirname(migration), `${String(further).padStart(4, "0")}_index.sql`),
    "create index charges_by_day on charges (account_id, created_at);\n",
  );
  assert.doesNotMatch(tidy(), /was released/);
});

test("a later version is tried against the release that it is upgraded from", { timeout: 400_000 }, () => {
  // The previous test has added this migration: the released database lacks it.
  const { status, stdout, stderr } = node(
    "scripts/test.ts",
    "processes/rolling-upgrade",
    "--test-name-pattern=newest release",
  );
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, new RegExp(`from ${NEXT.replaceAll(".", "\\.")}: over 30000 charges of a month: \\d+ charges`));
});

test("a changelog with nothing below its heading is not cut", () => {
  assert.throws(
    () => cutChangelog("# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-11-28)\n\n- First.\n", "0.2.0", "2026-12-01"),
    /nothing to release/,
  );
});
