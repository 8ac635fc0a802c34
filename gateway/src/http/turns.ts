import { pause } from "../lib/pause.ts";

/**
 * Shares the process's one thread between long answers and everything else. One piece of one answer runs at a time; tenants
 * take turns; after each piece the thread is left to others for as long as the piece took. A turn is about the thread only:
 * a piece that waits for the database hands its turn on after `LATE` and continues beside the others.
 */
export type Turns = {
  /**
   * Runs a piece of a tenant's answer when it is the tenant's turn. A tenant runs one piece at a time, however long it
   * waits.
   */
  take<T>(tenant: string, piece: () => Promise<T>): Promise<T>;
};

/** The name of an account in `Turns`, one for everything of the account that takes the thread for long. */
export const turnOf = (accountId: string): string => `merchants ${accountId}`;

/** The longest rest, milliseconds: a piece that waited for the database used no CPU. */
const LONGEST_REST = 50;
/**
 * The shortest rest, milliseconds, because timers are no finer: shorter rests are added up. Otherwise each line of a short
 * file would cost a timer.
 */
const SHORTEST_REST = 1;
/**
 * How long a piece may keep its turn, milliseconds: a page of 500 lines takes some 15, a query that waits for a lock up to
 * 30 s.
 */
const LATE = 50;

export function createTurns(rest: (ms: number) => Promise<void> = pause): Turns {
  /** Waiting pieces, by tenant. A tenant that had its turn moves to the end. */
  const waiting = new Map<string, (() => void)[]>();
  /**
   * Tenants with a piece that runs or rests, one each: two pieces that wait would use both connections for reads of
   * history.
   */
  const running = new Set<string>();
  let isTaken = false;
  let owed = 0;

  function next(): void {
    const tenant = isTaken ? undefined : waiting.keys().find((candidate) => !running.has(candidate));
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

/** The pieces of an answer. */
export type Pieces = AsyncIterable<string | Buffer> | Iterable<string | Buffer>;

/**
 * A piece ends at this size (bytes) or after this time (milliseconds): writers yield single lines as well as pages of half
 * a megabyte.
 */
const PIECE = 64 * 1024;
const MOST_WORK = 5;

/** Gathers the output of an iterator into pieces, each in its turn. A piece that nobody reads yet takes no turn. */
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
