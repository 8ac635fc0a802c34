import { pause } from "./pause.ts";

/**
 * Shares the one thread between long answers and everything else: one piece of one of them at a time, whose is next by turns of the
 * tenants, and after each piece a rest as long as the piece took.
 */
export type Turns = {
  /** Runs a piece of a tenant's answer when it is the tenant's turn. */
  take<T>(tenant: string, piece: () => Promise<T>): Promise<T>;
};

/** The longest rest, milliseconds: a piece that waited for the database used none of the thread. */
const LONGEST_REST = 50;

export function createTurns(rest: (ms: number) => Promise<void> = pause): Turns {
  /** Pieces that wait, by tenant: a tenant that had its turn goes to the end. */
  const waiting = new Map<string, (() => void)[]>();
  let busy = false;

  function next(): void {
    const [first] = waiting;
    busy = first !== undefined;
    if (first === undefined) return;
    const [tenant, [begin, ...others]] = first;
    waiting.delete(tenant);
    if (others.length > 0) waiting.set(tenant, others);
    begin!();
  }

  return {
    async take(tenant, piece) {
      await new Promise<void>((resolve) => {
        waiting.set(tenant, [...(waiting.get(tenant) ?? []), resolve]);
        if (!busy) next();
      });
      const began = performance.now();
      try {
        return await piece();
      } finally {
        void rest(Math.min(performance.now() - began, LONGEST_REST)).then(next);
      }
    },
  };
}

/** What an iterator gives, each piece in its turn. A piece that nobody reads yet takes no turn. */
export async function* inTurns<T>(
  turns: Turns,
  tenant: string,
  pieces: AsyncIterable<T> | Iterable<T>,
): AsyncGenerator<T> {
  const iterator = Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  try {
    for (;;) {
      const { done, value } = await turns.take(tenant, async () => iterator.next());
      if (done) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}
