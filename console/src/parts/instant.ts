/** Times as people of São Paulo read them. */

const ZONE = "America/Sao_Paulo";
const DAY_MS = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();
function format(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = language + JSON.stringify(options);
  let found = formats.get(key);
  if (found === undefined) {
    found = new Intl.DateTimeFormat(language, { timeZone: ZONE, ...options });
    formats.set(key, found);
  }
  return found;
}

/** `2026-11-19`, the day in São Paulo. */
export const dayOf = (at: Date): string =>
  format("en-CA", { year: "numeric", month: "2-digit", day: "2-digit" }).format(at);
/** São Paulo has had no summer time since 2019. */
const [OFFSET, OFFSET_MS] = ["-03:00", -3 * 3_600_000];
/** The instant of a day and time of São Paulo: `2026-11-19T14:32`. */
export const instantOf = (text: string): Date => new Date(`${text}${OFFSET}`);
/** `2026-11-19T14:32:09.123-03:00`. */
export const writeInstant = (at: Date): string => new Date(at.getTime() + OFFSET_MS).toISOString().replace("Z", OFFSET);
/** The first instant of a day in São Paulo. */
export const startOfDay = (day: string): Date => instantOf(`${day}T00:00`);
export const daysBefore = (day: string, days: number): string =>
  dayOf(new Date(startOfDay(day).getTime() - days * DAY_MS));
/** The month so many months after a month: `2026-12`. */
export function monthAfter(month: string, months: number): string {
  const [year, number] = month.split("-").map(Number) as [number, number];
  return new Date(Date.UTC(year, number - 1 + months)).toISOString().slice(0, 7);
}
/** The last day of a month. */
export const lastDayOf = (month: string): string => daysBefore(`${monthAfter(month, 1)}-01`, 1);
/** `novembro de 2026`. */
export const showMonth = (month: string, language: string): string =>
  format(language, { month: "long", year: "numeric" }).format(startOfDay(`${month}-01`));
/** Days of São Paulo, `2026-11-01`, both included; null: no bound. */
export type Days = { readonly from: string | null; readonly to: string | null };
type DaysOf = (today: string, month: string) => Days;
/** Periods of filters by their names, and the days that each has. */
const PERIOD_DAYS = {
  today: (today) => ({ from: today, to: null }),
  week: (today) => ({ from: daysBefore(today, 6), to: null }),
  month: (today) => ({ from: daysBefore(today, 29), to: null }),
  thisMonth: (_, month) => ({ from: `${month}-01`, to: null }),
  lastMonth: (_, month) => ({ from: `${monthAfter(month, -1)}-01`, to: lastDayOf(monthAfter(month, -1)) }),
} as const satisfies Record<string, DaysOf>;
type Period = keyof typeof PERIOD_DAYS;
export const PERIODS = Object.keys(PERIOD_DAYS) as Period[];
/** The days of a period that is named. */
export function daysOf(period: Period): Days {
  const today = dayOf(new Date());
  return PERIOD_DAYS[period](today, today.slice(0, 7));
}
/** 0 to 23. */
export const hourOf = (at: Date): number => Number(format("en-GB", { hour: "2-digit", hourCycle: "h23" }).format(at));

/** `14:32`, or `14:32:09`. */
export function showClock(at: Date, language: string, seconds = false): string {
  return format(language, {
    hour: "2-digit",
    minute: "2-digit",
    ...(seconds && { second: "2-digit" }),
    hourCycle: "h23",
  }).format(at);
}

/** `18 nov`; `18 nov 2025` in another year than now. */
export function showDay(at: Date, language: string, now = new Date()): string {
  const parts = format(language, { day: "numeric", month: "short", year: "numeric" }).formatToParts(at);
  const part = (type: string) => parts.find((one) => one.type === type)?.value.replace(".", "") ?? "";
  const day = `${part("day")} ${part("month")}`;
  return dayOf(at).slice(0, 4) === dayOf(now).slice(0, 4) ? day : `${day} ${part("year")}`;
}

/** `01/11/2026`; in English `01 Nov 2026`, which nobody reads as the eleventh of January. */
export const showDate = (at: Date, language: string): string =>
  format(dayFirst(language), {
    day: "2-digit",
    month: language === "en" ? "short" : "2-digit",
    year: "numeric",
  }).format(at);

/** The date and the clock with seconds, for what is read without its page. */
export const showStamp = (at: Date, language: string): string =>
  `${showDate(at, language)} ${showClock(at, language, true)}`;

/** `qui`, `Thu`. */
export const showWeekday = (at: Date, language: string): string =>
  format(language, { weekday: "short" }).format(at).replace(".", "");
/** `quinta-feira`, `Thursday`. */
export const showWeekdayInFull = (at: Date, language: string): string =>
  format(language, { weekday: "long" }).format(at);

/** Today by the clock, else the day. */
export function showMoment(at: Date, language: string, seconds = false): string {
  const now = new Date();
  return dayOf(at) === dayOf(now) ? showClock(at, language, seconds) : showDay(at, language, now);
}

/** `14:32` today, else `18 nov, 14:32`: for deadlines and other times that need the clock too. */
export function showDayTime(at: Date, language: string, seconds = false): string {
  const now = new Date();
  const clock = showClock(at, language, seconds);
  return dayOf(at) === dayOf(now) ? clock : `${showDay(at, language, now)}, ${clock}`;
}

/** The same after a verb: `às 14:32`, `em 18 nov, 14:32`. */
export function showWhen(at: Date, language: string, seconds = false): string {
  const isToday = dayOf(at) === dayOf(new Date());
  const word = language === "en" ? (isToday ? "at" : "on") : isToday ? "às" : "em";
  return `${word} ${showDayTime(at, language, seconds)}`;
}

/** English with the day before the month, as all dates of the console have it. */
const dayFirst = (language: string): string => (language === "en" ? "en-GB" : language);

/** `terça-feira, 24 de novembro de 2026 às 14:32`: in one line on a phone. */
export function showDayAndClock(at: Date, language: string): string {
  return format(dayFirst(language), { dateStyle: "full", timeStyle: "short", hourCycle: "h23" }).format(at);
}

/** The whole instant with its zone: `domingo, 29 de novembro de 2026 às 07:24:59, horário de Brasília`. */
export function showInFull(at: Date, language: string): string {
  const zone = language === "en" ? "Brasília time" : "horário de Brasília";
  const instant = format(dayFirst(language), { dateStyle: "full", timeStyle: "medium", hourCycle: "h23" }).format(at);
  return `${instant}, ${zone}`;
}

/** `0,18 s`, `28 min 46 s`, `6 d 23 h`: the two largest units. */
export function showElapsed(ms: number, language: string): string {
  const seconds = Math.abs(ms) / 1_000;
  if (seconds < 10) return `${seconds.toLocaleString(language, { maximumFractionDigits: 2 })} s`;
  const whole = Math.round(seconds);
  const units: [number, string][] = [
    [Math.floor(whole / 86_400), "d"],
    [Math.floor(whole / 3_600) % 24, "h"],
    [Math.floor(whole / 60) % 60, "min"],
    [whole % 60, "s"],
  ];
  const first = units.findIndex(([count]) => count > 0);
  return units
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
}
