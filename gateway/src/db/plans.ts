import type pg from "pg";
import type { Shards } from "./shards.ts";

/**
 * Plans that read rows by key through an index, whatever the size of the tables. Otherwise a plan made while a table was
 * small would scan all of it after it has grown. On one server they are made once for any parameters; on a cluster the
 * planner must see the account to find its shard.
 */
const byKey = ({ spread }: Shards): string =>
  [
    ...(spread ? [] : ["plan_cache_mode = force_generic_plan"]),
    ...["seqscan", "hashjoin", "mergejoin"].map((way) => `enable_${way} = off`),
  ]
    .map((setting) => `set local ${setting}`)
    .join("; ");

/**
 * The plans of a connection are made again, because tables grow: after a second and this many transactions, or after ten
 * seconds. Planning all of them takes PostgreSQL about 5 ms, which is 10 µs for each of these transactions.
 */
const PLANS_LAST = { least: 1_000, transactions: 512, most: 10_000 } as const;

/** How the connections of a pool plan. */
export type Planning = {
  /** The statement that begins a transaction. */
  begin(client: pg.ClientBase, prepared: boolean): string;
  /** Counts a use of a connection's plans; true when they must be made again. */
  isStale(client: pg.ClientBase): boolean;
};

export function createPlanning(shards: Shards): Planning {
  const begun = {
    one: `begin; ${byKey({ ...shards, spread: false })}`,
    spread: `begin; ${byKey({ ...shards, spread: true })}`,
  };
  const plansOf = new WeakMap<pg.ClientBase, { readonly at: number; served: number }>();
  const isStale = (client: pg.ClientBase): boolean => {
    const now = performance.now();
    const plans = plansOf.get(client);
    if (plans !== undefined) {
      const age = now - plans.at;
      plans.served += 1;
      const few = plans.served < PLANS_LAST.transactions && age < PLANS_LAST.most;
      if (few || age < PLANS_LAST.least) return false;
    }
    plansOf.set(client, { at: now, served: 0 });
    return true;
  };
  return {
    isStale,
    begin(client, prepared) {
      if (!prepared) return "begin";
      const begin = shards.spread ? begun.spread : begun.one;
      return isStale(client) ? `discard plans; ${begin}` : begin;
    },
  };
}
