/** Attempts of the standard schedule, the first included (interface, Delivery behavior). */
export const MAX_ATTEMPTS = 5;

/** Pauses after attempts 1 to 4, milliseconds: attempts at 0, 2, 6, 14 and 30 s. */
const PAUSES = [2_000, 4_000, 8_000, 16_000] as const;

/** Up to a tenth is added, so that receivers that came back are not hit by all at once. */
const JITTER = 0.1;

/**
 * When the next attempt is due after `attempts` failed ones; null when there is none left.
 *
 * @param random a number from 0 to 1.
 */
export function nextAttemptAt(attempts: number, now: number, random: number): Date | null {
  const pause = PAUSES[attempts - 1];
  if (attempts >= MAX_ATTEMPTS || pause === undefined) return null;
  return new Date(now + Math.round(pause * (1 + JITTER * random)));
}
