import { useEffect, useState } from "react";

/**
 * The gateway acts a moment after the due time. The first reading after it, and the shortest and longest pause between
 * two, ms.
 */
const [AFTER_MS, LEAST_MS, MOST_MS] = [500, 1_000, 60_000];

/**
 * The pause until the next reading, ms, by the times at which the gateway acts next; false without any. After a due
 * time the pauses grow.
 */
export function untilDue(moments: readonly (string | undefined)[], now = Date.now()): number | false {
  const waits = moments
    .filter((at) => at !== undefined)
    .map((at) => new Date(at).getTime() - now)
    .map((left) => (left > 0 ? left + AFTER_MS : Math.max(2 * LEAST_MS, -left)));
  return waits.length > 0 && Math.min(Math.max(Math.min(...waits), LEAST_MS), MOST_MS);
}

/** Whether a moment lies ahead; the calling component is rendered again when it has passed. */
export function useIsAhead(at: string | undefined): boolean {
  const left = at === undefined ? 0 : new Date(at).getTime() - Date.now();
  const [, renew] = useState(0);
  useEffect(() => {
    const wait = at === undefined ? 0 : new Date(at).getTime() - Date.now();
    if (wait <= 0) return;
    const timer = setTimeout(() => renew((last) => last + 1), Math.min(wait + 1, MOST_MS));
    return () => clearTimeout(timer);
  });
  return left > 0;
}
