/** Which schedule of attempts an endpoint has. */
export const RETRIES = ["standard", "extended"] as const;
export type Retry = (typeof RETRIES)[number];

/** Attempts of the standard schedule, the first included (interface, Delivery behavior). */
export const MAX_ATTEMPTS = 5;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Pauses after attempts 1 to 4, milliseconds: attempts at 0, 2, 6, 14 and 30 s. */
const STANDARD = [2 * SECOND, 4 * SECOND, 8 * SECOND, 16 * SECOND] as const;
/** Pauses after attempts 5 to 10 of an endpoint with the extended schedule. */
const EXTENDED = [5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR] as const;

/** Up to a tenth is added at random, so that a recovered receiver does not get all deliveries at once. */
const JITTER = 0.1;

/** Most by which a `Retry-After` can postpone an attempt; a longer one counts as this. */
const MAX_RETRY_AFTER = 24 * HOUR;

/**
 * When the next attempt is due after `tries` failed attempts; null when none is left.
 *
 * @param random a number from 0 to 1.
 * @param retryAfter when the receiver asked for the next attempt, milliseconds since the Unix epoch. It counts only in the
 *   extended schedule, where it can postpone an attempt and never advance it.
 */
export function nextAttemptAt(
  tries: number,
  now: number,
  random: number,
  retry: Retry = "standard",
  retryAfter: number | null = null,
): Date | null {
  const standard = tries < MAX_ATTEMPTS;
  const pause = standard ? STANDARD[tries - 1] : retry === "extended" ? EXTENDED[tries - MAX_ATTEMPTS] : undefined;
  if (pause === undefined) return null;
  const due = now + Math.round(pause * (1 + JITTER * random));
  if (standard || retryAfter === null) return new Date(due);
  return new Date(Math.max(due, Math.min(retryAfter, now + MAX_RETRY_AFTER)));
}

/** The instant of a `Retry-After` header (seconds, or an HTTP date), milliseconds; null for anything else. */
export function readRetryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header.trim())) return now + Number(header) * SECOND;
  // Date.parse accepts far more than HTTP dates, which begin with the name of the day.
  const at = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(header.trim()) ? Date.parse(header) : Number.NaN;
  return at >= 0 ? at : null;
}
