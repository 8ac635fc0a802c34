/**
 * Fails whoever asks for a second connection within a transaction. As many at once as there are connections would each hold one
 * and wait for another, and nothing would go on until the lock time-outs.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { Context } from "../../src/context.ts";
import type { Db } from "../../src/db/pool.ts";

/** Where the transaction began that goes on; undefined: none does. */
const inside = new AsyncLocalStorage<Error>();

/** A test may hold a transaction on purpose: only the gateway's own count. */
const isGateways = ({ stack = "" }: Error): boolean => {
  const from = stack.split("\n").find((line, i) => i > 0 && !line.includes("/one-connection.ts"));
  return from !== undefined && from.includes("/gateway/src/") && !from.includes(".test.ts");
};

/** The same function, which rejects within a transaction of `watched`. */
function outside<Args extends readonly unknown[], T>(
  run: (...args: Args) => Promise<T>,
): (...args: Args) => Promise<T> {
  return (...args) => {
    const begun = inside.getStore();
    if (begun === undefined || !isGateways(begun)) return run(...args);
    return Promise.reject(new Error("a second connection is asked for in a transaction", { cause: begun }));
  };
}

/** A close of a day (`unhurried`) asks for another snapshot, and is alone by its lock. */
export const watched = (db: Db): Db => ({
  ...db,
  query: outside(db.query) as Db["query"],
  reads: outside(db.reads),
  atOnce: outside(db.atOnce) as Db["atOnce"],
  inShardOf: (accountId) => ({ query: outside(db.inShardOf(accountId).query) as Db["query"] }),
  transaction: outside((fn, how) => {
    if (how?.unhurried) return db.transaction(fn, how);
    const begun = new Error("began here");
    return db.transaction((tx) => inside.run(begun, () => fn(tx)), how);
  }) as Db["transaction"],
});

/** What is read of the database once a second: refused whether it is cached or not. */
export function watchCached(psps: Context["psps"]): void {
  const { all, find, findNow, linked, forAccount } = psps;
  Object.assign(psps, {
    ...{ all: outside(all), find: outside(find), findNow: outside(findNow) },
    ...{ linked: outside(linked), forAccount: outside(forAccount) },
  });
}
