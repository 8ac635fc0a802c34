/** Which test files a run has. */

import { globSync } from "node:fs";

export type Selection = {
  /** Parts of paths; none means every file of the kind. */
  readonly named: readonly string[];
  /** Another bank than the simulator's own, which the simulator plays. */
  readonly psp: string | null;
  readonly deep: boolean;
};

/** What merchants and operators meet whichever bank an account is at. */
const AT_ANY_BANK = [
  "gateway/test/contract/",
  ...["adjustments", "cancel", "idempotency", "notifications", "poll", "reconciliation", "statement", "thread"],
  ...["transfers", "unmatched", "withdrawals.race"],
  ...["refunds.deep", "returns.deep", "routing.deep", "withdrawals.deep", "contract/webhook-receivers.deep"],
].map((name) => (name.endsWith("/") ? name : `gateway/test/${name}.test.ts`));

/** Files of these that need payouts or MED cases, which a bank with nothing but the standard does not have. */
const BEYOND_API_PIX =
  /\/(balance-blocks|fuzz|openapi|operator-tokens|reconciliation|reference|tenants|withdrawals(\.(race|deep))?)\.test\.ts$/;

/** Files that take long, which `npm test` leaves out. */
const DEEP = [
  /^stress\//,
  /\.deep\.test\.ts$/,
  // What banks do beyond their document, and what attackers do.
  /^gateway\/test\/(bank|hostile)\//,
  /^psp-simulator\/test\/[a-z]+-faults\./,
  // Each invariant broken, one after another.
  /^gateway\/src\/auditor\//,
  // The contract of every bank at the simulator in another dialect; `psp/simulator` runs it in its own.
  /^gateway\/src\/psp\/(efi|api-pix)\/contract\./,
  // The command as a process, some forty times.
  /^gateway\/test\/webhooks\/cli\./,
];

const isDeep = (path: string): boolean => DEEP.some((pattern) => pattern.test(path));

/** Paths from the root, sorted. Named files are run whether they are deep or not. */
export function selectFiles(root: string, { named, psp, deep }: Selection): string[] {
  const parts = (named.length === 0 && psp !== null ? AT_ANY_BANK : named).map((part) => part.replace(/^\.\//, ""));
  return globSync("{console,embedded-postgres,gateway,psp-simulator,sdk,mcp,scripts,bench,stress}/**/*.test.ts", {
    cwd: root,
    exclude: (path) => path.split(/[/\\]/).includes("node_modules"),
  })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => (deep ? isDeep(path) : named.length > 0 || !isDeep(path) || parts.includes(path)))
    .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
    .filter((path) => psp !== "api-pix" || named.length > 0 || !BEYOND_API_PIX.test(path))
    .sort();
}
