/** An answer is counted by the first of these that it came within, or as slower than all, milliseconds. */
export const LATENCY_BOUNDS = [50, 100, 250, 500, 1_000, 2_500, 5_000] as const;

/** No answer in any bucket, the one of the slower ones included. */
export const NO_TIMES: readonly number[] = [...LATENCY_BOUNDS.map(() => 0), 0];

export function bucketOf(ms: number): number {
  const i = LATENCY_BOUNDS.findIndex((bound) => ms <= bound);
  return i === -1 ? LATENCY_BOUNDS.length : i;
}

/**
 * The time within which this part of the answers came, as if those of a bucket were spread evenly; in the slowest bucket its
 * lower bound, so the real time is at least that. Null without answers. Pure.
 *
 * @param counts answers by bucket.
 * @param part such as 0.95.
 */
export function quantileOf(counts: readonly number[], part: number): number | null {
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (all === 0) return null;
  let before = 0;
  for (const [i, bound] of LATENCY_BOUNDS.entries()) {
    const count = counts[i] ?? 0;
    if (count > 0 && before + count >= all * part) {
      const from = i === 0 ? 0 : LATENCY_BOUNDS[i - 1]!;
      return Math.round(from + ((all * part - before) / count) * (bound - from));
    }
    before += count;
  }
  return LATENCY_BOUNDS.at(-1)!;
}
