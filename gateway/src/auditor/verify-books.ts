import { onEachPart } from "../db/cluster/parts.ts";
import type { Db, Tx } from "../db/pool.ts";
import type { Progress } from "../lib/progress.ts";
import { verifyAcross } from "./across.ts";
import { MOST, type Verified, verify } from "./verify.ts";
import type { Violation } from "./violation.ts";

/**
 * Checks every invariant of all the books of a database: on a plain PostgreSQL on one snapshot; on a cluster the rules
 * about one account in each shard, on one snapshot each, and then the few rules across accounts.
 */
export async function verifyBooks(db: Db, report: Progress = () => {}): Promise<Verified> {
  return (await verifyAndRead(db, async () => {}, report)).verified;
}

/**
 * `verifyBooks` with more: `report` gets how many rules of a part are checked, and `read` reads further data on the
 * snapshot of each part, after its check.
 */
export async function verifyAndRead<T>(
  db: Db,
  read: (tx: Tx) => Promise<T>,
  report: Progress = () => {},
): Promise<{ readonly verified: Verified; readonly read: readonly T[] }> {
  const parts = await onEachPart(db, async (tx, { whole }) => ({
    ...(await verify(tx, { across: whole, report })),
    read: await read(tx),
  }));
  const across = parts.length > 1 ? await verifyAcross(db) : [];
  const violations = firstOfEach([...parts.flatMap((part) => part.violations), ...across]);
  const lines = parts.reduce((sum, part) => sum + part.lines, 0);
  return { verified: { ok: violations.length === 0, lines, violations }, read: parts.map((part) => part.read) };
}

function firstOfEach(violations: readonly Violation[]): Violation[] {
  return [...Map.groupBy(violations, ({ code }) => code).values()].flatMap((all) => all.slice(0, MOST));
}
