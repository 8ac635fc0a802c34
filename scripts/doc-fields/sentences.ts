/** The sentences of the documents that say something about a field of the API. */

import { globSync, readFileSync } from "node:fs";

/**
 * Which test holds what a page says about a field: test file → test → sentences, as they stand on their page. Who writes such a
 * sentence, or changes one, names its test in held/, and checks that the test would fail if the sentence were wrong.
 */
export type Held = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
type Sentence = { readonly page: string; readonly text: string };

/** Pages for people who call the API: there every name in backticks that a field has is that field. */
const FOR_INTEGRATORS = ["README.md", "sdk/README.md", "examples/**/*.md", "docs/webhooks.md", "docs/guides/*.md"];

/**
 * Written by scripts from what runs, history, or (metrics, personal data) tables of other names that tests of their own hold.
 */
const LEFT_OUT = [
  "docs/{api-changes,banks,cli,dependencies,interface,metrics,personal-data,states}.md",
  "docs/{decisions,performance}/**",
  "**/node_modules/**",
];

/**
 * Elsewhere in docs/ a short name is mostly something else: a ledger account (`available`), a column, a command. Only one with
 * a capital inside (`netAmount`) counts there, and those of `ALWAYS`.
 */
const IS_COMPOUND = /[a-z][A-Z]/;
/** Short names that mean the field on every page. */
const ALWAYS = new Set(["metadata", "positions", "remainder", "split", "total"]);

/** Every name that a property or a query parameter of a document has. */
export function fieldNames(document: unknown, names: Set<string> = new Set()): Set<string> {
  if (typeof document !== "object" || document === null) return names;
  const { properties, in: where, name } = document as { properties?: object; in?: unknown; name?: unknown };
  for (const field of Object.keys(properties ?? {})) names.add(field);
  if (where === "query" && typeof name === "string") names.add(name);
  for (const value of Object.values(document)) fieldNames(value, names);
  return names;
}

/** What a person wrote on a page: without generated tables, examples and other code. */
function handwritten(page: string): string {
  return page
    .replace(/<!-- fields: [\w ]+ -->[\s\S]*?<!-- \/fields -->/g, "")
    .replace(/^```[\s\S]*?^```$/gm, "")
    .replace(/<!--[\s\S]*?-->/g, "");
}

/** Sentences of a page; a row of a table is one, and so is what stands before a colon that ends a paragraph. */
function sentencesOf(page: string): string[] {
  return handwritten(page)
    .replace(/^> /gm, "")
    .split(/\n\s*\n|\n(?= *(?:[-*]|\d+\.) )|\n(?= *\|)/)
    .flatMap((block) => {
      const text = block
        .replace(/^\s*(?:[-*]|\d+\.) /, "")
        .replace(/\s+/g, " ")
        .trim();
      return text.startsWith("|") ? [text] : text.split(/(?<=[.?!]\)?(?:\*\*)?) (?=["`*[(]*[A-ZÀ-Ú`])/);
    });
}

/**
 * Whether a code span such as `amount`, `balance.lastLine`, `dryRun: true`, `{ "status": "suspended" }` or `/returns?status=failed`
 * names one of the fields.
 */
function namesField(span: string, fields: ReadonlySet<string>, isForIntegrators: boolean): boolean {
  const [, path] = /^"?([A-Za-z][\w.]*)"?(?::.*)?$/.exec(span) ?? [];
  const inside = span.matchAll(/"(\w+)":|[?&](\w+)=/g);
  return [path, ...[...inside].map(([, key, parameter]) => key ?? parameter)].some((name) => {
    const names = name?.split(".") ?? [];
    return (
      names.length > 0 &&
      names.every((one) => fields.has(one)) &&
      (isForIntegrators || names.some((one) => IS_COMPOUND.test(one) || ALWAYS.has(one)))
    );
  });
}

/** Hand-written sentences of a page that name a field. */
export function sentencesAbout(fields: ReadonlySet<string>, page: string, isForIntegrators: boolean): string[] {
  return sentencesOf(page).filter((text) =>
    [...text.matchAll(/`([^`]+)`/g)].some(([, span = ""]) => namesField(span, fields, isForIntegrators)),
  );
}

/** The same of every page. */
export function fieldSentences(root: string, fields: ReadonlySet<string>): Sentence[] {
  const integrators = new Set(globSync(FOR_INTEGRATORS, { cwd: root, exclude: LEFT_OUT }));
  const pages = new Set([...integrators, ...globSync("docs/**/*.md", { cwd: root, exclude: LEFT_OUT })]);
  return [...pages].sort().flatMap((page) => {
    const written = readFileSync(root + page, "utf8");
    return sentencesAbout(fields, written, integrators.has(page)).map((text) => ({ page, text }));
  });
}

/** Titles of the tests of a file, as they stand there. A test that is skipped or to be written holds nothing. */
export function testTitles(source: string): Set<string> {
  const titles = source.matchAll(/\btest\(\s*(["'`])((?:\\.|(?!\1).)*)\1/g);
  return new Set([...titles].map(([, , title = ""]) => title));
}
