/**
 * When an open charge is asked about. Notifications tell of nearly every payment; the poll is for those that got
 * lost, so it asks soon after creation, when people pay, and then at widening distances, and once more at expiry.
 */
const STEPS_SECONDS = [30, 60, 120, 300, 900, 3_600, 14_400] as const;

/** First look at a new charge. */
export function firstPollAt(createdAt: Date, expiresAt: Date): Date {
  return nextPollAt(createdAt, expiresAt, 0);
}

/** The look after `checks` looks: never later than the moment it is due. */
export function nextPollAt(now: Date, expiresAt: Date, checks: number): Date {
  const step = STEPS_SECONDS[Math.min(checks, STEPS_SECONDS.length - 1)] as number;
  const next = now.getTime() + step * 1000;
  return now < expiresAt && next > expiresAt.getTime() ? expiresAt : new Date(next);
}
