import type { Query, QueryClient } from "@tanstack/react-query";

/** Queries that are read again when their present reading has ended, with the promise that ends then. */
const late = new WeakMap<Query, Promise<void>>();

/**
 * Reads again what is shown, and what is not at its next showing: something may have changed. A reading that is under way
 * began before the change and may not show it, so another one follows it. It is not cut off: changes that come faster than
 * a screen can be read would leave the screen as it was.
 *
 * @param fits which queries; all where it is left out. Never one whose `meta` says `readOnce`.
 * @returns once what is shown has been read.
 */
export async function readAgain(queries: QueryClient, fits: (query: Query) => boolean = () => true): Promise<void> {
  const isBeingRead = new Map(
    queries
      .getQueryCache()
      .findAll({ predicate: (query) => query.meta?.readOnce !== true && fits(query) })
      .map((query) => [query, query.state.fetchStatus !== "idle"]),
  );
  const readNow = queries.invalidateQueries({ predicate: (query) => isBeingRead.get(query) === false });
  const readLater = [...isBeingRead].flatMap(([query, reads]) => (reads ? [afterwards(queries, query)] : []));
  await Promise.all([readNow, ...readLater]);
}

function afterwards(queries: QueryClient, query: Query): Promise<void> {
  const known = late.get(query);
  if (known !== undefined) return known;
  const ended = new Promise<void>((resolve) => {
    const stop = queries.getQueryCache().subscribe(({ query: changed, type }) => {
      if (changed !== query || (type !== "removed" && query.state.fetchStatus !== "idle")) return;
      stop();
      resolve();
    });
  });
  const again = ended.then(() => {
    late.delete(query);
    return queries.invalidateQueries({ predicate: (one) => one === query });
  });
  late.set(query, again);
  return again;
}
