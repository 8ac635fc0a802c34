import type { Queries } from "../db/pool.ts";
import { ApiError } from "../http/errors.ts";
import { pause } from "../lib/pause.ts";

/** A day with at most this many charges is counted at each request: about 40 ms. */
const MANY = 20_000;
/**
 * After a longer count the wallet's next one waits for this many times its duration, at most `LONGEST` milliseconds.
 * Until then the last count is shown.
 */
const REST = 9;
const LONGEST = 5_000;
/** Most counts that wait for their turn. */
const WAITING = 2;

type Counts = { readonly created: number; readonly paid: number };
/** A wallet with many charges: one count at a time, and a pause after it. */
type Slow = {
  turn: Promise<unknown>;
  waiting: number;
  freeAt: number;
  kept: { readonly name: string; readonly counts: Counts } | null;
};
const slowBy = new WeakMap<Queries, Map<string, Slow>>();

/**
 * Counts the charges of a wallet. Where they are many, counts run one at a time, a tenth of the time: meanwhile the
 * last count is shown to those who ask for the same one, and other counts wait.
 *
 * @param name identifies what is counted, such as the period.
 * @throws ApiError 429 when too many wait.
 */
export async function pacedCount(
  queries: Queries,
  walletId: string,
  name: string,
  count: () => Promise<Counts>,
): Promise<Counts> {
  const all = slowBy.get(queries) ?? new Map<string, Slow>();
  slowBy.set(queries, all);
  const run = async (): Promise<Counts> => {
    const began = performance.now();
    const counts = await count();
    const ended = performance.now();
    if (counts.created <= MANY) return counts;
    const slow = all.get(walletId) ?? { turn: Promise.resolve(), waiting: 0, freeAt: 0, kept: null };
    all.set(walletId, slow);
    slow.freeAt = ended + Math.min(LONGEST, REST * (ended - began));
    slow.kept = { name, counts };
    return counts;
  };
  const slow = all.get(walletId);
  if (slow === undefined) return run();
  const lastCount = () => (slow.kept?.name === name && performance.now() < slow.freeAt ? slow.kept.counts : null);
  const counts = lastCount();
  if (counts !== null) return counts;
  if (slow.waiting >= WAITING) {
    throw new ApiError("TOO_MANY_READS", undefined, { retryable: true }, { "retry-after": "5" });
  }
  slow.waiting += 1;
  const mine = slow.turn.then(async () => {
    const shared = lastCount();
    if (shared !== null) return shared;
    await pause(Math.max(0, slow.freeAt - performance.now()));
    return run();
  });
  slow.turn = mine.catch(() => {});
  return mine.finally(() => {
    slow.waiting -= 1;
    if (slow.waiting === 0 && performance.now() > slow.freeAt + LONGEST) all.delete(walletId);
  });
}
