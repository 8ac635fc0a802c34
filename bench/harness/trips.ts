import pg from "pg";

/**
 * Counts the statements of this process and its round trips to PostgreSQL: a trip begins with a statement that is sent
 * after an answer to an earlier one was seen. Statements that go out together make one.
 */
export function countTrips(): () => { statements: number; trips: number } {
  const counts = { statements: 0, trips: 0 };
  const underWay = new WeakSet<object>();
  const prototype = pg.Client.prototype as unknown as { query(...args: unknown[]): unknown };
  const original = prototype.query;
  prototype.query = function query(this: object, ...args: unknown[]) {
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
  return () => ({ ...counts });
}
