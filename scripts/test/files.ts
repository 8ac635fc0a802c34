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
  ...["adjustments/adjustments", "charges/cancel", "http/idempotency", "inbox/notifications", "charges/poll"],
  ...["reconciliation/reconciliation", "statement/statement", "charges/thread", "transfers/transfers"],
  ...["unmatched/unmatched", "withdrawals/withdrawals.race", "claims/refunds.deep", "claims/returns.deep"],
  ...["charges/routing.deep", "withdrawals/withdrawals.deep", "contract/webhook-receivers.deep"],
].map((name) => (name.endsWith("/") ? name : `gateway/test/${name}.test.ts`));

/** Files of these that need payouts or MED cases, which a bank with nothing but the standard does not have. */
const BEYOND_API_PIX =
  /\/(balance-blocks|fuzz|list-changes|openapi|operator-tokens|reconciliation|reference|tenants|withdrawal-next-query|withdrawals(\.(race|deep))?)\.test\.ts$/;

/** A program of its own, a fault that takes long, a soak: such a file has a process of its own in every run. */
export const OWN_PROCESS = /^stress\/|\.deep\.test\.ts$/;

/**
 * Files that `npm test` leaves out, so that it ends within five minutes on two cores. They take half of the time and rarely
 * find what the others do not: each is about one thing at its edges, or repeats one question for every route.
 */
const DEEP = [
  OWN_PROCESS,
  // The packages beside the gateway: whoever changes one of them names it. The gateway's own tests use both throughout.
  /^(embedded-postgres|psp-simulator)\/test\//,
  // The contract of every bank, each at the simulator in its dialect. The gateway's tests are at the simulator's own.
  /^gateway\/src\/psp\/[a-z-]+\/contract\./,
  // What banks do beyond their document, and what attackers do.
  /^gateway\/test\/(bank|hostile|security)\//,
  // One question to every route, field, error or list.
  /^gateway\/test\/contract\/(errors|fuzz|list-changes|openapi|reference|tenants)\./,
  // More calls than a server takes, 500 payouts at two processes.
  /^gateway\/test\/(contract\/(overload|rate-limit)|withdrawals\/withdrawals\.race)\./,
  // Each invariant broken, one after another; alerts, each by its fault.
  /^gateway\/(src\/auditor\/|test\/deploy\/alerts\.)/,
  // Sign-in with an authenticator, a passkey, another company's server.
  /^gateway\/test\/people\/(authenticator|passkeys|provider)\./,
  // The live stream and the request log, on which no money depends; QR codes of every length.
  /^gateway\/(test\/(people\/live|contract\/request-log)|src\/lib\/qr)\./,
  // The main thread at a bank with another dialect; what accountants read of a statement: CSV, OFX, the sums of a month.
  /^gateway\/test\/(institutions\/efi|statement\/statement-joins)\./,
  // The command as a process some forty times, and every line of the README's first page.
  /^gateway\/test\/(webhooks\/cli|cli\/quickstart)\./,
];

const isDeep = (path: string): boolean => DEEP.some((pattern) => pattern.test(path));

/** Paths from the root, sorted. Named files are run whether they are deep or not. */
export function selectFiles(root: string, { named, psp, deep }: Selection): string[] {
  // At another bank everything that merchants meet is run, save what has a process of its own and is not listed.
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
