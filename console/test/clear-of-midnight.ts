import { setTimeout as pause } from "node:timers/promises";

const DAY = 86_400_000;
/** Midnight in São Paulo, as UTC within the day. */
const MIDNIGHT = 3 * 3_600_000;
/** Longer than a file whose figures are those of one day or month takes, milliseconds. */
const BEFORE = 300_000;

/** For tests whose figures are those of one day or month in São Paulo: near midnight it waits until the new day has begun. */
export async function clearOfMidnight(): Promise<void> {
  const left = DAY - ((Date.now() - MIDNIGHT) % DAY);
  if (left < BEFORE) await pause(left + 1_000);
}
