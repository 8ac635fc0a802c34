import type { Context } from "../context.ts";
import type { Institution } from "../institutions/registry.ts";

/**
 * Polls all institutions at the same time: one that answers slowly delays no other's list. Where polling some of them fails,
 * the others are polled to their end, and the first error is thrown.
 *
 * @param poll polls one, if it is due; true when it was.
 * @returns true when one was polled.
 */
export async function pollEach(
  { psps }: Pick<Context, "psps">,
  poll: (institution: Institution) => Promise<boolean>,
): Promise<boolean> {
  const ended = await Promise.allSettled((await psps.all()).map(poll));
  const failed = ended.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
  return ended.some((one) => one.status === "fulfilled" && one.value);
}
