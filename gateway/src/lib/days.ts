/** Days of São Paulo, which is UTC−3 all year since 2019: milliseconds. */
export const OFFSET = 3 * 3_600_000;
const DAY = 86_400_000;

/** Years from 1970 on: PostgreSQL has no year 0. */
const WRITTEN = /^(?:19[7-9]\d|[2-9]\d{3})-\d{2}-\d{2}$/;
/** The next year is written with six digits. */
const LAST_MONTH = "9999-11";

/** When a day (`2026-11-20`) begins and ends, the end excluded; null for a text that is no day. */
export function dayWindow(day: string): { from: Date; to: Date } | null {
  const utc = WRITTEN.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  // The parser reads 30 February as 2 March.
  if (Number.isNaN(utc) || new Date(utc).toISOString().slice(0, 10) !== day) return null;
  return { from: new Date(utc + OFFSET), to: new Date(utc + OFFSET + DAY) };
}

/** The day of a moment, as `2026-11-20`. */
export const dayOf = (at: Date): string => new Date(at.getTime() - OFFSET).toISOString().slice(0, 10);

/** A moment as `2026-11-20T21:00:00.000-03:00`, on the day that accounts and statements use. */
export const inBrasilia = (at: Date): string => new Date(at.getTime() - OFFSET).toISOString().replace("Z", "-03:00");

/** The day so many days after. Throws beyond 1970 and 9999, where days no longer compare as texts. */
export const daysAfter = (day: string, days: number): string => daysBefore(day, -days);

/** First and last day of a month (`2026-11`); null for a text that is no month. */
export function monthDays(month: string): { first: string; last: string } | null {
  const first = `${month}-01`;
  if (dayWindow(first) === null || month > LAST_MONTH) return null;
  const next = new Date(`${first}T00:00:00Z`);
  next.setUTCMonth(next.getUTCMonth() + 1);
  return { first, last: daysBefore(next.toISOString().slice(0, 10), 1) };
}

/** The day so many days before. Throws beyond 1970 and 9999. */
export function daysBefore(day: string, days: number): string {
  const before = new Date(Date.parse(`${day}T00:00:00Z`) - days * DAY).toISOString().slice(0, 10);
  if (!WRITTEN.test(before)) throw new RangeError(`${days} days before ${day} is beyond the days that can be written`);
  return before;
}
