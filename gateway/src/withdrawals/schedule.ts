const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * When a withdrawal is asked about after its end, counted from there. The PSP reports returns by itself; these nine
 * questions find the ones whose notification was lost. They widen, because most come within hours, and end with the 90
 * days in which a receiver can give back. A listing would have to reach back over all 90 days each time, since a PSP
 * lists payouts by when they were asked for, not by when something came back.
 */
const AFTER_COMPLETED: readonly number[] = [
  MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, DAY, 3 * DAY, 10 * DAY, 30 * DAY, 90 * DAY,
]; // biome-ignore format: a list reads better in rows
/** A PSP that does not answer is asked again after this, until the next question is due anyway. */
const SILENCE = 10 * MINUTE;
/** A failure that was none shows soon: what a PSP has refused or undone does not move again later. */
const AFTER_FAILED: readonly number[] = [MINUTE, 10 * MINUTE, HOUR, DAY];

/**
 * The due time of the question after `asked` questions; null when there is none any more. A minute passes at least,
 * so that a gateway that was down for days does not ask for each missed one.
 */
export function followUpAt(
  end: "completed" | "failed",
  endedAt: Date,
  asked: number,
  now: Date = endedAt,
): Date | null {
  const schedule = end === "completed" ? AFTER_COMPLETED : AFTER_FAILED;
  const after = schedule[asked];
  return after === undefined ? null : new Date(Math.max(endedAt.getTime() + after, now.getTime() + MINUTE));
}

/**
 * What follows the n-th question (from 1) about a withdrawal that is over: when the next one is due, and how many count as
 * asked. One that the PSP did not answer does not count, unless the next is due by then; the last one is not repeated.
 */
export function followUp(
  over: { readonly end: "completed" | "failed"; readonly at: Date },
  question: number,
  answered: boolean,
  now: Date,
): { readonly nextAt: Date | null; readonly asked: number } {
  const nextAt = followUpAt(over.end, over.at, question, now);
  const retryAt = new Date(now.getTime() + SILENCE);
  return answered || nextAt === null || nextAt <= retryAt
    ? { nextAt, asked: question }
    : { nextAt: retryAt, asked: question - 1 };
}
