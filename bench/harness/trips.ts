import pg from "pg";

export type Trips = {
  read(): { readonly statements: number; readonly trips: number };
  /** Makes every connection report its statistics now (`pg_stat_io`); not counted. */
  report(): Promise<void>;
};

/**
 * Counts the statements of this process and its round trips to PostgreSQL: a trip begins with a statement that is sent
 * when everything sent before has been answered. Statements that go out together make one.
 */
export function countTrips(): Trips {
  const counts = { statements: 0, trips: 0 };
  const underWay = new WeakSet<object>();
  const clients = new Set<WeakRef<object>>();
  const known = new WeakSet<object>();
  const prototype = pg.Client.prototype as unknown as { query(...args: unknown[]): unknown };
  const original = prototype.query;
  prototype.query = function query(this: object, ...args: unknown[]) {
    if (!known.has(this)) {
      known.add(this);
      clients.add(new WeakRef(this));
    }
    counts.statements += 1;
    if (!underWay.has(this)) {
      underWay.add(this);
      counts.trips += 1;
    }
    const answered = () => underWay.delete(this);
    const callback = args.at(-1);
    if (typeof callback === "function") {
      args[args.length - 1] = (...results: unknown[]) => {
        answered();
        callback(...results);
      };
      return original.apply(this, args);
    }
    const result = original.apply(this, args);
    if (result instanceof Promise) result.then(answered, answered);
    return result;
  };
  return {
    read: () => ({ ...counts }),
    async report() {
      const asked = [...clients].map((reference) => {
        const client = reference.deref();
        return client && original.call(client, "select pg_stat_force_next_flush()");
      });
      // A connection that has been closed has reported.
      await Promise.allSettled(asked);
    },
  };
}
