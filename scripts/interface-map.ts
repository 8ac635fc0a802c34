/**
 * Writes `docs/interface.md`: every rule of the service interface (gateway/test/contract/rules.ts) with the tests that
 * name it in their titles. `node scripts/interface-map.ts`; with `--check` it writes nothing. Fails when a rule has no
 * test, a test names a rule that does not exist, or `NOT_YET` holds what is proven.
 */

import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { idsOf, NOT_YET, RULES, SECTIONS } from "../gateway/test/contract/rules.ts";

type Proof = {
  readonly file: string;
  readonly line: number;
  readonly title: string;
  readonly names: readonly string[];
};

const root = fileURLToPath(new URL("../", import.meta.url));
/** At the end of a title: names of rules, which always have a dot. */
const NAMES = / \[([a-z0-9-]+\.[\w.*-]+(?:, [a-z0-9-]+\.[\w.*-]+)*)\]$/;

/** As biome lays tests out. A test that is skipped or to be written (`test.skip`, `test.todo`) proves nothing. */
const TEST = /^ *test\(\s*(["'`])((?:\\.|(?!\1).)*)\1,/gm;

/** The tests of a file that name rules. What a title puts in for each case of a loop is shown as `…`. */
function proofsOf(file: string): Proof[] {
  const text = readFileSync(`${root}${file}`, "utf8");
  return [...text.matchAll(TEST)].flatMap(({ index, 2: written = "" }) => {
    const title = written.replace(/\$\{[^}]*\}/g, "…").replace(/\\(.)/g, "$1");
    const match = NAMES.exec(title);
    const line = text.slice(0, index).split("\n").length;
    return match ? [{ file, line, title: title.slice(0, match.index), names: match[1]!.split(", ") }] : [];
  });
}

const files = globSync(["gateway/{src,test}/**/*.test.ts", "psp-simulator/**/*.test.ts"], {
  cwd: root,
  exclude: ["**/node_modules/**"],
});
const proofs = files.sort().flatMap(proofsOf);
const problems: string[] = [];
const provenBy = new Map<string, Proof[]>();
for (const proof of proofs) {
  for (const name of proof.names) {
    const ids = idsOf(name);
    if (ids.length === 0) problems.push(`${proof.file}:${proof.line} names the rule ${name}, which does not exist`);
    for (const id of ids) provenBy.set(id, [...(provenBy.get(id) ?? []), proof]);
  }
}
const waiting = new Set(NOT_YET.flatMap(idsOf));
for (const name of NOT_YET) {
  if (idsOf(name).every((id) => provenBy.has(id))) problems.push(`NOT_YET has ${name}, which is proven: remove it`);
}
for (const id of RULES.keys()) {
  if (!provenBy.has(id) && !waiting.has(id)) problems.push(`the rule ${id} has no test: ${RULES.get(id)}`);
}

const document = `${[
  "# The interface, line by line",
  "",
  "Every rule, field and limit of the service interface, and the tests that prove it. `node scripts/interface-map.ts` writes this",
  "page, `npm test` fails when a rule has no test. A test is run alone with",
  "`node scripts/test.ts contract --test-name-pattern='charge\\.amount'`.",
  ...SECTIONS.flatMap(({ title, rules }) => [
    "",
    `## ${title}`,
    "",
    "| rule | what it says | proven by |",
    "|---|---|---|",
    ...Object.entries(rules).map(([id, says]) => `| \`${id}\` | ${cell(says)} | ${provers(id)} |`),
  ]),
].join("\n")}\n`;

function provers(id: string): string {
  const list = provenBy.get(id);
  if (list === undefined) return "not yet";
  return list
    .map(({ file, title }) => `[${file.split("/").at(-1)!.replace(".test.ts", "")}](../${file}): ${cell(title)}`)
    .join("<br>");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}

const page = new URL("../docs/interface.md", import.meta.url);
const before = existsSync(page) ? readFileSync(page, "utf8") : "";
if (!process.argv.includes("--check")) writeFileSync(page, document);
else if (before !== document)
  problems.push("docs/interface.md is not what the tests say: node scripts/interface-map.ts writes it");
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
