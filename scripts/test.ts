/**
 * Runs the tests with node's own runner and ends with its summary.
 *
 *     node scripts/test.ts [part of a path …] [option of node --test …]
 *
 * Without a path it runs every test file that is not deep (`scripts/test/files.ts` says which are). `node
 * scripts/test.ts ledger lib/ids` runs the files, deep or not, whose path contains one of the two. `--deep` runs the
 * deep files, those that mostly wait beside the others, and then the merchants' tests with each other bank (not with
 * `--no-banks`); its last line has the counts of all. `--psp=efi` runs the merchants' tests (or the named files) with
 * another bank's adapter, against the simulator in that bank's dialect. `--cluster` runs the tests of a cluster and the
 * contract tests (or the named files) on a Citus cluster: one made with the programs in the folder `PIXGATE_CITUS_BIN`,
 * or the running one at `PIXGATE_CITUS_URL` (its coordinator, as a superuser), where tests that kill or make servers
 * are skipped. Without either, the tests of a cluster skip themselves.
 */

import "./help.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { batchesOf } from "./test/batches.ts";
import { type Selection, selectFiles } from "./test/files.ts";
import { filesNamed, WAITING } from "./test/longest.ts";
import { type Result, type RunOptions, run } from "./test/run.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const OTHER_BANKS = ["efi", "api-pix"];
/** Of files that wait: they take a third of a core each. */
const WAITING_AT_ONCE = 2;
/** Tests that run on a cluster in addition to its own, below `gateway/test/`. */
const CLUSTER_FILES = [
  ...["bank/", "contract/", "hostile/", "people/", "model/", "security/erasure", "security/personal-data"],
  ...[
    "auditor/auditor",
    "brakes/",
    "cases/",
    "close/",
    "http/idempotency",
    "deploy/operating",
    "cli/operator-commands",
  ],
  ...["charges/poll", "queues/", "claims/returns.deep", "charges/routing", "search/", "treasury/", "unmatched/"],
  ...["withdrawals/withdrawals.deep", "qr-codes/static", "qr-codes/till", "qr-codes/evening", "payment-links/"],
  ...["accounts/", "claims/evidence", "institutions/hanging-bank", "reconciliation/reconciliation", "retention/forms"],
  ...["security/new-approvers", "statement/statement.test", "transactions/", "transfers/"],
];

const given = process.argv.slice(2);
const psp = given.find((argument) => argument.startsWith("--psp="))?.slice("--psp=".length) ?? null;
const deep = given.includes("--deep");
const cluster = given.includes("--cluster");
const named = given.filter((argument) => !argument.startsWith("-"));
if (cluster) useCluster();
const nodeOptions = given.filter((argument) => /^-(?!-psp=|-deep$|-no-banks$|-cluster$)/.test(argument));

const selections: Selection[] = [{ named, psp, deep }];
if (deep && named.length === 0 && !given.includes("--no-banks")) {
  for (const bank of OTHER_BANKS) selections.push({ named, psp: bank, deep: false });
}
let [passed, failed, runs] = [0, 0, 0];
for (const selection of selections) {
  const files = selectFiles(root, selection);
  if (files.length === 0) {
    console.error(`no test file has ${named.map((name) => `"${name}"`).join(" or ")} in its path`);
    process.exit(1);
  }
  if (selections.length > 1) console.log(`\n── ${selection.psp ?? "deep"}: ${files.length} files ──`);
  const folder = mkdtempSync(join(tmpdir(), "pixgate-batches-"));
  try {
    // Named files run without batches, each in its own process.
    const paths = named.length > 0 ? files : batchesOf(root, files, folder);
    for (const result of await runBeside(paths, { psp: selection.psp, deep: selection.deep, nodeOptions })) {
      runs += 1;
      passed += result.passed;
      failed += result.failed;
      if (result.code !== 0) process.exitCode = result.code;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
if (runs > 1) console.log(`\n${passed} passed, ${failed} failed`);

/** Runs the files and, unless files are named, the waiting ones beside them, whose lines are printed at the end. */
async function runBeside(paths: readonly string[], options: RunOptions): Promise<readonly Result[]> {
  const waiting = named.length > 0 ? [] : filesNamed(WAITING, paths);
  const others = paths.filter((path) => !waiting.includes(path));
  if (waiting.length === 0 || others.length === 0) return [await run(root, paths, options)];
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const beside = { ...options, atOnce: WAITING_AT_ONCE, print };
  const results = await Promise.all([run(root, others, options), run(root, waiting, beside)]);
  console.log(`\n── files that wait ──\n${lines.join("\n")}`);
  return results;
}

/** Selects the tests for a cluster, unless files are named. */
function useCluster(): void {
  const all = named.length === 0;
  if (all) named.push("gateway/test/cluster", "gateway/src/db/cluster");
  const { PIXGATE_CITUS_BIN: bin, PIXGATE_CITUS_URL: url } = process.env;
  if (bin || url) {
    process.env.PIXGATE_TEST_CLUSTER = "1";
    if (all) named.push(...CLUSTER_FILES.map((path) => `gateway/test/${path}`), "stress/torture/torture");
  } else {
    console.log("Neither PIXGATE_CITUS_BIN nor PIXGATE_CITUS_URL is set: tests that need a Citus cluster are skipped.");
  }
}
