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
 * True when an Accept header asks for CSV rather than JSON: it names `text/csv`, and nothing that JSON is at a higher
 * quality, or at the same and before it (RFC 9110, 12.5.1). Anything else is answered with JSON.
 */
export function prefersCsv(accept: string | undefined): boolean {
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
  const csv = best(["text/csv"]);
  const json = best(["application/json"]);
  return csv.quality > 0 && (csv.quality > json.quality || (csv.quality === json.quality && csv.at < json.at));
}
