import { pause } from "./eventually.ts";

const DAY = 86_400_000;
/** Midnight in São Paulo, as UTC within the day. */
const MIDNIGHT = 3 * 3_600_000;
/** Longer than a file whose figures are those of one day takes, milliseconds. */
const BEFORE = 240_000;
/** What such a file does seconds ago happened on the same day, milliseconds. */
const AFTER = 60_000;

/**
 * For tests whose figures are those of one day in São Paulo: near midnight it waits until the new day has begun. The bank's clock is
 * the machine's, so theirs cannot be moved.
 */
export async function clearOfMidnight(): Promise<void> {
  const since = (Date.now() - MIDNIGHT) % DAY;
  if (since < AFTER) await pause(AFTER - since);
  else if (since > DAY - BEFORE) await pause(DAY - since + AFTER);
}
