/**
 * Our style rules that no linter has. A rule is data and a small function, its message names what to do instead, and an
 * exception that is no longer needed is a problem too. Run by `npm run check`.
 */

import "./help.ts";
import { readdirSync, readFileSync } from "node:fs";
import { RELEASED_LIST } from "./release/migrations.ts";
import { bankNames } from "./tidy/banks.ts";
import { circles } from "./tidy/circles.ts";
import { EXCEPTIONS, type Exception } from "./tidy/exceptions.ts";
import { unusedExports } from "./tidy/exports.ts";
import { functionLengths } from "./tidy/functions.ts";
import { countRooms, imports } from "./tidy/imports.ts";
import { patterns } from "./tidy/patterns.ts";
import { rows, undescribedTables } from "./tidy/rows.ts";
import { correlatedArrays, foreignKeys, locks, planModes, sharedTables } from "./tidy/sharding.ts";
import { isTest, isTypeScript, type Problem, type SourceFile } from "./tidy/source.ts";
import { migrationNames, releasedMigrations, sqlKeys, sqlWords } from "./tidy/sql.ts";

/**
 * Paths are from the repository's root, with forward slashes.
 *
 * @returns the problems that no exception covers, and the exceptions that cover nothing: those must go.
 */
export function tidy(files: readonly SourceFile[], exceptions: readonly Exception[] = []): Problem[] {
  const used = new Map<Exception, number>();
  const problems = RULES.flatMap((rule) => rule(files)).filter((problem) => {
    const exception = exceptions.find((one) => covers(one, problem));
    if (exception === undefined) return true;
    const count = (used.get(exception) ?? 0) + 1;
    used.set(exception, count);
    if (exception.maxProblems !== undefined) return count > exception.maxProblems;
    return problem.lines !== undefined && problem.lines > (exception.maxLines ?? 0);
  });
  for (const exception of exceptions) {
    if (used.has(exception)) continue;
    const message = "has an exception that is no longer needed: remove it from scripts/tidy/exceptions.ts";
    problems.push({ rule: exception.rule, path: exception.path, line: null, message });
  }
  return problems;
}

const covers = ({ rule, path, name }: Exception, problem: Problem): boolean =>
  rule === problem.rule &&
  (path.endsWith("/") ? problem.path.startsWith(path) : path === problem.path) &&
  (name === undefined || name === problem.name);

const EMPTY_NAMES = /^(services?|utils?|utilit(y|ies)|helpers?|common|managers?|misc|shared)$/;

function fileNames(files: readonly SourceFile[]): Problem[] {
  return files.filter(isTypeScript).flatMap(({ path }) => {
    const words = path.replace(/\.(test\.)?tsx?$/, "").split(/[/.-]/);
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
  circles,
  patterns,
  bankNames,
  fileNames,
  lengths,
  functionLengths,
  unusedExports,
  migrationNames,
  releasedMigrations,
  sqlWords,
  sqlKeys,
  rows,
  undescribedTables,
  foreignKeys,
  correlatedArrays,
  locks,
  planModes,
  sharedTables,
];

/** Folders without our own sources. */
const SKIPPED = new Set(["node_modules", ".git", ".pixgate", "coverage", "dist"]);
/** Written by scripts/sdk.ts, which the check compares with its sources. */
const GENERATED = "sdk/src/generated/";

function readTree(root: URL, folder = ""): SourceFile[] {
  return readdirSync(new URL(folder, root), { withFileTypes: true }).flatMap((entry) => {
    const path = folder + entry.name;
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : readTree(root, `${path}/`);
    if (path.startsWith(GENERATED) || !(path === RELEASED_LIST || /\.(tsx?|sql|md|yml|yaml|sh)$/.test(entry.name)))
      return [];
    return [{ path, text: readFileSync(new URL(path, root), "utf8") }];
  });
}

if (import.meta.main) {
  const files = readTree(new URL("../", import.meta.url));
  const problems = tidy(files, EXCEPTIONS);
  for (const { rule, path, line, message } of problems) {
    console.log(`${path}${line === null ? "" : `:${line}`} [${rule}] ${message}`);
  }
  const { rooms, arrows } = countRooms(files);
  if (problems.length === 0)
    console.log(
      `${files.length} files are tidy; gateway/src: ${rooms} rooms, ${arrows} arrows of imports between them`,
    );
  else process.exitCode = 1;
}
