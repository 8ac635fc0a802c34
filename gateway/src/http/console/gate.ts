/** Runs `atOnce` pieces of work at once and lets `maxWaiting` wait; null: too many wait, and this one was not begun. */
type Gate = <T>(work: () => Promise<T>) => Promise<T> | null;

export function createGate({ atOnce, maxWaiting }: { readonly atOnce: number; readonly maxWaiting: number }): Gate {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1;
    // Whoever ends hands its place over, so nobody overtakes.
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
  return (work) => (free === 0 && waiting.length >= maxWaiting ? null : run(work));
}
