/** Sheets that are loaded with their screens stay loaded on all others: no two of them style the same class. */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SRC = fileURLToPath(new URL("../src/", import.meta.url));

/** Folders whose sheets every screen loads; all others come with their screens, and stay. */
const EVERYWHERE = ["app", "parts"];
const folderIn = (path: string) => path.split("/")[0]!;

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
  const used = globSync("**/*.tsx", { cwd: SRC }).flatMap((path) =>
    [...readFileSync(SRC + path, "utf8").matchAll(/class[nN]ame[:=]\s*\{?["`]([^"`]+)["`]/g)].flatMap(([, names]) =>
      names!.split(/\s+/).map((name) => ({ path, name, sheet: sheets.get(`.${name}`)?.[0] })),
    ),
  );
  assert.ok(used.filter(({ sheet }) => sheet !== undefined).length > 300);
  assert.deepEqual(
    used.filter(
      ({ path, sheet }) =>
        sheet !== undefined && folderIn(sheet) !== folderIn(path) && !EVERYWHERE.includes(folderIn(sheet)),
    ),
    [],
  );
});

/** Sheets that a component of Mantine needs beside the one of its own name. */
const OVER = ["Overlay", "ModalBase", "ScrollArea", "Paper", "CloseButton"];
const ALSO: Readonly<Record<string, readonly string[]>> = {
  Modal: OVER,
  Drawer: OVER,
  NativeSelect: ["Combobox"],
};

test("a component of Mantine has its sheets, from its own file, from a part's that it imports, or from every screen's", () => {
  const MANTINE = "@mantine/core/styles/";
  const sheetsIn = (text: string) =>
    [...text.matchAll(/"@mantine\/core\/styles\/(\w+)\.css"/g)].map(([, name]) => name!);
  const everywhere = sheetsIn(readFileSync(`${SRC}app/mantine.ts`, "utf8"));
  const ofOver = sheetsIn(readFileSync(`${SRC}parts/over.ts`, "utf8"));
  const bare = globSync("**/*.{ts,tsx}", { cwd: SRC }).flatMap((path) => {
    const text = readFileSync(SRC + path, "utf8");
    const names = [...text.matchAll(/(?:im|ex)port \{([^}]*)\} from "@mantine\/core"/g)].map(([, of]) => of);
    const has = [...everywhere, ...sheetsIn(text), ...(/^import "\.[./a-z]*\/over\.ts"/m.test(text) ? ofOver : [])];
    return names
      .flatMap((of) => of!.split(","))
      .map((name) => name.trim())
      .flatMap((name) => [name, ...(ALSO[name] ?? [])])
      .filter((name) => /^[A-Z]/.test(name) && existsSync(fileURLToPath(import.meta.resolve(`${MANTINE}${name}.css`))))
      .filter((name) => !has.includes(name))
      .map((name) => `${path}: ${name}`);
  });
  assert.ok(everywhere.includes("Button"));
  assert.deepEqual(bare, []);
});

/**
 * By which one sheet may change what another one styles: a rule that begins with no class reaches every screen, one that names a
 * class of another screen's sheet depends on which was loaded first, and of two animations of a name the later one counts.
 */
function leaksOf(css: ReadonlyMap<string, string>): readonly string[] {
  const owners = new Map<string, Set<string>>();
  const own = (name: string, path: string) => owners.set(name, (owners.get(name) ?? new Set()).add(path));
  const selectors = [...css].flatMap(([path, text]) =>
    [...text.replaceAll(/\/\*[\s\S]*?\*\//g, "").matchAll(/([^{};]+)\{/g)].flatMap(([, list]) => {
      const animation = /@keyframes\s+([\w-]+)/.exec(list!)?.[1];
      if (animation !== undefined) own(`@keyframes ${animation}`, path);
      // What stands in an animation, and the conditions of rules, select nothing.
      return /@|^\s*(from|to|[\d.]+%)/.test(list!)
        ? []
        : list!.split(/,(?![^(]*\))/).map((one) => ({ path, one: one.trim() }));
    }),
  );
  // A page that has an element of the class, such as what is printed, is changed only while that is shown.
  const first = (selector: string) => /^(?:(?::root|body):has\((?:> )?|[a-z]*)(\.[\w-]+)/.exec(selector)?.[1];
  for (const { path, one } of selectors) {
    const name = first(one);
    if (name !== undefined) own(name, path);
  }
  const twice = [...owners]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `${name}: ${[...paths].join()}`);
  const reaching = selectors
    .filter(({ path }) => !EVERYWHERE.includes(folderIn(path)))
    .filter(({ path, one }) => {
      if (first(one) === undefined) return true;
      const others = (one.match(/\.[a-zA-Z][\w-]*/g) ?? []).flatMap((name) => [...(owners.get(name) ?? [])]);
      return others.some((other) => folderIn(other) !== folderIn(path) && !EVERYWHERE.includes(folderIn(other)));
    });
  return [...twice, ...reaching.map(({ path, one }) => `${path}: ${one}`)];
}

test("no sheet that comes with a screen reaches another screen, whichever were opened before it", () => {
  const css = new Map(globSync("**/*.css", { cwd: SRC }).map((path) => [path, readFileSync(SRC + path, "utf8")]));
  assert.deepEqual(leaksOf(css), []);
  // Each of these would look different after another screen was opened.
  const home = ["home/hours.css", ".hours { color: red } .hours .table td { margin: 0 }"] as const;
  for (const [path, text, leak] of [
    ["team/team.css", ".hours { color: blue }", ".hours: home/hours.css,team/team.css"],
    ["team/team.css", "@media print { a.hours:hover, .team { color: blue } }", ".hours: home/hours.css,team/team.css"],
    ["team/team.css", "main .team { color: blue }", "team/team.css: main .team"],
    ["team/team.css", ":root { --line: blue }", "team/team.css: :root"],
    ["team/team.css", ".team > .hours { color: blue }", "team/team.css: .team > .hours"],
  ] as const) {
    assert.ok(leaksOf(new Map([home, [path, text]])).includes(leak), text);
  }
  const turning = (name: string) =>
    `.${name} { animation: turn 1s } @keyframes turn { from { opacity: 0 } 50% { opacity: 1 } }`;
  const two = new Map([["home/a.css", turning("a")], ["team/b.css", turning("b")]]); // biome-ignore format: one line
  assert.deepEqual(leaksOf(two), ["@keyframes turn: home/a.css,team/b.css"]);
  assert.deepEqual(leaksOf(new Map([home, ["parts/parts.css", ".table { color: red } body { margin: 0 }"]])), []);
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
