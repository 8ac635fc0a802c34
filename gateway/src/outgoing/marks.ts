import type { Context } from "../context.ts";
import { createBatcher } from "../db/batch.ts";
import { inShards } from "../db/shards.ts";

/** Rows marked by one statement, and most that may wait for theirs. */
const BATCH = 500;
const QUEUE = 10_000;

/**
 * Writes how rows left the hands of a loop, those that end together with one statement: one statement and one commit for
 * each was half of what PostgreSQL did at a steady load of everything (docs/performance/soak.md). Gives the function that marks one.
 *
 * @param accountOf whose row a mark is: the marks of one statement lie in one shard.
 * @param write must be repeatable: after a lost connection it runs again, although the first run may have been committed.
 */
export function createMarks<Mark>(
  ctx: Context,
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
