import type { Clock } from "../lib/clock.ts";

/** A holder may have at most this many times as many calls as are left (docs/decisions/0017-admission.md). */
const TIMES = 4;
/** A part smaller than this counts as none, so that it bars nobody from a limit of few calls. */
const LEAST = 1 / 2;
/** How long a limit counts as shared after two holders have asked within this time, milliseconds. */
const SHARED_FOR = 600_000;
/** Parts are scaled anew before they become too small for a double. */
const SMALLEST = 1e-6;

/**
 * Divides a limit fairly among its holders. While several use it, none may have so much that nothing is left for the next one.
 * A holder that floods keeps the whole pace as long as nobody else uses the limit, but some calls are always left.
 */
export function createFairShares({ now }: Pick<Clock, "now">) {
  /** By holder, divided by `scale`. */
  const parts = new Map<string, number>();
  let [total, scale] = [0, 1];
  let last = { holder: "", at: Number.NEGATIVE_INFINITY };
  let sharedUntil = Number.NEGATIVE_INFINITY;
  return {
    /** Allows `calls` more calls: the part of each holder shrinks in proportion. */
    giveBack(calls: number): void {
      const left = Math.max(0, total - calls);
      if (left === 0) parts.clear();
      [total, scale] = [left, left === 0 ? 1 : (scale * left) / total];
      if (scale >= SMALLEST) return;
      for (const [holder, part] of parts) {
        if (part * scale < LEAST) parts.delete(holder);
        else parts.set(holder, part * scale);
      }
      scale = 1;
    },
    /** Whether a holder must leave the calls that are left to the others. */
    mustLeave(holder: string, left: number): boolean {
      const at = now();
      if (last.holder !== holder && at - last.at < SHARED_FOR) sharedUntil = at + SHARED_FOR;
      last = { holder, at };
      const own = (parts.get(holder) ?? 0) * scale;
      return at < sharedUntil && own >= LEAST && own + 1 > TIMES * (left - 1);
    },
    take(holder: string): void {
      parts.set(holder, (parts.get(holder) ?? 0) + 1 / scale);
      total += 1;
    },
  };
}
