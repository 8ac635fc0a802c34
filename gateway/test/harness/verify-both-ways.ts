import assert from "node:assert/strict";
import { checkFresh } from "../../src/auditor/check-fresh.ts";
import { verify } from "../../src/auditor/verify.ts";
import type { Violation } from "../../src/auditor/violation.ts";
import type { Tx } from "../../src/db/pool.ts";

const OLDEST = "00000000-0000-7000-8000-000000000000";

const rulesOf = (violations: readonly Violation[]): string[] =>
  [...new Set(violations.map(({ invariant, accountId }) => `${invariant.split(":")[0]} of ${accountId}`))].sort();
const accountsOf = (violations: readonly Violation[]): string[] =>
  [...new Set(violations.map(({ accountId }) => accountId))].sort();

/** What was asked both ways already: breaks that the same rules find, of the same account, are one kind. */
const seen = new Set<string>();

/**
 * Asks every invariant of all the books, and then as the auditor does of what it has not seen yet: whatever the one finds,
 * the other finds in the same accounts. A row that has lost what it belonged to breaks a rule more in full.
 */
export async function verifyBothWays(tx: Tx): Promise<Awaited<ReturnType<typeof verify>>> {
  const all = await verify(tx);
  const rules = rulesOf(all.violations);
  if (seen.has(rules.join())) return all;
  seen.add(rules.join());
  const fresh = await checkFresh(tx, { limit: 1_000_000, since: OLDEST });
  assert.deepEqual(
    rulesOf(fresh.violations).filter((rule) => !rules.includes(rule)),
    [],
    "fresh finds what full does not",
  );
  assert.deepEqual(accountsOf(fresh.violations), accountsOf(all.violations), "fresh does not find what full does");
  return all;
}
