/** Cuts the changelog at a release. */

const UNRELEASED = "## Unreleased\n";
/** A sentence of the changelog that is true until the first release. */
const BEFORE_THE_FIRST = / Nothing is released yet: a database made by an earlier commit cannot be\nupgraded\./;
const SINCE_THE_FIRST =
  " How to upgrade: docs/operating.md, *Upgrade*.\nWhat may change in which version: docs/compatibility.md.";

/**
 * Gives the unreleased part its version, and adds an empty heading for the next one.
 *
 * @param day of the release, 2026-11-28
 * @returns the new text, and the version's part alone, without its heading
 * @throws Error when nothing is unreleased
 */
export function cutChangelog(text: string, version: string, day: string): { text: string; notes: string } {
  const start = text.indexOf(UNRELEASED);
  if (start < 0) throw new Error("CHANGELOG.md has no heading Unreleased");
  const rest = text.slice(start + UNRELEASED.length);
  const next = /^## /m.exec(rest)?.index ?? rest.length;
  const notes = rest.slice(0, next).trim();
  if (notes === "") throw new Error("CHANGELOG.md has nothing below Unreleased: there is nothing to release");
  const head = text.slice(0, start).replace(BEFORE_THE_FIRST, SINCE_THE_FIRST);
  const cut = `${head}${UNRELEASED}\n## ${version} (${day})\n\n${notes}\n\n${rest.slice(next)}`;
  return { text: `${cut.trimEnd()}\n`, notes };
}
