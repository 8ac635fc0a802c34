import type { Context } from "../context.ts";
import { passesByItself } from "../db/batch.ts";
import { levelOf } from "../db/pool.ts";
import { ApiError } from "../http/errors.ts";
import type { Institution } from "../institutions/registry.ts";
import type { PspPix } from "../psp/psp.ts";
import type { Applier } from "./apply.ts";
import type { Applied } from "./book-pix.ts";

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

/** Books the Pix of a list. Returns those that could not be booked; the others do not wait for them. */
export function bookListed(
  ctx: Context,
  applier: Applier,
  institution: Institution,
  pix: readonly PspPix[],
  onApplied: (applied: Applied, pix: PspPix) => void = () => {},
): Promise<PspPix[]> {
  const { institutionId } = institution;
  const apply = async (listed: PspPix) => onApplied(await applier.applyListed(institution, listed), listed);
  return applyEach(ctx, pix, apply, ({ e2eId }) => ({ institutionId, e2eId }));
}
