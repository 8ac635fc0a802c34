import type { Context } from "../context.ts";
import { failpoint } from "../lib/failpoint.ts";

/** Carries on rows that are due, a bounded number at once. */
export type Runner = {
  /** Begins what is due, as far as there is room; gives how many rows it began. */
  runDue(): Promise<number>;
  idle(): Promise<void>;
};

/** Calls to PSPs under way at once; more rows are claimed when half of them have ended, many with one statement. */
const IN_FLIGHT = 64;

/**
 * Makes the runner of a loop.
 *
 * @param options.claim takes due rows by moving their due time, so that another process does not see them meanwhile.
 */
export function createRunner<Due>(
  ctx: Context,
  options: {
    /** The loop's name; it is woken when there is room again. */
    readonly loop: string;
    claim(limit: number): Promise<readonly Due[]>;
    carry(due: Due): Promise<void>;
    /** The object whose life it is part of, for traces; null: none. */
    of(due: Due): string | null;
    /** For the log. */
    describe(due: Due): Readonly<Record<string, unknown>>;
  },
): Runner {
  const inFlight = new Set<Promise<void>>();
  return {
    async runDue() {
      const room = IN_FLIGHT - inFlight.size;
      if (room < IN_FLIGHT / 2) return 0;
      const dues = await options.claim(room);
      if (dues.length > 0) failpoint("errand.claimed", options.loop);
      for (const due of dues) {
        const going = ctx.tracing
          .span({ name: options.loop, of: options.of(due) }, () => options.carry(due))
          .catch((error: unknown) => {
            // Unmarked, it is due again when the claim ends.
            ctx.log.error(
              { err: error, ...options.describe(due) },
              `the loop ${options.loop} could not carry a row on`,
            );
          })
          .finally(() => {
            inFlight.delete(going);
            ctx.hints.wake(options.loop);
          });
        inFlight.add(going);
      }
      return dues.length;
    },
    async idle() {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
  };
}
