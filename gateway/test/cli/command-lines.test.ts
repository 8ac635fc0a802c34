/** Every command line of the documents and runbooks is one that the command itself understands. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Command, Option } from "commander";
import { createProgram } from "../../src/cli/program.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
/** Written from the commands' own help; decisions tell of what was. */
const NOT_READ = /^docs\/(cli\.md|decisions\/)|node_modules|CHANGELOG/;
const PAGES = globSync(
  ["*.md", "docs/**/*.md", "{mcp,sdk,examples,psp-simulator,embedded-postgres}/**/*.md", "gateway/src/**/*.md"],
  {
    cwd: ROOT,
  },
)
  .filter((page) => !NOT_READ.test(page))
  .sort();
/** Stands in documents for a value that the reader knows. */
const ANY = "…";

/** The command lines of a page: of its code blocks, and of code in its sentences. */
function linesOf(text: string): string[] {
  const blocks = [...text.matchAll(/^ *```.*\n([\s\S]*?)^ *```/gm)].map(([, block]) => block!);
  const prose = text.replace(/^ *```[\s\S]*?^ *```/gm, "");
  const spans = [...prose.matchAll(/`([^`]+)`/g)].map(([, span]) => span!.replace(/\s+/g, " "));
  const lines = blocks.flatMap((block) => block.replace(/\\\n\s*/g, " ").split("\n"));
  const container = /docker compose run --rm (?:worker|migrate) /;
  return [...lines, ...spans].flatMap((line) =>
    [...line.replace(container, "pixgate ").matchAll(/(?:^|[(`]|npx |[A-Z]=\S+ )pixgate +([a-z-].*)/g)].map(
      ([, words]) => words!,
    ),
  );
}

/** The words of a shell's line, up to where another command, a comment or a file begins. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const [, single, double, bare] of line.matchAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|([^\s'"]+)/g)) {
    if (bare !== undefined && /^(?:[|>#;]|&&)/.test(bare)) break;
    const ends = bare !== undefined && /[;)]$/.test(bare);
    words.push(single ?? double ?? bare!.replace(/[;)]+$/, ""));
    if (ends) break;
  }
  return words;
}

/** The program, whose commands do nothing, and whose options take the placeholder for any value. */
function makeProgram(): Command {
  const parser = createProgram(() => Promise.reject(new Error("nothing runs")));
  const quiet = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
    for (const option of command.options) {
      const { parseArg } = option;
      if (parseArg !== undefined) option.argParser((text, before) => (text === ANY ? text : parseArg(text, before)));
    }
    if (command.commands.length === 0) command.action(() => assertNeeded(command));
    for (const one of command.commands) quiet(one);
  };
  quiet(parser);
  // `run` adds these two when they are used.
  for (const name of ["completion", "complete"]) {
    parser
      .command(name)
      .argument("[shell]")
      .action(() => {});
  }
  return parser;
}

const program = makeProgram();

function assertNeeded(command: Command): void {
  const given = command.opts<Record<string, unknown>>();
  if (given.data !== undefined || given.onThisMachine === true) return;
  const missing = command.options.filter(
    (option: Option) => option.description.endsWith("; required") && given[option.attributeName()] === undefined,
  );
  assert.deepEqual(
    missing.map(({ long }) => long),
    [],
    "options that are needed",
  );
}

/** Whether it only names a command, such as `pixgate case propose`. */
function isName(words: readonly string[]): boolean {
  let at: Command | undefined = program;
  for (const word of words) at = at?.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
  return at !== undefined;
}

describe("Every command line of the documents", () => {
  for (const page of PAGES) {
    const lines = linesOf(readFileSync(join(ROOT, page), "utf8"));
    if (lines.length === 0) continue;
    test(`${page}: ${lines.length} lines parse`, async () => {
      for (const line of lines) {
        // `pixgate treasury record …` leaves out what the page says elsewhere.
        const words = wordsOf(line);
        if (words.at(-1) === ANY && !words.at(-2)?.startsWith("--")) words.pop();
        if (isName(words) || words[0] === "help") continue;
        await assert.doesNotReject(program.parseAsync(words, { from: "user" }), `pixgate ${line}`);
      }
    });
  }

  test("are found: a wrong one would be", async () => {
    const wrong = [
      "audit-log --nonsense x",
      "case show",
      "brake set --scope everything --paused true --reason x",
      "burn",
    ];
    for (const line of wrong) await assert.rejects(program.parseAsync(wordsOf(line), { from: "user" }), line);
    await assert.rejects(program.parseAsync(wordsOf("account adjust ID --amount 1"), { from: "user" }), /needed/);
    const text = "Run `npx pixgate case\nshow ID`.\n```\nA=1 npx pixgate verify | head # now\n```\n";
    assert.deepEqual(linesOf(text).map(wordsOf), [["verify"], ["case", "show", "ID"]]);
    assert.ok(PAGES.length > 30);
  });
});
