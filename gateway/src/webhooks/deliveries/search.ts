import type { Context } from "../../context.ts";
import { findQueues, type Queue } from "./claim.ts";

/** Endpoints with work that are looked for at once. */
const QUEUES = 1_000;
/** Looking for endpoints takes at most one part in so many of the time; the pause is never longer, milliseconds. */
const SHARE = 5;
const PAUSE = 200;
/**
 * A look counts as so many times the one before at most: it is slow in a process that is busy with a burst, too, and with
 * pauses for that the next burst was larger (at half load 40 to 100 ms from commit to receipt instead of 20 to 40).
 */
const MORE = 1.5;
/**
 * Milliseconds that a look reaches back over the one before: what was committed late, or by a clock that is behind. What
 * it still leaves out (a claim that ended with its process, an endpoint enabled in another one) waits for a whole look.
 */
const OVERLAP = 1_000;
/** Between whole looks, milliseconds; they take at most one part in so many of the time. */
const WHOLE = 2_000;
const WHOLE_SHARE = 20;

const START = {
  accountId: "00000000-0000-0000-0000-000000000000",
  endpointId: "00000000-0000-0000-0000-000000000000",
} as const;
const EVER = new Date(0);

/** A hint: an endpoint was enabled, and what has waited for it is older than the last look. */
export const REOPENED = "deliver/reopened";

export type Search = {
  /** Looks for endpoints with something due, if it is time. One look at a time, whoever asks. */
  once(): Promise<void>;
  close(): void;
};

/**
 * Finds the endpoints that have something due and hands them to `found`. What has been sent stays at the head of its
 * queue, dead, until the table is vacuumed, and a look goes through all of that: so most looks begin where the pass
 * before left nothing older (docs/decisions/0021-search-from-last-position.md).
 */
export function createSearch(ctx: Context, found: (queue: Queue) => void): Search {
  /** The last endpoint of a pass that goes on. */
  let last: Queue | null = null;
  let passBegan = 0;
  /** Of the pass, on looks alone; milliseconds. */
  let spent = 0;
  /** When the last complete pass began. */
  let complete = 0;
  let againAt = 0;
  /** Of a look, milliseconds. */
  let cost = 1;
  let wholeAt = 0;
  let searching: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  const off = ctx.hints.onWake(REOPENED, () => {
    wholeAt = 0;
  });

  async function search(): Promise<void> {
    const began = ctx.clock.now();
    const wait = againAt - began;
    // A longer wait is a clock that stepped back.
    if (wait > 0 && wait <= PAUSE) {
      // What this look has left out must not wait for the loop's next pause.
      timer ??= setTimeout(() => {
        timer = null;
        ctx.hints.wake("deliver");
      }, wait);
      return;
    }
    const after = last ?? begin(began);
    const queues = await findQueues(ctx, new Date(began), after, QUEUES);
    for (const queue of queues) found(queue);
    const ended = ctx.clock.now();
    cost = Math.min(ended - began, Math.max(1, cost * MORE));
    againAt = ended + Math.min(cost * (SHARE - 1), PAUSE);
    spent += ended - began;
    last = queues.length < QUEUES ? null : (queues.at(-1) as Queue);
    if (last !== null) return;
    if (after.from === EVER) wholeAt = ended + Math.max(WHOLE, spent * (WHOLE_SHARE - 1));
    complete = passBegan;
  }

  /** A pass over all endpoints, in as many looks as it takes. After a clock that stepped back it is whole. */
  function begin(now: number): Queue {
    const from = now >= wholeAt || now < complete ? EVER : new Date(complete - OVERLAP);
    [passBegan, spent] = [now, 0];
    return { ...START, from };
  }

  return {
    once() {
      searching ??= search().finally(() => {
        searching = null;
      });
      return searching;
    },
    close() {
      off();
      if (timer !== null) clearTimeout(timer);
    },
  };
}
