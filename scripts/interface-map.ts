/**
 * Writes `docs/interface.md`: every rule of the service interface (gateway/test/contract/rules.ts) with the tests that
 * list it in their option `rules`. `node scripts/interface-map.ts`; with `--check` it writes nothing. Fails when a rule
 * has no test, a test lists a rule that does not exist, this script cannot read a list, or `NOT_YET` has a rule with a
 * test.
 */

import "./help.ts";
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { idsOf, NOT_YET, RULES, SECTIONS } from "../gateway/test/contract/rules.ts";
import { writeGenerated } from "./generated-file.ts";

type Proof = {
  readonly file: string;
  readonly line: number;
  readonly title: string;
  readonly names: readonly string[];
};

const root = fileURLToPath(new URL("../", import.meta.url));
/**
 * A test with `rules` as its first option, in Biome's layout. A skipped or unwritten test (`test.skip`, `test.todo`)
 * proves nothing and does not match.
 */
const TEST = /^ *test\(\s*(["'`])((?:\\.|(?!\1).)*)\1,\s*\{\s*rules: \[([^\]]*)\]/gm;
const LIST = /\brules: \["/g;

/** The tests of a file that list rules. A placeholder in a title, as for the cases of a loop, is shown as `…`. */
function proofsOf(file: string): Proof[] {
  const text = readFileSync(`${root}${file}`, "utf8");
  const proofs = [...text.matchAll(TEST)].map(({ index, 2: written = "", 3: list = "" }) => {
    const title = written.replace(/\$\{[^}]*\}/g, "…").replace(/\\(.)/g, "$1");
    const line = text.slice(0, index).split("\n").length;
    return { file, line, title, names: [...list.matchAll(/"([^"]+)"/g)].map(([, name]) => name!) };
  });
  const lists = [...text.replaceAll(/\s+/g, " ").replaceAll("[ ", "[").matchAll(LIST)].length;
  if (lists !== proofs.length)
    problems.push(`${file}: ${lists - proofs.length} lists of rules are not the first option of a test`);
  return proofs;
}

const problems: string[] = [];
const files = globSync(["gateway/{src,test}/**/*.test.ts", "psp-simulator/**/*.test.ts"], {
  cwd: root,
  exclude: ["**/node_modules/**"],
});
const proofs = files.sort().flatMap(proofsOf);
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
  "Every rule, field and limit of the service interface, and the tests that prove it: a test lists its rules in its option `rules`.",
  "`node scripts/interface-map.ts` writes this page, `npm run check` fails when a rule has no test. A test is run alone with",
  "`node scripts/test.ts contract --test-name-pattern='words of its title'`.",
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

writeGenerated("docs/interface.md", document, "the rules and their tests", "node scripts/interface-map.ts");
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
