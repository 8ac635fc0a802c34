import type { Clock } from "../lib/clock.ts";

/** Makes a reading that is at most so many milliseconds old. Calls at once share one; one that failed is not kept. */
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
