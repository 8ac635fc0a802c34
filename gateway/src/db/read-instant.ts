import pg from "pg";

const readAny = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ, "text") as (text: string) => Date;
/** Of `2026-11-28 14:55:32+00`, the shortest form; the longest has a point and six digits more. */
const [SHORTEST, LONGEST] = [22, 29];

/**
 * Reads a `timestamptz` as a connection of ours sends it (ISO, UTC). Pages of lists have a hundred of them, and the driver's
 * own parser, for every style and zone, takes 1 µs each, this one 0.3. What looks different is left to that parser:
 * infinity, other zones, years before 1000 and after 9999.
 */
export function readInstant(text: string): Date {
  const { length } = text;
  const isUsual =
    length >= SHORTEST && length <= LONGEST && text[10] === " " && text[0] !== "0" && text.endsWith("+00");
  if (!isUsual || (length > SHORTEST && text[19] !== ".")) return readAny(text);
  // Digits of a fraction: PostgreSQL leaves zeros at its end out. Microseconds are cut off, as the driver does.
  const digits = length - SHORTEST - 1;
  const ms =
    (digits > 0 ? 100 * digit(text, 20) : 0) +
    (digits > 1 ? 10 * digit(text, 21) : 0) +
    (digits > 2 ? digit(text, 22) : 0);
  const year = 100 * pair(text, 0) + pair(text, 2);
  return new Date(Date.UTC(year, pair(text, 5) - 1, pair(text, 8), pair(text, 11), pair(text, 14), pair(text, 17), ms));
}

const digit = (text: string, at: number): number => text.charCodeAt(at) - 48;
const pair = (text: string, at: number): number => 10 * digit(text, at) + digit(text, at + 1);
