/**
 * When a pending charge is asked about by itself. Notifications tell of nearly every payment, and the list of received Pix
 * shows within 20 seconds what one lost, thousands of charges with one call (settlement/poll-received.ts). This look is for
 * what neither of them shows, and once more at expiry. It came after 30, 60 and 120 seconds, too: two calls of the
 * PSP for each charge that nobody had paid yet, a quarter of what a charge cost.
 */
const STEPS_SECONDS = [600, 3_600, 14_400] as const;

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
