/** Selects the test files of a run. */

import { globSync } from "node:fs";

export type Selection = {
  /** Parts of paths; empty: every file of the kind. */
  readonly named: readonly string[];
  /** The bank whose dialect the simulator speaks; null: its own. */
  readonly psp: string | null;
  readonly deep: boolean;
};

/** Tests of merchants and operators that must pass at any bank. */
const AT_ANY_BANK = [
  "gateway/test/contract/",
  ...["adjustments/adjustments", "charges/cancel", "http/idempotency", "inbox/notifications", "charges/poll"],
  ...["reconciliation/reconciliation", "statement/statement", "charges/thread", "transfers/transfers"],
  ...["unmatched/unmatched", "withdrawals/withdrawals.race", "claims/refunds.deep", "claims/returns.deep"],
  ...["charges/routing.deep", "withdrawals/withdrawals.deep", "contract/webhook-receivers.deep"],
].map((name) => (name.endsWith("/") ? name : `gateway/test/${name}.test.ts`));

/** Of these, files that need payouts or MED cases, which the plain API Pix does not have. */
const BEYOND_API_PIX =
  /\/(balance-blocks|dispute-amounts|fuzz|list-changes|openapi|operator-tokens|precautionary|reconciliation|reference|tenants|withdrawal-next-query|withdrawals(\.(race|deep))?)\.test\.ts$/;

/** Files with their own process in every run: programs, long faults, soaks. */
export const OWN_PROCESS = /^stress\/|\.deep\.test\.ts$/;

/**
 * Files that `npm test` leaves out, so that it ends within five minutes on two cores. They take half of the time and
 * rarely find faults that the others miss: each tests the edges of one thing, or repeats one question for every route.
 */
const DEEP = [
  OWN_PROCESS,
  // The other packages: name them when you change one. The gateway's tests use both throughout.
  /^(embedded-postgres|psp-simulator)\/test\//,
  // The contract of every bank, at the simulator in its dialect. The gateway's tests use the simulator's own dialect.
  /^gateway\/src\/psp\/[a-z-]+\/contract\./,
  // Undocumented behaviour of banks, and attacks.
  /^gateway\/test\/(bank|hostile|security)\//,
  // Tests that repeat one question for every route, field, error or list.
  /^gateway\/test\/contract\/(errors|fuzz|list-changes|openapi|reference|tenants)\./,
  // Overload, and 500 payouts by two processes.
  /^gateway\/test\/(contract\/(overload|rate-limit)|withdrawals\/withdrawals\.race)\./,
  // Each invariant broken in turn; each alert caused by its fault.
  /^gateway\/(src\/auditor\/|test\/deploy\/alerts\.)/,
  // Sign-in with an authenticator, a passkey, or a company's provider.
  /^gateway\/test\/people\/(authenticator|passkeys|provider)\./,
  // The live stream and the request log, which no money depends on; QR codes of every length.
  /^gateway\/(test\/(people\/live|contract\/request-log)|src\/lib\/qr)\./,
  // The main path with another dialect; a statement's joins.
  /^gateway\/test\/(institutions\/efi|statement\/statement-joins)\./,
  // Tests that start the command some forty times, and run every line of the README's first page.
  /^gateway\/test\/(webhooks\/cli|cli\/quickstart)\./,
];

const isDeep = (path: string): boolean => DEEP.some((pattern) => pattern.test(path));

/** Paths from the root, sorted. Named files are run whether they are deep or not. */
export function selectFiles(root: string, { named, psp, deep }: Selection): string[] {
  // At another bank all merchants' tests run, without files that have their own process and are not listed.
  const left = psp === null ? isDeep : (path: string) => OWN_PROCESS.test(path);
  const parts = (named.length === 0 && psp !== null ? AT_ANY_BANK : named).map((part) => part.replace(/^\.\//, ""));
  return globSync("{console,embedded-postgres,gateway,psp-simulator,sdk,mcp,scripts,bench,site,stress}/**/*.test.ts", {
    cwd: root,
    exclude: (path) => path.split(/[/\\]/).includes("node_modules"),
  })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => (deep ? isDeep(path) : named.length > 0 || !left(path) || parts.includes(path)))
    .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
    .filter((path) => psp !== "api-pix" || named.length > 0 || !BEYOND_API_PIX.test(path))
    .sort();
}
