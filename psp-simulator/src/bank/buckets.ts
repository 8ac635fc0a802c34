/** Calls that one address, and all together, may make at once, and each second after that. */
const OF_ONE = { most: 30, perSecond: 5 };
const OF_ALL = { most: 200, perSecond: 50 };
/** Most addresses that are remembered; with more, the longest known one is forgotten: all together are still limited. */
const MOST_KNOWN = 1_000;

type Bucket = { left: number; at: number };

/** Limits the calls of the payers' door, by the machine's own clock, which nobody sets. */
export function newBuckets(now: () => number = () => performance.now()): { take(address: string): boolean } {
  const all: Bucket = { left: OF_ALL.most, at: now() };
  const known = new Map<string, Bucket>();

  const fill = (bucket: Bucket, { most, perSecond }: typeof OF_ONE): Bucket => {
    const at = now();
    bucket.left = Math.min(most, bucket.left + ((at - bucket.at) / 1_000) * perSecond);
    bucket.at = at;
    return bucket;
  };

  return {
    /** Whether one more call of this address may be answered. */
    take(address) {
      const own = fill(known.get(address) ?? { left: OF_ONE.most, at: now() }, OF_ONE);
      known.delete(address);
      known.set(address, own);
      if (known.size > MOST_KNOWN) known.delete(known.keys().next().value as string);
      if (own.left < 1 || fill(all, OF_ALL).left < 1) return false;
      own.left -= 1;
      all.left -= 1;
      return true;
    },
  };
}
