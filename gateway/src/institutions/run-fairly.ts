import type { Context } from "../context.ts";
import { uuids } from "../db/arrays.ts";
import type { Columns } from "../db/columns.ts";
import type { DueRows } from "../db/due-rows/claim.ts";
import { createRunner, type DirectRunner, type RunnerOptions } from "../db/due-rows/runner.ts";
import { type Fragment, type InTenants, part } from "../db/sql.ts";

/** Slots beside the usual ones. Only institutions that hold fewer than `FEW` slots get one. */
const BESIDE = 32;
const FEW = 8;
/**
 * Rows of such institutions are searched once the usual slots have been full for this long, milliseconds: a busy bank frees
 * some sooner.
 */
const PATIENCE = 500;
/**
 * Spend at most 1/6 of the time searching for such rows, since the search passes over all rows that are due at other
 * institutions.
 */
const SEARCH_SHARE = 6;

type Options<Due> = Omit<RunnerOptions<Due>, "claim"> & {
  /** Claims due rows, without those of these institutions. */
  claim(limit: number, without: readonly string[]): Promise<readonly Due[]>;
};

/**
 * Makes the runner of rows that institutions are called for. A row of an institution that hangs keeps its slot until its calls
 * time out, and what is due longest is claimed first: a few hundred of them would keep every slot from the rows of other
 * institutions. So there are slots beside the usual ones for institutions that hold few.
 */
export function createFairRunner<Due extends { readonly institutionId: string }>(
  ctx: Context,
  options: Options<Due>,
): DirectRunner<Due> {
  const held = createHeld();
  /** Since when the usual slots have had no room; null: they had, so that nothing waits for others. */
  let fullSince: number | null = null;
  const counted: RunnerOptions<Due> = {
    ...options,
    claim(limit) {
      fullSince = null;
      return options.claim(limit, []);
    },
    async process(due) {
      held.count(due.institutionId, 1);
      try {
        return await options.process(due);
      } finally {
        const slots = held.count(due.institutionId, -1);
        // Its next few may go: otherwise they would wait for the loop's pause.
        if (fullSince !== null && slots === FEW / 2) ctx.hints.wake(options.loop);
      }
    },
  };
  const usual = createRunner(ctx, counted);
  const beside = createRunner(ctx, {
    ...counted,
    inFlight: BESIDE,
    claim: (limit) => options.claim(Math.min(limit, FEW), held.crowded()),
  });
  let searchAt = 0;
  let isPutOff = false;
  const searchLater = (ms: number): void => {
    if (isPutOff) return;
    isPutOff = true;
    setTimeout(() => {
      isPutOff = false;
      ctx.hints.wake(options.loop);
    }, ms).unref();
  };
  return {
    free: usual.free,
    begin: usual.begin,
    async runDue() {
      fullSince ??= performance.now();
      const began = await usual.runDue();
      const from = performance.now();
      const waits = fullSince !== null && from - fullSince >= PATIENCE;
      if (!waits || held.crowded().length === 0) return began;
      if (from < searchAt) {
        searchLater(searchAt - from);
        return began;
      }
      const found = await beside.runDue();
      searchAt = from + (performance.now() - from) * SEARCH_SHARE;
      return found;
    },
    async idle() {
      await Promise.all([usual.idle(), beside.idle()]);
    },
  };
}

/** The slots that each institution holds. */
function createHeld() {
  const held = new Map<string, number>();
  return {
    count(institutionId: string, by: 1 | -1): number {
      const slots = (held.get(institutionId) ?? 0) + by;
      if (slots === 0) held.delete(institutionId);
      else held.set(institutionId, slots);
      return slots;
    },
    /** Those that hold more than a few. */
    crowded: (): string[] => [...held].flatMap(([id, slots]) => (slots >= FEW ? [id] : [])),
  };
}

/**
 * The due rows without those of these institutions.
 *
 * @param institutionOf SQL that gives the institution of a row `d`; left out: its column.
 */
export function leavingOut<C extends Columns, F extends keyof C & string>(
  due: DueRows<C, F>,
  institutionIds: readonly string[],
  institutionOf: (tenants: InTenants) => Fragment = () => part`d.institution_id`,
): DueRows<C, F> {
  if (institutionIds.length === 0) return due;
  const isOther = (tenants: InTenants) => part`${institutionOf(tenants)} <> all(${uuids(institutionIds)}::uuid[])`;
  return { ...due, only: (tenants, now) => part`${due.only?.(tenants, now) ?? part`true`} and ${isOther(tenants)}` };
}
