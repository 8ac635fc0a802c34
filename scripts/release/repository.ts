/** Conditions on the repository before a release. */

import { execFileSync } from "node:child_process";
import { appendFileSync, globSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { RELEASE, versionOf } from "./versions.ts";

export const git = (root: string, ...args: string[]): string =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();

/** Links the installed packages into a clone. */
export function linkPackages(root: string, clone: string): void {
  for (const folder of globSync(["node_modules", "*/node_modules"], { cwd: root }))
    symlinkSync(join(root, folder), join(clone, folder));
  // .gitignore matches only folders, and these are links.
  appendFileSync(join(clone, ".git/info/exclude"), "node_modules\n");
}

/** The released versions, oldest first. */
const releases = (root: string): string[] =>
  git(root, "tag", "--list", "v*")
    .split("\n")
    .map((tag) => tag.slice(1))
    .filter((version) => RELEASE.test(version))
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));

/**
 * The newest version whose API the tree keeps, and its commit: the tag's, or in a clone without tags the commit with a release's
 * subject.
 *
 * @returns no commit where the clone's history does not reach back to it.
 */
export function newestRelease(root: string): { version: string; commit: string | null } | undefined {
  const version = readdirSync(join(root, "openapi/released"))
    .filter((name) => RELEASE.test(name))
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
    .at(-1);
  if (version === undefined) return undefined;
  const tagged = git(root, "for-each-ref", "--format=%(refname)", `refs/tags/v${version}`);
  const found = tagged || git(root, "log", "--max-count=1", "--format=%H", `--grep=^Release ${version}$`);
  return { version, commit: found || null };
}

/** @returns every difference between the checked-out tree and this release; none when it may be published. */
export function strayings(root: string, version: string): string[] {
  const [tag, changed] = [`v${version}`, git(root, "status", "--porcelain")];
  const released = git(root, "for-each-ref", "--format=%(objectname) %(*objectname)", `refs/tags/${tag}`).split(" ");
  const [head, of] = [git(root, "rev-parse", "HEAD"), released.at(-1) || released[0] || "nothing"];
  return [
    ...(changed === "" ? [] : [`the tree has changes that were not released:\n${changed}`]),
    ...(head === of ? [] : [`this is ${head}, and ${tag} is ${of}`]),
  ];
}

/** @returns every reason against making the release; none when it may be made. */
export function refusals(root: string, version: string): string[] {
  if (!RELEASE.test(version)) return [`${version} is no version: it has three numbers, such as 0.1.0`];
  const [released, changed] = [releases(root), git(root, "status", "--porcelain")];
  const last = released.at(-1);
  const older = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true }) < 0;
  return [
    ...(changed === "" ? [] : [`the tree has changes that are not committed:\n${changed}`]),
    ...(released.includes(version) ? [`the tag v${version} is there already`] : []),
    ...(last !== undefined && older(version, last) ? [`${version} is older than ${last}, which is released`] : []),
    ...(older(version, versionOf(root)) ? [`${version} is older than ${versionOf(root)} of package.json`] : []),
  ];
}
