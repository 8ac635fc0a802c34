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

/** A deep file takes long, and `npm test` leaves it out. */
const isDeep = (path: string): boolean => path.startsWith("stress/") || path.endsWith(".deep.test.ts");

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
