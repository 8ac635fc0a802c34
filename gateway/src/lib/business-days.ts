/**
 * Days on which Brazilian banks settle: neither a weekend nor a national holiday. Holidays of states and towns are left out:
 * a payer's bank knows its payer's town, and we do not. Days are written `2026-11-20`.
 */
import { daysAfter } from "./days.ts";

/** National holidays with a fixed date, by month and day (law 662 of 1949 and its changes, law 6,802 of 1980). */
const FIXED = ["01-01", "04-21", "05-01", "09-07", "10-12", "11-02", "11-15", "12-25"];
/** Day of Black Consciousness: national since law 14,759 of 2023. */
const SINCE_2024 = "11-20";
/** Holidays by their distance from Easter in days: Carnival (Monday and Tuesday), Good Friday, Corpus Christi. */
const BY_EASTER = [-48, -47, -2, 60];

const A_MONDAY = "1970-01-05";

const byYear = new Map<string, ReadonlySet<string>>();

/** Whether banks settle on this day. */
export const isBusinessDay = (day: string): boolean => isWeekday(day) && !holidaysOf(day.slice(0, 4)).has(day);

/** The day itself, or the first business day after it. */
export function nextBusinessDay(day: string): string {
  let next = day;
  while (!isBusinessDay(next)) next = daysAfter(next, 1);
  return next;
}

/** How many days a day is after another; negative when it is before. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000);

/** How many days from Monday to Friday follow `from`, up to `to` and with it; 0 when `to` is not after `from`. */
export const weekdaysBetween = (from: string, to: string): number =>
  Math.max(0, weekdaysUntil(to) - weekdaysUntil(from));

/** How many business days follow `from`, up to `to` and with it; 0 when `to` is not after `from`. */
export function businessDaysBetween(from: string, to: string): number {
  let count = weekdaysBetween(from, to);
  for (let year = Number(from.slice(0, 4)); year <= Number(to.slice(0, 4)); year += 1)
    for (const day of holidaysOf(String(year))) if (from < day && day <= to && isWeekday(day)) count -= 1;
  return count;
}

/** Counted, not walked: a bank's time may lie by thousands of years. */
function weekdaysUntil(day: string): number {
  const days = daysBetween(A_MONDAY, day) + 1;
  const weeks = Math.floor(days / 7);
  return weeks * 5 + Math.min(5, days - weeks * 7);
}

function isWeekday(day: string): boolean {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return weekday !== 0 && weekday !== 6;
}

function holidaysOf(year: string): ReadonlySet<string> {
  const known = byYear.get(year);
  if (known) return known;
  const fixed = Number(year) >= 2024 ? [...FIXED, SINCE_2024] : FIXED;
  const sunday = easter(Number(year));
  const holidays = new Set([...fixed.map((date) => `${year}-${date}`), ...BY_EASTER.map((n) => daysAfter(sunday, n))]);
  byYear.set(year, holidays);
  return holidays;
}

/** Easter Sunday of the Gregorian calendar (the algorithm of Meeus, Jones and Butcher). */
function easter(year: number): string {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const e = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - d - (c % 4)) % 7;
  const f = d + e - 7 * Math.floor((a + 11 * d + 22 * e) / 451) + 114;
  return `${year}-${String(Math.floor(f / 31)).padStart(2, "0")}-${String((f % 31) + 1).padStart(2, "0")}`;
}
