const DAY_MS = 86_400_000;
/** São Paulo is three hours behind UTC all year. */
const ZONE_MS = 3 * 3_600_000;

const NATIONAL = ["01-01", "04-21", "05-01", "09-07", "10-12", "11-02", "11-15", "12-25"];

/** The day of a moment in São Paulo, as `2026-11-20`. */
export const dayAt = (ms: number): string => written(ms - ZONE_MS);

/** The first moment after a day, milliseconds since 1970. */
export const endOf = (day: string): number => numberOf(day) + DAY_MS + ZONE_MS;

/** The first moment of a day, milliseconds since 1970. */
export const startOf = (day: string): number => numberOf(day) + ZONE_MS;

export const isDay = (text: unknown): text is string =>
  typeof text === "string" && /^[12]\d{3}-\d\d-\d\d$/.test(text) && written(Date.parse(text)) === text;

export const plus = (day: string, days: number): string => written(numberOf(day) + days * DAY_MS);

/** From one day to another; negative where the other is before. */
export const distance = (from: string, to: string): number => (numberOf(to) - numberOf(from)) / DAY_MS;

/** The first day from this one on that is neither a weekend nor a national holiday. */
export function workingFrom(day: string): string {
  return isWorking(day) ? day : workingFrom(plus(day, 1));
}

/**
 * Working days after the first day, up to the second. Weeks are counted, not days: a payer names any day up to 2999, and
 * a walk to there took half a second (2026-11).
 */
export function workingDays(from: string, to: string): number {
  const total = distance(from, to);
  if (!(total > 0)) return 0;
  const weeks = Math.floor(total / 7);
  let days = weeks * 5;
  for (let after = weeks * 7 + 1; after <= total; after++) if (isWeekday(plus(from, after))) days++;
  const [first, last] = [yearOf(from), yearOf(to)];
  for (let year = first; year <= last; year++) {
    const all = holidaysOf(year);
    if (year > first && year < last) days -= all.size;
    else for (const holiday of all) if (holiday > from && holiday <= to) days--;
  }
  return days;
}

const isWorking = (day: string): boolean => isWeekday(day) && !holidaysOf(yearOf(day)).has(day);

function isWeekday(day: string): boolean {
  const weekday = new Date(numberOf(day)).getUTCDay();
  return weekday !== 6 && weekday !== 0;
}

const yearOf = (day: string): number => Number(day.slice(0, 4));

/** By year: a few thousand at most, since a year has four digits. */
const holidays = new Map<number, ReadonlySet<string>>();

/** The national holidays of a year that are on no weekend. */
function holidaysOf(year: number): ReadonlySet<string> {
  const known = holidays.get(year);
  if (known) return known;
  const easter = easterOf(year);
  // Carnival, Good Friday, Corpus Christi.
  const moving = [-48, -47, -2, 60].map((days) => plus(easter, days));
  const fixed = [...NATIONAL, ...(year > 2023 ? ["11-20"] : [])].map((date) => `${year}-${date}`);
  const found = new Set([...fixed, ...moving].filter(isWeekday));
  holidays.set(year, found);
  return found;
}

/** Easter Sunday (The Art of Computer Programming, 1.3.2, exercise 14). */
function easterOf(year: number): string {
  const golden = (year % 19) + 1;
  const century = Math.floor(year / 100) + 1;
  const skipped = Math.floor((3 * century) / 4) - 12;
  const moon = Math.floor((8 * century + 5) / 25) - 5;
  const sunday = Math.floor((5 * year) / 4) - skipped - 10;
  let epact = (((11 * golden + 20 + moon - skipped) % 30) + 30) % 30;
  if ((epact === 25 && golden > 11) || epact === 24) epact += 1;
  let fullMoon = 44 - epact;
  if (fullMoon < 21) fullMoon += 30;
  return plus(`${year}-03-01`, fullMoon + 7 - ((sunday + fullMoon) % 7) - 1);
}

const numberOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);
function written(ms: number): string {
  return Number.isNaN(ms) ? "" : new Date(ms).toISOString().slice(0, 10);
}
