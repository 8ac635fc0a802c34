const DAY_MS = 86_400_000;
/** São Paulo is three hours behind UTC all year. */
const ZONE_MS = 3 * 3_600_000;

/** Easter Sundays, from the calendar of the church. */
const EASTER: Readonly<Record<string, string>> = {
  2020: "04-12", 2021: "04-04", 2022: "04-17", 2023: "04-09", 2024: "03-31", 2025: "04-20", 2026: "04-05", 2027: "03-28",
  2028: "04-16", 2029: "04-01", 2030: "04-21", 2031: "04-13", 2032: "03-28", 2033: "04-17", 2034: "04-09", 2035: "03-25",
}; // biome-ignore format: a table
const NATIONAL = new Set(["01-01", "04-21", "05-01", "09-07", "10-12", "11-02", "11-15", "12-25"]);

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

/** Working days after the first day, up to the second. */
export function workingDays(from: string, to: string): number {
  let days = 0;
  for (let ms = numberOf(from) + DAY_MS; ms <= numberOf(to); ms += DAY_MS) if (isWorking(written(ms))) days++;
  return days;
}

function isWorking(day: string): boolean {
  const weekday = new Date(numberOf(day)).getUTCDay();
  if (weekday === 6 || weekday === 0) return false;
  const [year, date] = [day.slice(0, 4), day.slice(5)];
  if (NATIONAL.has(date) || (date === "11-20" && Number(year) > 2023)) return false;
  const easter = EASTER[year];
  if (easter === undefined) return true;
  // Carnival, Good Friday, Corpus Christi.
  return ![-48, -47, -2, 60].includes(distance(`${year}-${easter}`, day));
}

const numberOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);
function written(ms: number): string {
  return Number.isNaN(ms) ? "" : new Date(ms).toISOString().slice(0, 10);
}
