import type { Context } from "../context.ts";
import { passesByItself } from "../db/batch.ts";
import { levelOf } from "../db/pool.ts";
import { ApiError } from "../http/errors.ts";

/**
 * Applies each item of an institution's list. An item that cannot be booked is logged and skipped, so that the others do
 * not wait for it: the next listing shows it again and would fail at it again.
 *
 * @returns the skipped items.
 * @throws an error that every item would meet: a lost connection, an overload.
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
