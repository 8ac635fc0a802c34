/**
 * Names of the deep files that take longest, longest first: from six minutes to half a minute on two cores. A run
 * begins with them, so that none runs alone at the end while a core is idle. The runner prints the seconds of each
 * file.
 */
export const LONGEST: readonly string[] = [
  "torture.test.ts",
  "hostile.test.ts",
  "runtimes.deep.test.ts",
  "month.test.ts",
  "operator.deep.test.ts",
  "accessibility.deep.test.ts",
  "half-width.deep.test.ts",
  "install.deep.test.ts",
  "generated-clients.deep.test.ts",
  "live-lists.deep.test.ts",
  "rolling-upgrade.deep.test.ts",
  "returns.deep.test.ts",
  "first-sign-in.deep.test.ts",
  "races.deep.test.ts",
  "sdk/clients.deep.test.ts",
  "operator-commands.deep.test.ts",
  "long-list-browser.deep.test.ts",
  "retention.deep.test.ts",
  "passkeys-browser.deep.test.ts",
  "withdrawals.deep.test.ts",
  "printed.deep.test.ts",
  "production.deep.test.ts",
  "kills/deliveries.test.ts",
  "interleave.test.ts",
  "lifecycle.test.ts",
];

/**
 * Names of deep files that mostly wait: for alerts, which take minutes, a registry, a minute of traffic, the comparison
 * of a balance, or the steps of an order (a third of a core). They run one after the other beside the other processes.
 */
export const WAITING: readonly string[] = [
  "outages.deep.test.ts",
  "npx.deep.test.ts",
  "alerts.deep.test.ts",
  "merchant.deep.test.ts",
  "next-day.deep.test.ts",
  "marketplace.test.ts",
];

/**
 * Names of the longest files that share processes, longest first: from a minute to ten seconds. They are spread evenly
 * over the processes: otherwise one process took 147 s and another 29.
 */
export const SHARED_LONGEST: readonly string[] = [
  "bank-down.test.ts",
  "newcomer.test.ts",
  "moved.test.ts",
  "cases/cases.test.ts",
  "webhook-management.test.ts",
  "contract/balance-blocks.test.ts",
  "contract/withdrawals.test.ts",
  "restore/restore.test.ts",
  "contract/auth.test.ts",
  "statement/statement.test.ts",
  "unmatched/unmatched.test.ts",
  "guesses.test.ts",
  "doctor.test.ts",
  "notices.test.ts",
  "contract/refunds.test.ts",
  "reconciliation/reconciliation.test.ts",
  "people/people.test.ts",
  "wrong-clock.test.ts",
  "payout-cases.test.ts",
  "charges/thread.test.ts",
  "brakes/brakes.test.ts",
  // Deep files.
  "bank/unknown-status.test.ts",
  "bank/drift.test.ts",
  "webhooks/cli.test.ts",
  "people/live.test.ts",
  "cli/quickstart.test.ts",
  "psp/efi/contract.test.ts",
  "psp/api-pix/contract.test.ts",
  "auditor/verify.test.ts",
  "psp/simulator/contract.test.ts",
  "statement/statement-joins.test.ts",
  "contract/request-log.test.ts",
];

/** The files with these names, in the names' order, whatever their folder. */
export const filesNamed = (names: readonly string[], files: readonly string[]): string[] =>
  names.flatMap((name) => files.filter((file) => file.endsWith(`/${name}`)));
