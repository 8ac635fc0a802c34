/**
 * Runs the tests with node's own runner and ends with its summary.
 *
 *     node scripts/test.ts [part of a path …] [option of node --test …]
 *
 * Without a path it runs every test file that is not deep; a file is deep when it lies in `stress/` or is named
 * `*.deep.test.ts`. `node scripts/test.ts ledger lib/ids` runs the files, deep or not, whose path contains one of the two.
 * `--deep` runs the deep files only.
 * `--psp=efi` runs what merchants meet (or the files named) with another bank's adapter, against the simulator playing
 * that bank.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

const root = fileURLToPath(new URL("../", import.meta.url));
/** Makes what all test files share (a template database) before the first of them. */
const GLOBAL_SETUP = "gateway/test/harness/global-setup.ts";
/**
 * Test files at once: each may have a gateway, a simulator and a database of its own. On two cores three at once take 610 s
 * instead of 700, and one run of two then has a test that waited in vain.
 */
const CONCURRENCY = 2;
/** Milliseconds of one test that says nothing else; past it, it hangs. */
const TIMEOUT = 120_000;
/**
 * Milliseconds without a word, after which the run is interrupted: a file that leaves a socket or a timer open never
 * ends by itself, and node's own limit is for tests only. The runner then names the file.
 */
const SILENCE = 300_000;
/** Time for that, and for the global setup to be taken down. */
const GRACE = 30_000;

/** What a merchant meets whichever bank he is at, and what the operator sees of it. */
const MERCHANT = [
  "gateway/test/contract/",
  ...[
    ...["adjustments", "cancel", "idempotency", "notifications", "poll", "reconciliation", "refunds", "returns"],
    ...["routing", "statement", "thread", "transfers", "unmatched", "withdrawals", "withdrawals.race"],
  ].map((name) => `gateway/test/${name}.test.ts`),
];

/** Files of these that a bank with nothing but the standard has no use for: they need payouts or MED cases. */
const BEYOND_API_PIX =
  /\/(balance-blocks|fuzz|openapi|operator-tokens|reconciliation|reference|tenants|withdrawals(\.race)?)\.test\.ts$/;

const arguments_ = process.argv.slice(2);
const psp = arguments_.find((argument) => argument.startsWith("--psp="))?.slice("--psp=".length);
const deepOnly = arguments_.includes("--deep");
const given = arguments_.filter((argument) => !argument.startsWith("--psp=") && argument !== "--deep");
const named = given.filter((argument) => !argument.startsWith("-"));
const filters = named.length === 0 && psp !== undefined ? MERCHANT : named;
const isDeep = (path: string): boolean => path.startsWith("stress/") || path.endsWith(".deep.test.ts");
const files = globSync("{embedded-postgres,gateway,psp-simulator,scripts,bench,stress}/**/*.test.ts", {
  cwd: root,
  exclude: (path) => path.split(/[/\\]/).includes("node_modules"),
})
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => (deepOnly ? isDeep(path) : named.length > 0 || !isDeep(path)))
  .filter((path) => filters.length === 0 || filters.some((filter) => path.includes(filter.replace(/^\.\//, ""))))
  .filter((path) => psp !== "api-pix" || named.length > 0 || !BEYOND_API_PIX.test(path))
  .sort();
if (files.length === 0) {
  console.error(`no test file has ${filters.map((filter) => `"${filter}"`).join(" or ")} in its path`);
  process.exit(1);
}

const child = spawn(
  process.execPath,
  [
    "--test",
    `--test-concurrency=${CONCURRENCY}`,
    `--test-timeout=${TIMEOUT}`,
    "--test-reporter=spec",
    ...(existsSync(new URL(`../${GLOBAL_SETUP}`, import.meta.url)) ? [`--test-global-setup=${GLOBAL_SETUP}`] : []),
    ...given.filter((argument) => argument.startsWith("-")),
    ...files,
  ],
  {
    cwd: root,
    stdio: ["inherit", "pipe", "inherit"],
    env: {
      ...process.env,
      // Each file's process loads most of the gateway: stripping its types once instead of 150 times.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, "node_modules/.cache/tests"),
      ...(psp === undefined ? {} : { PIXGATE_TEST_PSP: psp }),
      ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {}),
    },
  },
);
const closed = once(child, "close");
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));

// The spec reporter prints its counts and then every failure again: the counts are repeated, so that they come last.
const counts: string[] = [];
let afterCounts = false;
let silence = setTimeout(interrupt, SILENCE);
for await (const line of createInterface({ input: child.stdout })) {
  clearTimeout(silence);
  silence = setTimeout(interrupt, SILENCE);
  console.log(line);
  if (/^ℹ (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(stripVTControlCharacters(line)))
    counts.push(line);
  else if (counts.length > 0 && line !== "") afterCounts = true;
}
if (afterCounts) console.log(`\n${counts.join("\n")}`);

const [code] = await closed;
clearTimeout(silence);
process.exitCode = (code as number | null) ?? 1;

function interrupt(): void {
  console.error(`\nno test has ended for ${SILENCE / 1_000} s: one hangs, or its file left something open`);
  child.kill("SIGINT");
  silence = setTimeout(() => child.kill("SIGKILL"), GRACE);
}
