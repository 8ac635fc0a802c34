import type { Context } from "../context.ts";
import { uuids } from "../db/arrays.ts";
import type { Columns } from "../db/columns.ts";
import type { DueRows } from "../db/due-rows/claim.ts";
import { createRunner, type Runner, type RunnerOptions } from "../db/due-rows/runner.ts";
import { type Fragment, type InTenants, part } from "../db/sql.ts";

/** Slots beside the usual ones. Only institutions that hold fewer than `FEW` slots get one. */
const BESIDE = 32;
const FEW = 8;
/**
 * Spend at most 1/6 of the time searching for such rows, since the search passes over all rows that are due at other
 * institutions.
 */
const SEARCH_SHARE = 6;

type Options<Due> = Omit<RunnerOptions<Due>, "claim" | "inFlight"> & {
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
): Runner {
  const held = new Map<string, number>();
  const count = (institutionId: string, by: 1 | -1): void => {
    const slots = (held.get(institutionId) ?? 0) + by;
    if (slots === 0) held.delete(institutionId);
    else held.set(institutionId, slots);
  };
  const crowded = (): string[] => [...held].flatMap(([id, slots]) => (slots >= FEW ? [id] : []));
  /** Whether the usual slots had room: then nothing waits for others. */
  let hadRoom = false;
  const counted: RunnerOptions<Due> = {
    ...options,
    claim(limit) {
      hadRoom = true;
      return options.claim(limit, []);
    },
    async process(due) {
      count(due.institutionId, 1);
      try {
        return await options.process(due);
      } finally {
        count(due.institutionId, -1);
      }
    },
  };
  const usual = createRunner(ctx, counted);
  const beside = createRunner(ctx, {
    ...counted,
    inFlight: BESIDE,
    claim: (limit) => options.claim(Math.min(limit, FEW), crowded()),
  });
  let searchAt = 0;
  return {
    async runDue() {
      hadRoom = false;
      const began = await usual.runDue();
      const from = performance.now();
      if (hadRoom || from < searchAt || crowded().length === 0) return began;
      const found = await beside.runDue();
      searchAt = from + (performance.now() - from) * SEARCH_SHARE;
      return found;
    },
    async idle() {
      await Promise.all([usual.idle(), beside.idle()]);
    },
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
