import type { Context } from "../../context.ts";
import { NIL_UUID } from "../../lib/ids.ts";
import { findQueues, type Queue } from "./claim.ts";

/** Endpoints that one query finds at most. */
const QUEUES_PER_QUERY = 1_000;
/** Queries take at most 1/5 of the time; the pause between two is never longer than this, milliseconds. */
const QUERY_SHARE = 5;
const MAX_PAUSE_MS = 200;
/**
 * The cost of a query counts as at most this many times that of the previous one. Every query is slow while a process is
 * busy with a burst of deliveries; a pause in proportion made the next burst larger (at half load 40 to 100 ms from commit to
 * receipt instead of 20 to 40).
 */
const MAX_COST_GROWTH = 1.5;
/**
 * A pass begins this long before the previous one began, milliseconds, for deliveries that were committed late or by a
 * process whose clock is behind. The full pass finds older ones: claims of a dead process, and endpoints that another
 * process enabled.
 */
const OVERLAP_MS = 1_000;
/** Interval of full passes, milliseconds; they take at most 1/20 of the time. */
const FULL_PASS_MS = 2_000;
const FULL_PASS_SHARE = 20;

const START = {
  accountId: NIL_UUID,
  endpointId: NIL_UUID,
} as const;
const EVER = new Date(0);

/** A hint: an endpoint was enabled, so deliveries older than the last pass wait for it. */
export const REOPENED = "deliver/reopened";

export type Poller = {
  /** Queries for endpoints with due deliveries, unless the pause is not over. Concurrent callers share one query. */
  poll(): Promise<void>;
  close(): void;
};

/**
 * Finds the endpoints that have due deliveries and passes them to `onQueue`. A pass covers all endpoints, in several
 * queries if they are many. Sent deliveries stay at the head of the index until the table is vacuumed, and a full pass
 * reads all of them. Most passes therefore begin where the previous one began, plus an overlap
 * (docs/decisions/0021-search-from-last-position.md).
 */
export function createPoller(ctx: Context, onQueue: (queue: Queue) => void): Poller {
  /** The last endpoint of an incomplete pass. */
  let last: Queue | null = null;
  let passBeganAt = 0;
  /** Time that the queries of this pass took, milliseconds. */
  let passCost = 0;
  /** When the last complete pass began. */
  let completeUntil = 0;
  let nextFullPassAt = 0;
  const pace = createPace();
  let polling: Promise<void> | null = null;
  let timer: NodeJS.Timeout | null = null;
  const off = ctx.hints.onWake(REOPENED, () => {
    nextFullPassAt = 0;
  });

  async function poll(): Promise<void> {
    const now = ctx.clock.now();
    const wait = pace.wait(now);
    if (wait > 0) {
      wakeAfter(wait);
      return;
    }
    const after = last ?? beginPass(now);
    const queues = await findQueues(ctx, new Date(now), after, QUEUES_PER_QUERY);
    for (const queue of queues) onQueue(queue);
    const ended = ctx.clock.now();
    pace.measure(now, ended);
    passCost += ended - now;
    last = queues.length < QUEUES_PER_QUERY ? null : (queues.at(-1) as Queue);
    if (last === null) endPass(after, ended);
  }

  /** Wakes the delivery loop when the pause is over, instead of at the end of the loop's own pause. */
  function wakeAfter(wait: number): void {
    timer ??= setTimeout(() => {
      timer = null;
      ctx.hints.wake("deliver");
    }, wait);
  }

  /** After a clock stepped back the pass is a full one. */
  function beginPass(now: number): Queue {
    const full = now >= nextFullPassAt || now < completeUntil;
    [passBeganAt, passCost] = [now, 0];
    return { ...START, from: full ? EVER : new Date(completeUntil - OVERLAP_MS) };
  }

  function endPass({ from }: Queue, ended: number): void {
    if (from === EVER) nextFullPassAt = ended + Math.max(FULL_PASS_MS, passCost * (FULL_PASS_SHARE - 1));
    completeUntil = passBeganAt;
  }

  return {
    poll() {
      polling ??= poll().finally(() => {
        polling = null;
      });
      return polling;
    },
    close() {
      off();
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** Decides how long to wait between two queries. Times are milliseconds. */
function createPace() {
  let cost = 1;
  let nextAt = 0;
  return {
    /**
     * Time until the next query may begin. A wait longer than the longest pause comes from a clock that stepped back: 0.
     */
    wait(now: number): number {
      const wait = nextAt - now;
      return wait > 0 && wait <= MAX_PAUSE_MS ? wait : 0;
    },
    measure(began: number, ended: number): void {
      cost = Math.min(ended - began, Math.max(1, cost * MAX_COST_GROWTH));
      nextAt = ended + Math.min(cost * (QUERY_SHARE - 1), MAX_PAUSE_MS);
    },
  };
}
