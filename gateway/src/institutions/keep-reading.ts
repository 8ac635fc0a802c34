import type { Clock } from "../lib/clock.ts";

/**
 * Makes a function that returns a reading at most `age` milliseconds old. Concurrent calls share one reading; a failed one is
 * not kept.
 */
export function keepReading<T>(clock: Clock, age: number, read: () => Promise<T>): () => Promise<T> {
  let kept: { readonly at: number; readonly reading: Promise<T> } | null = null;
  return () => {
    const now = clock.now();
    if (kept !== null && Math.abs(now - kept.at) < age) return kept.reading;
    const reading = read();
    kept = { at: now, reading };
    reading.catch(() => {
      if (kept?.reading === reading) kept = null;
    });
    return reading;
  };
}
