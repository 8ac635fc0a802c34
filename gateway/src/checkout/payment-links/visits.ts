import type { Context } from "../../context.ts";
import { levelOf } from "../../db/pool.ts";
import { addVisits, type Visits } from "./link.ts";

/** How long visits wait to be written together, milliseconds, and of how many links. */
const PAUSE = 2_000;
const MOST_LINKS = 10_000;

type Place = { readonly accountId: string; readonly linkId: string };
export type VisitCounter = {
  note(place: Place, what: keyof Visits): void;
  /** Writes what waits. */
  stop(): Promise<void>;
};

/**
 * Counts visits of links' pages, and writes them every two seconds: a visitor costs no write. They are statistics: a process that
 * dies loses those that wait, and beyond 10,000 links at one time the rest is not counted.
 */
export function createVisitCounter({ db, log }: Pick<Context, "db" | "log">): VisitCounter {
  let waiting = new Map<string, Place & { opened: number; started: number }>();
  let timer: NodeJS.Timeout | null = null;

  async function write(): Promise<void> {
    timer = null;
    const all = waiting;
    waiting = new Map();
    // One by one: several rows in one statement could wait for each other with another process's.
    for (const visits of all.values())
      await addVisits(db, visits).catch((error: unknown) =>
        log[levelOf(error)]({ err: error }, "visits of a payment link were not counted"),
      );
  }

  return {
    note({ accountId, linkId }, what) {
      const visits = waiting.get(linkId) ?? { accountId, linkId, opened: 0, started: 0 };
      if (waiting.size >= MOST_LINKS && !waiting.has(linkId)) return;
      visits[what] += 1;
      waiting.set(linkId, visits);
      timer ??= setTimeout(write, PAUSE).unref();
    },
    async stop() {
      if (timer !== null) clearTimeout(timer);
      await write();
    },
  };
}
