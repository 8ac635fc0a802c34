import { pause } from "../lib/pause.ts";

/**
 * Shares the one thread between long answers and everything else: one piece of one of them at a time, whose is next by turns of the
 * tenants, and after each piece a rest as long as the piece took. A turn is for the thread: a piece that waits for the database hands it
 * on after `LATE` and goes on beside the others.
 */
export type Turns = {
  /** Runs a piece of a tenant's answer when it is the tenant's turn. Of one tenant one piece runs at a time, however long it waits. */
  take<T>(tenant: string, piece: () => Promise<T>): Promise<T>;
};

/** The longest rest, milliseconds: a piece that waited for the database used none of the thread. */
const LONGEST_REST = 50;
/** The shortest, milliseconds, as a timer's: rests that are shorter are added up. Each line of a short file cost a timer before. */
const SHORTEST_REST = 1;
/** How long a piece has the turn, milliseconds: a page of 500 lines takes some 15, a query that waits for a lock up to 30 s. */
const LATE = 50;

export function createTurns(rest: (ms: number) => Promise<void> = pause): Turns {
  /** Pieces that wait, by tenant: a tenant that had its turn goes to the end. */
  const waiting = new Map<string, (() => void)[]>();
  /** Tenants of which a piece runs, or rests. One each: two that wait would have both connections for reads of history. */
  const running = new Set<string>();
  let isTaken = false;
  let owed = 0;

  function next(): void {
    const tenant = isTaken ? undefined : waiting.keys().find((one) => !running.has(one));
    if (tenant === undefined) return;
    const [begin, ...others] = waiting.get(tenant)!;
    waiting.delete(tenant);
    if (others.length > 0) waiting.set(tenant, others);
    running.add(tenant);
    isTaken = true;
    begin!();
  }

  /** Calls `end` after the rest that is due. */
  function restThen(elapsed: number, end: () => void): void {
    owed += Math.min(elapsed, LONGEST_REST);
    const due = owed < SHORTEST_REST ? 0 : owed;
    owed -= due;
    if (due === 0) end();
    else void rest(due).then(end);
  }

  return {
    async take(tenant, piece) {
      await new Promise<void>((resolve) => {
        waiting.set(tenant, [...(waiting.get(tenant) ?? []), resolve]);
        next();
      });
      const began = performance.now();
      let hasTurn = true;
      const passOn = () => {
        if (hasTurn) isTaken = false;
        hasTurn = false;
        next();
      };
      const late = setTimeout(passOn, LATE);
      try {
        return await piece();
      } finally {
        clearTimeout(late);
        restThen(performance.now() - began, () => {
          running.delete(tenant);
          passOn();
        });
      }
    },
  };
}

/** What an answer is made of. */
export type Pieces = AsyncIterable<string | Buffer> | Iterable<string | Buffer>;

/** A piece ends with so much text, bytes, or after so long, milliseconds: writers yield single lines, and pages of half a megabyte. */
const PIECE = 64 * 1024;
const MOST_WORK = 5;

/** What an iterator gives, gathered, each piece in its turn. A piece that nobody reads yet takes no turn. */
export async function* inTurns(turns: Turns, tenant: string, pieces: Pieces): AsyncGenerator<string | Buffer> {
  const iterator = gathered(pieces);
  try {
    for (;;) {
      const { done, value } = await turns.take(tenant, () => iterator.next());
      if (done) return;
      yield value;
    }
  } finally {
    await iterator.return(undefined);
  }
}

async function* gathered(pieces: Pieces): AsyncGenerator<string | Buffer> {
  let [parts, length, began]: [(string | Buffer)[], number, number] = [[], 0, performance.now()];
  for await (const part of pieces) {
    parts.push(part);
    length += part.length;
    if (length < PIECE && performance.now() - began < MOST_WORK) continue;
    yield joined(parts);
    [parts, length, began] = [[], 0, performance.now()];
  }
  if (parts.length > 0) yield joined(parts);
}

const joined = (parts: readonly (string | Buffer)[]): string | Buffer =>
  parts.every((part) => typeof part === "string")
    ? parts.join("")
    : Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
