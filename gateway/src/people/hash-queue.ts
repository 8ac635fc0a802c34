import { availableParallelism } from "node:os";
import { ApiError } from "../http/errors.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Trier } from "./guesses.ts";

/**
 * Hashes of passwords that this process computes at once: one for every two processors, two at most. Each uses a processor
 * for some 25 ms and one of libuv's four threads, which names, files and connections of everybody else wait for too.
 */
const AT_ONCE = Math.min(2, Math.max(1, Math.floor(availableParallelism() / 2)));

/** A place in the queue, to be left when the attempt has ended. */
type Place = {
  /** Runs the work when it is its turn. */
  turn<T>(work: () => Promise<T>): Promise<T>;
  leave(): void;
};

const places = new Map<string, number>();
const taken = { known: 0, strangers: 0 };
const waiting: Record<keyof typeof taken, (() => void)[]> = { known: [], strangers: [] };
let running = 0;

/**
 * Takes a place in the queue for a hash. Known devices and sessions have places of their own and go first; in each kind no
 * device, session or network has more than its share.
 *
 * @throws ApiError 429 where there is no place.
 */
export function takePlace({ network, known }: Trier): Place {
  const kind = known === null ? "strangers" : "known";
  const queueKey = known ?? `network ${network}`;
  const mine = places.get(queueKey) ?? 0;
  if (taken[kind] >= LIMITS.hashesWaiting || mine >= LIMITS.hashesOfNetwork) {
    throw new ApiError("RATE_LIMITED", undefined, { retryable: true }, { "retry-after": "1" });
  }
  places.set(queueKey, mine + 1);
  taken[kind] += 1;
  return {
    async turn(work) {
      if (running < AT_ONCE) running += 1;
      // A hash that ends hands its turn over.
      else await new Promise<void>((resolve) => void waiting[kind].push(resolve));
      try {
        return await work();
      } finally {
        const next = waiting.known.shift() ?? waiting.strangers.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
    leave() {
      taken[kind] -= 1;
      const left = places.get(queueKey)! - 1;
      if (left === 0) places.delete(queueKey);
      else places.set(queueKey, left);
    },
  };
}
