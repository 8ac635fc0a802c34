/** How long failed deliveries of an endpoint are tried again. */
export type Retry = "standard" | "extended";

/** Attempts of the standard schedule, the first included (interface, Delivery behavior). */
export const MAX_ATTEMPTS = 5;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Pauses after attempts 1 to 4, milliseconds: attempts at 0, 2, 6, 14 and 30 s. */
const STANDARD = [2 * SECOND, 4 * SECOND, 8 * SECOND, 16 * SECOND] as const;
/** Pauses after attempts 5 to 10 of an endpoint that has asked for it. */
const EXTENDED = [5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR] as const;

/** Up to a tenth is added, so that receivers that came back are not hit by all at once. */
const JITTER = 0.1;

/** The longest `Retry-After` that is honoured; a longer one counts as this. */
const MAX_RETRY_AFTER = 24 * HOUR;

/**
 * When the next attempt is due after `tries` failed ones; null when there is none left.
 *
 * @param random a number from 0 to 1.
 * @param retryAfter when the receiver wants to be asked again, milliseconds since the Unix epoch. Heeded in the extended
 *   schedule alone, where it can put an attempt off and never bring it forward.
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

/** The instant that a `Retry-After` header means (seconds, or an HTTP date); null for anything else. */
export function readRetryAfter(header: string | undefined, now: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header.trim())) return now + Number(header) * SECOND;
  // Date.parse takes far more than HTTP dates; those begin with the day's name.
  const at = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(header.trim()) ? Date.parse(header) : Number.NaN;
  return at >= 0 ? at : null;
}
