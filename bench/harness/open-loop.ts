/** Most calls that wait for their answers; past it a call that is due is left out and counted as unsent. */
const UNDER_WAY = 20_000;

export type OpenLoad = {
  readonly seconds: number;
  /** Milliseconds, sorted: calls answered 2xx, and calls refused with 429 or 503. */
  readonly good: Float64Array;
  readonly refused: Float64Array;
  /** Other answers and lost ones, by what they were. */
  readonly other: ReadonlyMap<string, number>;
  readonly unsent: number;
};

/**
 * Begins calls at a rate, whatever becomes of those before: as the world outside does. Latencies count from when a call
 * was due. Good and refused ones are counted while the load lasts; what is under way at its end is waited for.
 *
 * @param options.warmUp seconds before, of which nothing counts: until as many calls are under way as there will be, fewer
 *   are answered than are taken on.
 */
export async function openLoop(options: {
  readonly rate: number;
  readonly warmUp?: number;
  readonly seconds: number;
  readonly call: () => Promise<number>;
}): Promise<OpenLoad> {
  const { rate, warmUp = 0, seconds, call } = options;
  const good: number[] = [];
  const refused: number[] = [];
  const other = new Map<string, number>();
  const underWay = new Set<Promise<void>>();
  let unsent = 0;
  const began = performance.now();
  const counted = began + warmUp * 1_000;
  const end = counted + seconds * 1_000;
  const one = async (due: number) => {
    const what = await call().catch((error: unknown) => String((error as { code?: unknown }).code ?? error));
    const now = performance.now();
    if ((now < counted || now > end) && typeof what === "number") return;
    if (typeof what === "number" && what >= 200 && what < 300) good.push(now - due);
    else if (what === 429 || what === 503) refused.push(now - due);
    else other.set(String(what), (other.get(String(what)) ?? 0) + 1);
  };
  for (let sent = 0; ; ) {
    // A machine that is busy elsewhere begins calls late, also after the end: none that is due is left out.
    const now = Math.min(performance.now(), end);
    for (const due = Math.floor(((now - began) / 1_000) * rate); sent < due; sent += 1) {
      if (underWay.size >= UNDER_WAY) {
        unsent += 1;
        continue;
      }
      // The first is due when its part of a second has passed, not at once.
      const going = one(began + ((sent + 1) / rate) * 1_000).finally(() => underWay.delete(going));
      underWay.add(going);
    }
    if (now === end) break;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(underWay);
  const sorted = (list: readonly number[]) => Float64Array.from(list).sort();
  return { seconds, good: sorted(good), refused: sorted(refused), other, unsent };
}
