/**
 * When the poller queries the PSP for a single pending charge, seconds after its creation and after each query. Notifications
 * report nearly every payment, and the list of received Pix shows within 20 seconds what a lost one would have reported,
 * thousands of charges with one call (settlement/poll-received.ts). A single query finds what neither shows, and a last one
 * follows at expiry. Queries after 30, 60 and 120 seconds cost two calls for each unpaid charge: a quarter of a charge's CPU.
 */
const STEPS_SECONDS = [600, 3_600, 14_400] as const;

/** When a new charge is queried first. */
export function firstPollAt(createdAt: Date, expiresAt: Date): Date {
  return nextPollAt(createdAt, expiresAt, 0);
}

/** When a charge is queried after `checks` queries: at its expiry at the latest. */
export function nextPollAt(now: Date, expiresAt: Date, checks: number): Date {
  const step = STEPS_SECONDS[Math.min(checks, STEPS_SECONDS.length - 1)] as number;
  const next = now.getTime() + step * 1000;
  return now < expiresAt && next > expiresAt.getTime() ? expiresAt : new Date(next);
}
