import { useEffect, useLayoutEffect, useState } from "react";

/** Whether this many milliseconds have passed since the calling component was first shown. */
export function useHasPassed(ms: number): boolean {
  const [hasPassed, setHasPassed] = useState(ms <= 0);
  useEffect(() => {
    const timer = setTimeout(() => setHasPassed(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return hasPassed;
}

/** A wait that begins within this time after the one before goes on with it, ms: a screen's code comes first, then its data. */
const GAP_MS = 100;
const waits = { count: 0, since: 0, endedAt: Number.NEGATIVE_INFINITY };

/** Whether the page has waited this long, milliseconds, for one thing after the other: the calling component waits while it is shown. */
export function useHasWaited(ms: number): boolean {
  const [left] = useState(() => {
    const now = performance.now();
    if (waits.count === 0 && now - waits.endedAt > GAP_MS) waits.since = now;
    return ms - (now - waits.since);
  });
  useLayoutEffect(() => {
    waits.count += 1;
    return () => {
      waits.count -= 1;
      waits.endedAt = performance.now();
    };
  }, []);
  return useHasPassed(left);
}
