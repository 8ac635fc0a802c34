/** Forbidden patterns, and the files in which they are forbidden. */

import {
  isBehindSeams,
  isTest,
  isTypeScript,
  lineAt,
  type Problem,
  type SourceFile,
  withoutComments,
} from "./source.ts";

/** `new Promise((resolve) => setTimeout(resolve, …))`, and node:timers/promises. */
const SLEEP =
  /new Promise(?:<[^>]*>)?\(\s*\(?(\w+)[^)=]*\)?\s*=>\s*\{?[^;{}]*?setTimeout\(\s*(?:\(\)\s*=>\s*)?\1\b|["'](?:node:)?timers\/promises["']/g;

type Pattern = {
  readonly rule: string;
  readonly pattern: RegExp;
  readonly message: string;
  /** Files that it checks. */
  readonly where: (path: string) => boolean;
  /** Whether comments count. */
  readonly comments?: boolean;
};

/** Tests wait for conditions only by the harness's `eventually`, which has a limit. */
const testMustNotSleep = (path: string): boolean =>
  path.endsWith(".test.ts") ||
  (/^(?:gateway\/test|stress)\//.test(path) && !path.startsWith("gateway/test/harness/") && isTypeScript({ path }));
/** Everything writes to the log except programs that a person runs, which print. */
const mustLog = (path: string): boolean =>
  /^(embedded-postgres\/src|gateway|psp-simulator|stress)\//.test(path) &&
  isTypeScript({ path }) &&
  !/(^|\/)(main|cli)\.ts$|\/cli\//.test(path);

const isProgram = (path: string): boolean => path.startsWith("gateway/src/") && isTypeScript({ path }) && !isTest(path);

/** Only http/route.ts adds routes to the server; the command line calls them. */
const addsNoRoutes = (path: string): boolean =>
  isProgram(path) && path !== "gateway/src/http/route.ts" && !path.startsWith("gateway/src/cli/");

const PATTERNS: readonly Pattern[] = [
  {
    rule: "seams",
    pattern: /\bDate\.now\(|\bnew Date\(\s*\)/g,
    message: "reads the clock: use ctx.clock, so that tests can move time",
    where: isBehindSeams,
  },
  {
    rule: "seams",
    pattern: /\bMath\.random\(/g,
    message: "makes its own chance: use ctx.random or ctx.ids, so that tests can repeat it",
    where: isBehindSeams,
  },
  {
    rule: "seams",
    pattern: /(?<![\w.])(?:globalThis\.)?fetch\(/g,
    message: "calls the global fetch: use psp/outbound.ts, which checks addresses and has limits",
    where: isBehindSeams,
  },
  {
    rule: "seams",
    pattern: SLEEP,
    message: "sleeps: write the time it is due into a row and let a loop of program/worker.ts find it",
    where: isBehindSeams,
  },
  {
    rule: "test sleeps",
    pattern: SLEEP,
    message: "sleeps in a test: wait for what you mean with the harness's `eventually`, or move the clock",
    where: testMustNotSleep,
  },
  {
    rule: "console",
    pattern: /\bconsole\.\w+\(/g,
    message: "prints: use ctx.log; only main.ts, a cli and scripts speak to a terminal",
    where: mustLog,
  },
  {
    rule: "keys",
    pattern: /\bidempotency_keys\b/g,
    message: "names the table of Idempotency-Keys: http/idempotency.ts owns it, call its functions",
    where: (path) =>
      isProgram(path) && path !== "gateway/src/http/idempotency.ts" && path !== "gateway/src/db/rights.ts",
  },
  {
    rule: "routes",
    pattern: /\bapp\.route\(|\.(?:get|post|put|patch|delete|all)\(\s*["'`]\//g,
    message: "adds a route past every scope: use addRoutes of http/route.ts, with a scope of http/scopes",
    where: addsNoRoutes,
  },
  {
    rule: "names",
    pattern: /\bclass \w*(?:Service|Repository|Manager)\b/g,
    message: "is a class named for a pattern: write functions, and name the verb",
    where: (path) => isTypeScript({ path }),
  },
  {
    rule: "types",
    pattern: /\bas any\b/g,
    message: "casts to any: use unknown and a check, or the type it has",
    where: (path) => isTypeScript({ path }),
  },
  {
    rule: "types",
    pattern: /@ts-(?:ignore|nocheck)\b/g,
    message: "silences the compiler: give the type, or @ts-expect-error with the reason",
    where: (path) => isTypeScript({ path }),
    comments: true,
  },
  {
    rule: "to do",
    pattern: /\b(?:TODO|FIXME|XXX)\b[^\p{L}\p{N}\n]*$/gmu,
    message: "says that something is to be done and not what: write it out, or do it",
    where: (path) => /\.(ts|sql|md|yml|yaml|sh)$/.test(path),
    comments: true,
  },
];

/** Files that contain the patterns themselves, and samples of violations. */
const SELF = ["scripts/tidy/patterns.ts", "scripts/tidy.test.ts"];

export function patterns(files: readonly SourceFile[]): Problem[] {
  const problems: Problem[] = [];
  for (const file of files) {
    if (SELF.includes(file.path)) continue;
    const code = isTypeScript(file) ? withoutComments(file.text) : file.text;
    for (const { rule, pattern, message, where, comments } of PATTERNS) {
      if (!where(file.path)) continue;
      const text = comments ? file.text : code;
      for (const match of text.matchAll(pattern)) {
        problems.push({ rule, path: file.path, line: lineAt(text, match.index), message });
      }
    }
  }
  return problems;
}
