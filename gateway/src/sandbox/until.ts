import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/errors.ts";

/**
 * Waits until something about an object (a charge, a withdrawal) is in the books. The loops of another process may book
 * it, so beside the wake-up of this one (`settled/<id>`) the row itself is polled.
 */
export async function untilBooked(
  ctx: Context,
  accountId: string,
  id: string,
  otherwise: string,
  booked: () => Promise<boolean>,
): Promise<void> {
  const deadline = ctx.clock.now() + LIMITS.sandboxWait;
  while (ctx.clock.now() < deadline) {
    if (await booked()) return;
    const woken = new Promise<void>((resolve) => {
      const timer = setTimeout(done, 50);
      const off = ctx.hints.onWake(`settled/${id}`, done);
      function done() {
        clearTimeout(timer);
        off();
        resolve();
      }
    });
    await ctx.admission.outside(accountId, woken);
  }
  throw new ApiError("PSP_UNAVAILABLE", otherwise, { retryable: false });
}
