import assert from "node:assert/strict";
import { verify } from "../../src/auditor/verify.ts";
import type { Db } from "../../src/db/pool.ts";
import type { Sql } from "../../src/db/sql.ts";
import { skippedOnCluster } from "./on-cluster.ts";

/** Why a test that breaks books and rolls that back is skipped on a cluster, whose shards are checked on connections apart. */
export const ROLLED_BACK = skippedOnCluster("a cluster cannot check what is rolled back");

/** The invariants (`R1`, `U2`, …) that verify finds broken after changes, each of some row, that are rolled back. */
export async function brokenBy(owner: Db, ...changes: Sql[]): Promise<string[]> {
  const undo = new Error("undo");
  let found: string[] = [];
  await owner
    .transaction(async (tx) => {
      for (const change of changes) {
        const { rowCount } = await tx.query(change);
        assert.notEqual(rowCount, 0, change.text);
      }
      found = (await verify(tx)).violations.map((violation) => violation.invariant.slice(0, 2));
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return [...new Set(found)].sort();
}
