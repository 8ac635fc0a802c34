/**
 * When the poller queries the PSP for a single pending charge, in seconds after its creation and after each query.
 * Notifications report nearly every payment. If one is lost, the list of received Pix shows its payment within 20 seconds,
 * thousands of charges with one call (polls/received.ts). A single query finds what neither shows, and a last one follows
 * at expiry. Queries after 30, 60 and 120 seconds would cost two calls for each unpaid charge: a quarter of a charge's CPU.
 */
const STEPS_SECONDS = [600, 3_600, 14_400] as const;
/** After a week of these only once a day: a charge with a due date may be open for years. */
const DAILY = { afterChecks: 44, seconds: 86_400 } as const;

/** The shortest and the longest pause after a query without a result, milliseconds. */
const RETRY = { shortest: 10_000, longest: 3_600_000 } as const;

/** When a new charge is queried for the first time. */
export function firstPollAt(createdAt: Date, expiresAt: Date): Date {
  return nextPollAt(createdAt, expiresAt, 0);
}

/** When a charge is queried after `checks` queries: at its expiry at the latest. */
export function nextPollAt(now: Date, expiresAt: Date, checks: number): Date {
  const step = checks < DAILY.afterChecks ? STEPS_SECONDS[Math.min(checks, STEPS_SECONDS.length - 1)]! : DAILY.seconds;
  const next = now.getTime() + step * 1000;
  return now < expiresAt && next > expiresAt.getTime() ? expiresAt : new Date(next);
}

/**
 * When a charge is queried again after a query without a result: after a quarter of the time since it was due to end, or
 * since it was made, at most an hour. An institution that is silent for days is queried 25 times about a charge in the
 * first hour, and then 24 times a day. Once it answers again, its list shows what was paid meanwhile.
 */
export function retryAt(
  now: Date,
  { status, createdAt, expiresAt }: { readonly status: string; readonly createdAt: Date; readonly expiresAt: Date },
  shortest: number = RETRY.shortest,
): Date {
  const isOver = status === "pending" && now >= expiresAt;
  const elapsed = now.getTime() - (isOver ? expiresAt : createdAt).getTime();
  const next = now.getTime() + Math.max(shortest, Math.min(RETRY.longest, elapsed / 4));
  return status === "pending" && !isOver && next > expiresAt.getTime() ? expiresAt : new Date(next);
}
