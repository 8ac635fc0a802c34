/** Milliseconds between two checks: they grow with the time waited, since a check of a gateway costs several ms of CPU. */
const [SHORTEST, LONGEST] = [10, 100];

/** Wake-ups of what runs in this process, given while a test waits. */
const wakers = new Set<() => void>();

/**
 * Has `wake` called at every check of `eventually`, so that a test waits for the work and not for the pause before it.
 * Gives what ends that.
 */
export function wakeWhileWaiting(wake: () => void): () => void {
  wakers.add(wake);
  return () => wakers.delete(wake);
}

/** Waits until `check` returns something, with growing pauses; fails with `what` after `timeoutMs`. */
export async function eventually<T>(
  what: string,
  check: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  timeoutMs = 60_000,
): Promise<T> {
  const began = Date.now();
  let last: unknown;
  for (let waited = 0; waited < timeoutMs; waited = Date.now() - began) {
    try {
      const value = await check();
      if (value) return value;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(LONGEST, SHORTEST + waited / 8)));
    for (const wake of wakers) wake();
  }
  throw new Error(`${what}: not within ${timeoutMs} ms`, { cause: last });
}

/** A moment later than everything that was stamped before the call: times have no more than milliseconds. */
export function laterMoment(): Promise<Date> {
  const before = Date.now();
  return eventually("the next millisecond", () => Date.now() > before && new Date());
}

const HOUR = 3_600_000;
/** More than a test of limits takes on a busy machine. */
const LEAST_OF_AN_HOUR = 30_000;

/** Waits until no full hour lies within the next half minute: limits of an hour, a day and a night restart at one. */
export async function farFromTheHour(): Promise<void> {
  const left = HOUR - (Date.now() % HOUR);
  if (left < LEAST_OF_AN_HOUR) await pause(left);
}

/**
 * A pause that plays time outside the program: between a merchant's retries, before the next kill. Not for waiting on a
 * condition.
 */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
