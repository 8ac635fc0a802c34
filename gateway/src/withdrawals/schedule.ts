const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * When an ended withdrawal is queried, counted from its end. The PSP reports returns by itself; these nine queries find the
 * ones whose notification was lost. The pauses widen, because most returns come within hours, and end with the 90 days in
 * which a receiver can give back. A list would have to reach back over all 90 days each time, since a PSP lists payouts by
 * when they were ordered, not by when money came back.
 */
const AFTER_COMPLETED: readonly number[] = [
  MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, DAY, 3 * DAY, 10 * DAY, 30 * DAY, 90 * DAY,
]; // biome-ignore format: a list reads better in rows
/** If a PSP does not answer, the query is repeated after this pause, until the next one is due anyway. */
const SILENCE = 10 * MINUTE;
/**
 * When a failed withdrawal is queried, counted from its end. A wrong failure shows soon: a PSP does not pay later what it has
 * refused or undone.
 */
const AFTER_FAILED: readonly number[] = [MINUTE, 10 * MINUTE, HOUR, DAY];

/**
 * When the query after `queries` queries is due; null when none is left. At least a minute away, so that a gateway that was
 * down for days does not make every missed query.
 */
export function followUpAt(
  end: "completed" | "failed",
  endedAt: Date,
  queries: number,
  now: Date = endedAt,
): Date | null {
  const schedule = end === "completed" ? AFTER_COMPLETED : AFTER_FAILED;
  const after = schedule[queries];
  return after === undefined ? null : new Date(Math.max(endedAt.getTime() + after, now.getTime() + MINUTE));
}

/**
 * What follows the n-th query (from 1) about an ended withdrawal: when the next one is due, and how many count as made. An
 * unanswered query does not count, unless the next one is due by then. The last one is not repeated.
 */
export function followUp(
  over: { readonly end: "completed" | "failed"; readonly at: Date },
  question: number,
  answered: boolean,
  now: Date,
): { readonly nextAt: Date | null; readonly queries: number } {
  const nextAt = followUpAt(over.end, over.at, question, now);
  const retryAt = new Date(now.getTime() + SILENCE);
  return answered || nextAt === null || nextAt <= retryAt
    ? { nextAt, queries: question }
    : { nextAt: retryAt, queries: question - 1 };
}
