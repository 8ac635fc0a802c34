/** The list beside every page of the site. */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { addressOf } from "./.vitepress/links.ts";
import { ENGLISH, PORTUGUESE } from "./.vitepress/pages.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

type Item = (typeof ENGLISH)[number];

/** The links of an item and of those below it. */
const linksOf = ({ link, items = [] }: Item): string[] => [
  ...(link === undefined ? [] : [link]),
  ...items.flatMap(linksOf),
];

test("Every document is in the list beside the site's pages, or in its folder's own list", () => {
  const listed = [...ENGLISH, ...PORTUGUESE].flatMap(linksOf);
  // An alert names its runbook, and the page of operating links them all.
  const pages = globSync(["README*.md", "docs/**/*.md"], { cwd: ROOT, exclude: ["docs/runbooks/**"] })
    .map((file) => addressOf(file.replaceAll("\\", "/")))
    .filter((address) => address !== null);
  assert.ok(pages.length > 40, `${pages.length} pages`);
  assert.deepEqual(listed.toSorted(), pages.toSorted());
});
