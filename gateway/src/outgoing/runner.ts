import type { Context } from "../context.ts";
import { levelOf } from "../db/pool.ts";
import { failpoint } from "../lib/failpoint.ts";
import type { Attributes } from "../lib/tracing.ts";

/** Carries on rows that are due, a bounded number at once. */
export type Runner = {
  /** Begins what is due, as far as there is room; gives how many rows it began. */
  runDue(): Promise<number>;
  idle(): Promise<void>;
};

/** One to which whoever writes a row can give it at once, claimed as it is written: no statement has to look for it. */
export type Taker<Due> = Runner & {
  /** Rows that may be given now. */
  room(): number;
  begin(dues: readonly Due[]): void;
};

/** Rows under way at once, unless the loop says otherwise. */
const IN_FLIGHT = 64;
/** A row that is due again within this time wakes its loop then; a later one is found by the loop's pause. Milliseconds. */
const SOON = 5_000;
/** Wake-ups for rows that are due at nearly the same time are one. */
const GRAIN = 25;

/**
 * Makes the runner of a loop. More rows are claimed when half of those under way have ended, many with one statement:
 * claimed one by one as each ended, a flood of notifications spent most of PostgreSQL's time on claims.
 *
 * @param options.claim takes due rows by moving their due time, so that another process does not see them meanwhile.
 */
export function createRunner<Due>(
  ctx: Context,
  options: {
    /** The loop's name; it is woken when there is room again for what may be left. */
    readonly loop: string;
    readonly inFlight?: number;
    claim(limit: number): Promise<readonly Due[]>;
    /** Gives when the row is due again; null: by other news only, or never. */
    carry(due: Due): Promise<Date | null>;
    /** Its span, part of the life of the object `of`; null: of none. The name is the loop's where none is given. */
    span(due: Due): { readonly name?: string; readonly of: string | null; readonly attributes?: Attributes };
    /** For the log. */
    describe(due: Due): Readonly<Record<string, unknown>>;
  },
): Taker<Due> {
  const { loop, inFlight: most = IN_FLIGHT } = options;
  const inFlight = new Set<Promise<void>>();
  /** More may be due than there was room for. Only then is a row that ends a reason to look again. */
  let more = false;
  const hasRoom = () => most - inFlight.size >= most / 2;
  const alarms = new Set<number>();

  function wakeAt(at: Date): void {
    const wait = at.getTime() - ctx.clock.now();
    if (wait > SOON) return;
    const grain = Math.ceil((performance.now() + wait) / GRAIN);
    if (alarms.has(grain)) return;
    alarms.add(grain);
    setTimeout(
      () => {
        alarms.delete(grain);
        ctx.hints.wake(loop);
      },
      grain * GRAIN - performance.now(),
    ).unref();
  }

  function begin(dues: readonly Due[]): void {
    if (dues.length > 0) failpoint("task.claimed", loop);
    for (const due of dues) {
      const going = ctx.tracing
        .span({ name: loop, ...options.span(due) }, () => options.carry(due))
        .then((again) => {
          if (again) wakeAt(again);
        })
        .catch((error: unknown) => {
          // Unmarked, it is due again when the claim ends, and doing it twice is the same as once.
          ctx.log[levelOf(error)](
            { err: error, ...options.describe(due) },
            `the loop ${loop} could not carry a row on`,
          );
        })
        .finally(() => {
          inFlight.delete(going);
          if (more && hasRoom()) ctx.hints.wake(loop);
        });
      inFlight.add(going);
    }
  }

  return {
    room: () => Math.max(0, most - inFlight.size),
    begin,
    async runDue() {
      more = true;
      if (!hasRoom()) return 0;
      const room = most - inFlight.size;
      const dues = await options.claim(room);
      more = dues.length === room;
      begin(dues);
      return dues.length;
    },
    async idle() {
      while (inFlight.size > 0) await Promise.all(inFlight);
    },
  };
}
