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

/** Breaks that were compared already: those of the same rules and account count as one kind. */
const seen = new Set<string>();

/**
 * Checks every invariant on the whole books, then on the fresh part as the auditor does: both must find the same
 * accounts. A row without the row that it belongs to may break one more rule on the whole books.
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
