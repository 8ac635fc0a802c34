import type { Context } from "../context.ts";
import { passesByItself } from "../db/batch.ts";
import { levelOf } from "../db/pool.ts";
import { ApiError } from "../http/errors.ts";

/**
 * Applies each item of a list that an institution gave. One that cannot be booked is logged and left out, so that it keeps none
 * of the others waiting: the same list shows it again next time, and would fail at it each time.
 *
 * @returns the items that were left out.
 * @throws what would fail for each of them alike: a lost connection, an overload.
 */
export async function applyEach<T>(
  { log }: Pick<Context, "log">,
  items: readonly T[],
  apply: (item: T) => Promise<void>,
  describe: (item: T) => Readonly<Record<string, unknown>>,
): Promise<T[]> {
  const failed: T[] = [];
  for (const item of items) {
    try {
      await apply(item);
    } catch (error) {
      if (passesByItself(error) || (error instanceof ApiError && error.status === 503)) throw error;
      failed.push(item);
      log[levelOf(error)]({ err: error, ...describe(item) }, "what an institution lists could not be booked");
    }
  }
  return failed;
}
