import type { Context } from "../context.ts";
import { ApiError } from "../http/errors.ts";
import { LIMITS } from "../lib/limits.ts";

/**
 * Milliseconds between two polls, growing: 200 calls that each polled every 50 ms were 4,000 queries a second, and on a
 * busy machine they found no free connection.
 */
const POLL = { first: 50, growth: 1.5, most: 1_000 };

/**
 * Waits until something about an object (a charge, a withdrawal) is booked. The loops of another process may book it, so
 * the row itself is polled in addition to this process's wake-up (`settled/<id>`).
 */
export async function untilBooked(
  ctx: Context,
  accountId: string,
  id: string,
  otherwise: string,
  booked: () => Promise<boolean>,
): Promise<void> {
  const deadline = ctx.clock.now() + LIMITS.sandboxWait;
  let pause = POLL.first;
  while (ctx.clock.now() < deadline) {
    if (await booked()) return;
    const woken = new Promise<void>((resolve) => {
      const timer = setTimeout(done, pause);
      const off = ctx.hints.onWake(`settled/${id}`, done);
      function done() {
        clearTimeout(timer);
        off();
        resolve();
      }
    });
    await ctx.admission.outside(accountId, woken);
    pause = Math.min(POLL.most, pause * POLL.growth);
  }
  throw new ApiError("PSP_UNAVAILABLE", otherwise, { retryable: false });
}
