/**
 * Names of the deep files that take longest, longest first: from twelve minutes to fifty seconds beside three others on two
 * cores. A run begins with them, so that none runs alone at the end while a core is idle: files in the order of their paths
 * left a release of five minutes for the end. A release comes after the attacks, because its check takes both cores. The
 * runner prints the seconds of each file.
 */
export const LONGEST: readonly string[] = [
  "torture.test.ts",
  "month.test.ts",
  "hostile.test.ts",
  "operator.deep.test.ts",
  "rolling-upgrade.deep.test.ts",
  "accessibility.deep.test.ts",
  "install.deep.test.ts",
  "operator-commands.deep.test.ts",
  "release.deep.test.ts",
  "half-width.deep.test.ts",
  "generated-clients.deep.test.ts",
  "python-clients.deep.test.ts",
  "lifecycle.test.ts",
  "site.deep.test.ts",
  "live-lists.deep.test.ts",
  "bookers.test.ts",
  "sdk/clients.deep.test.ts",
  "claims/returns.deep.test.ts",
  "again.deep.test.ts",
  "withdrawals.deep.test.ts",
  "fuzz.deep.test.ts",
  "two-persons.deep.test.ts",
  "failed-reads.deep.test.ts",
  "model/model.test.ts",
  "corruptions/listed.deep.test.ts",
  "isolation.deep.test.ts",
  "crossing.deep.test.ts",
  "mcp.deep.test.ts",
  "options.deep.test.ts",
  "wrong-settings.deep.test.ts",
  "money-went.deep.test.ts",
  "due-kinds.deep.test.ts",
  "races.deep.test.ts",
  "package.deep.test.ts",
  "first-sign-in.deep.test.ts",
  "faults.deep.test.ts",
];

/**
 * Names of deep files that mostly wait: for alerts, which take minutes, a registry, a minute of traffic, the comparison
 * of a balance, or the steps of an order (a third of a core). They run one after the other beside the other processes.
 */
export const WAITING: readonly string[] = [
  "outages.deep.test.ts",
  "npx.deep.test.ts",
  "runtimes.deep.test.ts",
  "first-requests.deep.test.ts",
  "alerts.deep.test.ts",
  "merchant.deep.test.ts",
  "next-day.deep.test.ts",
  "marketplace.test.ts",
];

/**
 * Names of the longest files that share processes, longest first: from forty seconds to ten. Each process takes the next file when it
 * is done with one: a long one that began last would run alone at the end.
 */
export const SHARED_LONGEST: readonly string[] = [
  "newcomer.test.ts",
  "bank-ids.test.ts",
  "moved.test.ts",
  "restore/restore.test.ts",
  "guesses.test.ts",
  "two-steps.test.ts",
  "statement/statement.test.ts",
  "unmatched/unmatched.test.ts",
  "webhook-management.test.ts",
  "contract/partial-refunds.test.ts",
  "balance-blocks.test.ts",
  "contract/withdrawals.test.ts",
  "reconciliation/reconciliation.test.ts",
  "numbered.test.ts",
  "list-first.test.ts",
  "people.test.ts",
  "cases/cases.test.ts",
  "what-calls-change.test.ts",
  "deadline.test.ts",
  "contract/refunds.test.ts",
  "auth.test.ts",
  "payout-cases.test.ts",
  "dispute-amounts.test.ts",
  "every-kind.test.ts",
  // Deep files.
  "drift.test.ts",
  "webhooks/cli.test.ts",
  "live.test.ts",
  "quickstart.test.ts",
  "tenants.test.ts",
  "contract/reference.test.ts",
  "woovi/contract.test.ts",
  "auditor/verify.test.ts",
  "efi/contract.test.ts",
  "inviter-learns-nothing.test.ts",
  "statement-joins.test.ts",
  "returns-without-nature.test.ts",
  "med.test.ts",
  "asaas/contract.test.ts",
  "api-pix/contract.test.ts",
  "simulator/contract.test.ts",
  "provider.test.ts",
  "banco-do-brasil/contract.test.ts",
  "refusals.test.ts",
  "long-history.test.ts",
  "attacks.test.ts",
];

/** The files with these names, in the names' order, whatever their folder. */
export const filesNamed = (names: readonly string[], files: readonly string[]): string[] =>
  names.flatMap((name) => files.filter((file) => file.endsWith(`/${name}`)));
