import type { Logger } from "pino";
import type { Clock } from "../../lib/clock.ts";
import { failpoint } from "../../lib/failpoint.ts";
import type { Attributes, Tracing } from "../../telemetry/tracing.ts";
import { passesByItself } from "../batch.ts";
import { levelOf } from "../pool.ts";

/** What a runner works with, of the program's context. */
type Running = {
  readonly clock: Clock;
  readonly log: Logger;
  readonly tracing: Tracing;
  readonly hints: { wake(loop: string): void };
};

/** Processes due rows, a bounded number at once. */
export type Runner = {
  /** Claims and begins as many due rows as there are free slots; returns how many. */
  runDue(): Promise<number>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
};

/** Also begins rows that a writer stored as claimed, so that no statement has to find them. */
export type DirectRunner<Due> = Runner & {
  /** Slots that are free now. */
  free(): number;
  begin(dues: readonly Due[]): void;
};

export type RunnerOptions<Due> = {
  /** The loop's name. The loop is woken when slots are free again and more rows may be due. */
  readonly loop: string;
  readonly inFlight?: number;
  /** Claims due rows by moving their due time, so that no other process gets them. */
  claim(limit: number): Promise<readonly Due[]>;
  /** Returns when the row is due again; null: not at a known time. */
  process(due: Due): Promise<Date | null>;
  /**
   * Handles a row whose processing threw an error that will not pass by itself. Left out: the row is due again when its
   * lease ends.
   */
  failed?(due: Due): Promise<unknown>;
  /**
   * The span of one row, in the trace of the object `objectId`; null: in no trace. Without `name` it has the loop's name.
   */
  span(due: Due): { readonly name?: string; readonly objectId: string | null; readonly attributes?: Attributes };
  /** Fields for the log. */
  describe(due: Due): Readonly<Record<string, unknown>>;
};

/** Slots, unless the loop says otherwise. */
const IN_FLIGHT = 64;
/**
 * A row that is due again within this time wakes its loop then; a later one is found at the loop's next pass. Milliseconds.
 */
const SOON = 5_000;
/** Rows that become due within this time of each other share one wake-up. Milliseconds. */
const GRAIN = 25;

/**
 * Makes the runner of a loop. It claims again when half of the slots are free, many rows with one statement: claimed one by
 * one, a flood of notifications spent most of PostgreSQL's time on claims.
 */
export function createRunner<Due>(ctx: Running, options: RunnerOptions<Due>): DirectRunner<Due> {
  const { loop, inFlight: slots = IN_FLIGHT } = options;
  const inFlight = new Set<Promise<void>>();
  /** More rows may be due than there were slots. Only then does a finished row wake the loop. */
  let mayHaveMore = false;
  const halfFree = () => slots - inFlight.size >= slots / 2;
  const wakeAt = createAlarms(ctx, loop);

  function begin(dues: readonly Due[]): void {
    if (dues.length > 0) failpoint("task.claimed", loop);
    for (const due of dues) {
      const going = ctx.tracing
        .span({ name: loop, ...options.span(due) }, () => options.process(due))
        .then((retryAt) => {
          if (retryAt) wakeAt(retryAt);
        })
        .catch(async (error: unknown) => {
          // The row is due again when its lease ends, and processing it twice has the effect of once.
          const fields = { err: error, ...options.describe(due) };
          ctx.log[levelOf(error)](fields, `the loop ${loop} could not process a row`);
          if (!passesByItself(error)) await options.failed?.(due);
        })
        .catch((error: unknown) => {
          const fields = { err: error, ...options.describe(due) };
          ctx.log[levelOf(error)](fields, `the loop ${loop} could not mark a row`);
        })
        .finally(() => {
          inFlight.delete(going);
          if (mayHaveMore && halfFree()) ctx.hints.wake(loop);
        });
      inFlight.add(going);
    }
  }

  return {
    free: () => Math.max(0, slots - inFlight.size),
    begin,
    async runDue() {
      mayHaveMore = true;
      if (!halfFree()) return 0;
      const free = slots - inFlight.size;
      const dues = await options.claim(free);
      mayHaveMore = dues.length === free;
      begin(dues);
      return dues.length;
    },
    async idle() {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
  };
}

/** Gives the function that wakes the loop at a time, if that is soon. */
function createAlarms(ctx: Running, loop: string): (at: Date) => void {
  const alarms = new Set<number>();
  return (at) => {
    // A time in the past means now: a clock that was moved may be far beyond it, and a timer takes no negative number.
    const wait = Math.max(0, at.getTime() - ctx.clock.now());
    if (wait > SOON) return;
    const grain = Math.ceil((performance.now() + wait) / GRAIN);
    if (alarms.has(grain)) return;
    alarms.add(grain);
    const ring = (): void => {
      alarms.delete(grain);
      ctx.hints.wake(loop);
    };
    setTimeout(ring, Math.max(0, grain * GRAIN - performance.now())).unref();
  };
}
