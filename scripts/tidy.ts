/**
 * Our style as a test: what a linter does not know. Every rule is data and a small function, every message names what to
 * do instead, and every exception must still be needed. Run by `npm run check`.
 */

import { readdirSync, readFileSync } from "node:fs";
import { imports } from "./tidy/imports.ts";
import { patterns } from "./tidy/patterns.ts";
import { isTest, isTypeScript, type Problem, type SourceFile } from "./tidy/source.ts";
import { migrationNames, sqlKeys, sqlWords } from "./tidy/sql.ts";

/** Problems that are known and stay, each for a reason. */
export type Exception = {
  readonly rule: string;
  readonly path: string;
  readonly reason: string;
  /** For the rule "length": how long the file may be. */
  readonly maxLines?: number;
};

const EXCEPTIONS: readonly Exception[] = [
  { rule: "seams", path: "gateway/src/db/batch.ts", reason: "the pause before a lost connection is tried again" },
  { rule: "seams", path: "gateway/src/db/embedded.ts", reason: "waits for PostgreSQL, which lives in real time" },
  { rule: "seams", path: "gateway/src/db/embedded/cluster.ts", reason: "compares with the times of files" },
  { rule: "seams", path: "gateway/src/http/idempotency.ts", reason: "a call that waits for the first with its key" },
  {
    rule: "seams",
    path: "gateway/src/sandbox/simulator.ts",
    reason: "the pause before a dead simulator is started again",
  },
  {
    rule: "seams",
    path: "gateway/src/serve.ts",
    reason: "the bounds of a stop, and the pause before PostgreSQL is tried again",
  },
];

/** Paths are from the repository's root, with forward slashes. An exception that hides nothing is itself a problem. */
export function tidy(files: readonly SourceFile[], exceptions: readonly Exception[] = []): Problem[] {
  const used = new Set<Exception>();
  const problems = RULES.flatMap((rule) => rule(files)).filter((problem) => {
    const exception = exceptions.find(({ rule, path }) => rule === problem.rule && path === problem.path);
    if (exception === undefined) return true;
    used.add(exception);
    return problem.lines !== undefined && problem.lines > (exception.maxLines ?? 0);
  });
  for (const exception of exceptions) {
    if (used.has(exception)) continue;
    const message = "has an exception that is no longer needed: remove it from scripts/tidy.ts";
    problems.push({ rule: exception.rule, path: exception.path, line: null, message });
  }
  return problems;
}

const EMPTY_NAMES = /^(services?|utils?|utilit(y|ies)|helpers?|common|managers?|misc|shared)$/;

function fileNames(files: readonly SourceFile[]): Problem[] {
  return files.filter(isTypeScript).flatMap(({ path }) => {
    const words = path.replace(/\.(test\.)?ts$/, "").split(/[/.-]/);
    const word = words.find((w) => EMPTY_NAMES.test(w));
    if (word === undefined) return [];
    const message = `"${word}" says nothing and attracts everything: name the noun (folder) or the verb (file)`;
    return [{ rule: "names", path, line: null, message }];
  });
}

/** Most lines of a file. A test is a list of cases, so it may be longer. */
const MAX_LINES = 400;
const MAX_TEST_LINES = 800;

function lengths(files: readonly SourceFile[]): Problem[] {
  return files.filter(isTypeScript).flatMap(({ path, text }) => {
    const lines = text.split("\n").length - 1;
    const limit = isTest(path) ? MAX_TEST_LINES : MAX_LINES;
    if (lines <= limit) return [];
    return [
      { rule: "length", path, line: null, message: `has ${lines} lines, over ${limit}: split it by verb`, lines },
    ];
  });
}

const RULES: readonly ((files: readonly SourceFile[]) => Problem[])[] = [
  imports,
  patterns,
  fileNames,
  lengths,
  migrationNames,
  sqlWords,
  sqlKeys,
];

/** Folders that are not ours to judge. */
const SKIPPED = new Set(["node_modules", ".git", ".pixgate", "coverage", "dist"]);

function readTree(root: URL, folder = ""): SourceFile[] {
  return readdirSync(new URL(folder, root), { withFileTypes: true }).flatMap((entry) => {
    const path = folder + entry.name;
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : readTree(root, `${path}/`);
    if (!/\.(ts|sql|md|yml|yaml|sh)$/.test(entry.name)) return [];
    return [{ path, text: readFileSync(new URL(path, root), "utf8") }];
  });
}

if (import.meta.main) {
  const files = readTree(new URL("../", import.meta.url));
  const problems = tidy(files, EXCEPTIONS);
  for (const { rule, path, line, message } of problems) {
    console.log(`${path}${line === null ? "" : `:${line}`} [${rule}] ${message}`);
  }
  if (problems.length === 0) console.log(`${files.length} files are tidy`);
  else process.exitCode = 1;
}
