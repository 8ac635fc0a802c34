/** Sheets that are loaded with their screens stay loaded on all others: no two of them style the same class. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SRC = fileURLToPath(new URL("../src/", import.meta.url));

/** The class that each rule of a sheet begins with. A rule that begins with none is of an element or of the page. */
function classesOf(css: string): ReadonlySet<string> {
  const rules = css.replaceAll(/\/\*[\s\S]*?\*\//g, "").matchAll(/([^{};]+)\{/g);
  const selectors = [...rules].flatMap(([, list]) => list!.split(",").map((selector) => selector.trim()));
  return new Set(selectors.flatMap((selector) => /^[a-z]*(\.[\w-]+)/.exec(selector)?.[1] ?? []));
}

const sheets = new Map<string, string[]>();
for (const path of globSync("**/*.css", { cwd: SRC }).sort()) {
  for (const name of classesOf(readFileSync(SRC + path, "utf8"))) sheets.set(name, [...(sheets.get(name) ?? []), path]);
}
/** All that the sheets name, at the beginning of a rule or further on. */
const ANYWHERE = globSync("**/*.css", { cwd: SRC })
  .map((path) => readFileSync(SRC + path, "utf8").replaceAll(/\/\*[\s\S]*?\*\//g, ""))
  .join("\n")
  .match(/\.[a-zA-Z][\w-]*/g)!;

test("a class is styled by one sheet, so that a screen looks the same whichever were opened before it", () => {
  assert.ok(sheets.size > 100);
  assert.deepEqual(
    [...sheets].filter(([, paths]) => paths.length > 1),
    [],
  );
});

test("a component has its classes from its own folder, or from what every screen loads", () => {
  const folderOf = (path: string) => path.split("/")[0]!;
  const everywhere = ["app", "parts"];
  const used = globSync("**/*.tsx", { cwd: SRC }).flatMap((path) =>
    [...readFileSync(SRC + path, "utf8").matchAll(/class[nN]ame[:=]\s*\{?["`]([^"`]+)["`]/g)].flatMap(([, names]) =>
      names!.split(/\s+/).map((name) => ({ path, name, sheet: sheets.get(`.${name}`)?.[0] })),
    ),
  );
  assert.ok(used.filter(({ sheet }) => sheet !== undefined).length > 300);
  assert.deepEqual(
    used.filter(
      ({ path, sheet }) =>
        sheet !== undefined && folderOf(sheet) !== folderOf(path) && !everywhere.includes(folderOf(sheet)),
    ),
    [],
  );
});

/** What stands between the braces after `style=`. */
function inlineStylesOf(source: string): readonly string[] {
  return [...source.matchAll(/\bstyle=\{/g)].map(({ index, 0: { length } }) => {
    const from = index + length;
    let [at, depth] = [from, 1];
    for (; depth > 0 && at < source.length; at += 1) depth += source[at] === "{" ? 1 : source[at] === "}" ? -1 : 0;
    return source.slice(from, at - 1);
  });
}

test("a component gives a style inline only where its value is computed; what is fixed stands in a sheet", () => {
  const inline = globSync("**/*.tsx", { cwd: SRC }).flatMap((path) =>
    inlineStylesOf(readFileSync(SRC + path, "utf8")).map((style) => ({ path, style })),
  );
  const isFixed = (style: string) => /\w: ("[^"]*"|-?[\d.]+)\s*(,|\}|$)/.test(style);
  assert.ok(isFixed("{ margin: 0 }") && isFixed('{ height, color: "red" }') && !isFixed("{ width: `${part}%` }"));
  assert.ok(inline.some(({ style }) => style.includes("width")));
  assert.deepEqual(
    inline.filter(({ style }) => isFixed(style)),
    [],
  );
});

/** By which tests find a list. */
const HANDLES = [".rows"];

test("every class that a component names is styled, so that a misspelt or a forgotten one is noticed", () => {
  const unstyled = globSync("**/*.tsx", { cwd: SRC }).flatMap((path) =>
    [...readFileSync(SRC + path, "utf8").matchAll(/\bclassName="([^"]+)"/g)].flatMap(([, names]) =>
      names!
        .split(/\s+/)
        .filter((name) => ![...ANYWHERE, ...HANDLES].includes(`.${name}`))
        .map((name) => `${path}: ${name}`),
    ),
  );
  assert.deepEqual(unstyled, []);
});
