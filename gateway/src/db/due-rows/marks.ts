import type { Tracing } from "../../telemetry/tracing.ts";
import { createBatcher } from "../batch.ts";
import type { Db } from "../pool.ts";
import { inShards } from "../shards.ts";

/** Most rows that one statement marks, and most that may wait for it. */
const BATCH = 500;
const QUEUE = 10_000;

/**
 * Writes the outcomes of a loop's rows. Rows that end at about the same time share a statement: a statement and commit
 * for each row was half of PostgreSQL's work at a steady load (docs/performance/soak.md). Returns the function that
 * marks a row.
 *
 * @param accountOf the account of a mark's row: the marks of one statement lie in one shard.
 * @param write must be repeatable: after a lost connection it runs again, although the first run may have been committed.
 */
export function createMarks<Mark>(
  ctx: { readonly db: Db; readonly tracing: Tracing },
  name: string,
  accountOf: (mark: Mark) => string,
  write: (marks: readonly Mark[]) => Promise<unknown>,
): (mark: Mark) => Promise<void> {
  const marks = createBatcher<Mark, void>({
    name,
    maxBatch: BATCH,
    maxQueue: QUEUE,
    tracing: ctx.tracing,
    ...inShards(ctx.db.shards, accountOf),
    run: async (items) => {
      await write(items);
      return items.map(() => undefined);
    },
  });
  return (mark) => marks.submit(mark);
}
