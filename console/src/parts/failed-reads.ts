import type { Query } from "@tanstack/react-query";
import { isLong } from "./long-list.ts";

/** What could not be read is read again this much later, ms; twice as late after each further failure, up to the most. */
const FIRST_MS = 10_000;
const MOST_MS = 120_000;
/** A part of the wait by which each is later: the open pages do not all come at once. */
const SPREAD = 0.25;

type Failure = { readonly at: number; readonly count: number; readonly dueAt: number };

/**
 * Which of the queries that failed are to be read again now. Never one that is being read, so that a slow gateway has one
 * reading of each; nor a long list, each page of which would be a call.
 *
 * @param isPassing whether asking again may bring it, by the error.
 */
export function failedReads(
  isPassing: (error: unknown) => boolean,
  random: () => number = Math.random,
): (query: Query, now: number) => boolean {
  const failures = new WeakMap<Query, Failure>();
  return (query, now) => {
    const { status, fetchStatus, error, errorUpdatedAt: at } = query.state;
    if (fetchStatus !== "idle") return false;
    if (status !== "error" || !isPassing(error) || isLong(query)) {
      failures.delete(query);
      return false;
    }
    const known = failures.get(query);
    if (known?.at === at) return now >= known.dueAt;
    const count = known === undefined ? 0 : known.count + 1;
    const wait = Math.min(FIRST_MS * 2 ** count, MOST_MS);
    const dueAt = at + wait * (1 + SPREAD * random());
    failures.set(query, { at, count, dueAt });
    return now >= dueAt;
  };
}
