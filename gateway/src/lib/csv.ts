/** CSV as RFC 4180 has it, for people who open it in a spreadsheet. */

/**
 * A cell of text. What begins with one of `= + - @`, a tab or a carriage return would be a formula to a spreadsheet:
 * an apostrophe before it makes it text (OWASP, CSV injection). Numbers are written apart: a minus is theirs.
 */
export function text(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Centavos in BRL with two decimals and a point: `-1234` → `-12.34`. */
export function decimal(centavos: number): string {
  const digits = String(Math.abs(centavos)).padStart(3, "0");
  return `${centavos < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/**
 * Which of some media types an Accept header asks for rather than JSON: one that it names, and JSON not at a higher quality,
 * or at the same and before it (RFC 9110, 12.5.1). Null: anything else, which is answered with JSON.
 */
export function prefers(accept: string | undefined, types: readonly string[]): string | null {
  const ranges = (accept ?? "").split(",").map((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return { type, quality: quality === undefined ? 1 : Number.parseFloat(quality) || 0 };
  });
  const best = (types: readonly string[]) => {
    const found = ranges.filter(({ type, quality }) => types.includes(type) && quality > 0);
    const quality = Math.max(0, ...found.map((range) => range.quality));
    return { quality, at: ranges.findIndex((range) => types.includes(range.type) && range.quality === quality) };
  };
  const asked = ["application/json", ...types]
    .map((type) => ({ type, ...best([type]) }))
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality || a.at - b.at)[0];
  return asked === undefined || asked.type === "application/json" ? null : asked.type;
}

/** True when an Accept header asks for CSV rather than JSON. */
export const prefersCsv = (accept: string | undefined): boolean => prefers(accept, ["text/csv"]) !== null;
