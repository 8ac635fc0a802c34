/** Every link between the documents leads to a file that is there, and to a heading of it. */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const FOLDERS =
  "{bench,clients,conformance,deploy,docs,embedded-postgres,examples,gateway,mcp,openapi,psp-simulator,sdk,site}";
/** Folders whose pages are others' or made: of packages, builds and tools. */
const NOT_OURS = /(?:^|\/)(?:node_modules|vendor|dist|build|site\/pages|\.(?!github\/)[^/]+)\//;
const PAGES = globSync(["*.md", ".github/**/*.md", `${FOLDERS}/**/*.md`], { cwd: ROOT })
  .filter((page) => !NOT_OURS.test(page))
  .sort();

/** What a reader sees as text: no code, whose brackets are no links. */
const proseOf = (text: string) => text.replace(/^ *```[\s\S]*?^ *```/gm, "").replace(/`[^`]*`/g, "");

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading] of text.replace(/^ *```[\s\S]*?^ *```/gm, "").matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const words = heading!.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = words.replace(/[^\p{L}\p{N}\p{M} _-]/gu, "").replaceAll(" ", "-");
    let unique = anchor;
    for (let n = 1; anchors.has(unique); n += 1) unique = `${anchor}-${n}`;
    anchors.add(unique);
  }
  return anchors;
}

/** What is wrong with the links of a page. */
function brokenLinks(page: string, text: string, read: (file: string) => string | null): string[] {
  const broken: string[] = [];
  for (const [, target] of proseOf(text).matchAll(/\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/g)) {
    if (/^[a-z][a-z+.-]*:/i.test(target!)) continue;
    const [path, anchor] = target!.split("#") as [string, string?];
    const file = path === "" ? page : normalize(join(dirname(page), decodeURIComponent(path)));
    const linked = file === page ? text : read(file);
    if (linked === null) broken.push(`${page}: ${target} is not there`);
    else if (anchor !== undefined && file.endsWith(".md") && !anchorsOf(linked).has(decodeURIComponent(anchor)))
      broken.push(`${page}: ${target} names no heading`);
  }
  return broken;
}

const readFile = (file: string): string | null => {
  const path = join(ROOT, file);
  if (file.startsWith("..") || !existsSync(path)) return null;
  return statSync(path).isFile() ? readFileSync(path, "utf8") : "";
};

describe("The links of the documents", () => {
  test("lead to files and headings that are there", () => {
    assert.ok(PAGES.length > 90, `${PAGES.length} pages`);
    assert.deepEqual(
      PAGES.flatMap((page) => brokenLinks(page, readFile(page)!, readFile)),
      [],
    );
  });

  test("are found where they are broken", () => {
    const files: Record<string, string> = { "docs/b.md": "# Início rápido: a `b`\n\n## Twice\n\n## Twice\n" };
    const broken = (text: string) => brokenLinks("docs/a.md", `# Here\n${text}`, (file) => files[file] ?? null).length;
    assert.equal(broken("[b](b.md#início-rápido-a-b) [b](b.md#twice-1) [me](#here) [web](https://x.example/#y)"), 0);
    assert.equal(broken("`[b](c.md)`\n```\n[b](c.md)\n```\n"), 0);
    assert.equal(broken("[b](c.md) [b](../b.md) [b](b.md#other) [me](#there) ![picture](b.png)"), 5);
  });
});
