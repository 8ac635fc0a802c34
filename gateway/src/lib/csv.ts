/** CSV by RFC 4180, for people who open it in a spreadsheet. */
import { inBrasilia } from "./days.ts";

/**
 * `en`: commas and decimal points. `pt-BR`: the form that a spreadsheet set to Brazilian Portuguese opens directly:
 * semicolons, decimal commas, a byte order mark, and an apostrophe before a text that it would read as a number or a date.
 */
export const CSV_FORMATS = ["en", "pt-BR"] as const;
export type CsvFormat = (typeof CSV_FORMATS)[number];

/** An amount of money, centavos. */
type Amount = { readonly centavos: number };
/** Null is an empty cell. A number is a count. */
export type Cell = string | number | boolean | Date | Amount | null;

/** An amount as a cell; null stays an empty one. */
export const amount = (centavos: number | null): Amount | null => (centavos === null ? null : { centavos });

/** Writes one file, line by line. */
export type CsvWriter = {
  /** The first line, with everything that precedes it in the file. */
  head(names: readonly string[]): string;
  line(cells: readonly Cell[]): string;
};

/** The writer of all CSV files of the API. */
export function csvWriter(format: CsvFormat): CsvWriter {
  const isBrazilian = format === "pt-BR";
  const line = (cells: readonly string[]) => `${cells.join(isBrazilian ? ";" : ",")}\r\n`;
  return {
    head: (names) => `${isBrazilian ? "\ufeff" : ""}${line(names)}`,
    line: (cells) => line(cells.map(write)),
  };

  function write(cell: Cell): string {
    if (cell === null) return "";
    if (typeof cell === "string") return text(isBrazilian && isReadOtherwise(cell) ? `'${cell}` : cell);
    if (cell instanceof Date) return inBrasilia(cell);
    if (typeof cell !== "object") return String(cell);
    const written = decimal(cell.centavos);
    return isBrazilian ? written.replace(".", ",") : written;
  }
}

/**
 * What a spreadsheet takes for a formula at the beginning of a cell. A spreadsheet of another language splits lines at
 * other characters and finds no quotes there, so a cell may begin after every separator, tab and line end inside a text.
 */
const FORMULA = /(^|[,;\t\r\n])((?:[^\S\t\r\n]|["'])*[=+\-@＝＋－＠])/g;

/**
 * Text that a spreadsheet would read as a number, a date or a time, and show differently: `00123`, `1E5`, `1/2`, `5 jan`,
 * `(7)`, 20 digits (it keeps 15). One loop over alternatives that begin differently, so that a customer's text is read
 * once, from left to right.
 */
const READ_OTHERWISE =
  /^\(?(?:\d(?:e[+-]?\d|\s?[ap]m?(?![a-zç]))?|[\s.,:/%-]|R\$|de(?!z)|jan(?:eiro)?|fev(?:ereiro)?|mar(?:ço)?|abr(?:il)?|mai(?:o)?|jun(?:ho)?|jul(?:ho)?|ago(?:sto)?|set(?:embro)?|out(?:ubro)?|nov(?:embro)?|dez(?:embro)?)+\)?$/i;

/** Whole numbers without leading zeros, and days as `2026-11-27`: a spreadsheet shows them unchanged. */
const READ_ALIKE = /^(?:0|[1-9]\d{0,14}|\d{4}-\d\d-\d\d)$/;

const isReadOtherwise = (cell: string): boolean =>
  /\d/.test(cell) && READ_OTHERWISE.test(cell.trim()) && !READ_ALIKE.test(cell);

/** A text in which no cell can begin and that is no number or date. Most texts are, and need no further check. */
const PLAIN = /^[A-Za-z][\w .:-]*$/;

/** A cell of text: an apostrophe before a possible formula makes it text (OWASP, CSV injection). */
function text(value: string): string {
  if (PLAIN.test(value)) return value;
  const safe = value.replace(FORMULA, "$1'$2").replace(/^[\t\r\n]/, "'$&");
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Centavos in BRL with two decimals and a point: `-1234` → `-12.34`. */
export function decimal(centavos: number): string {
  const digits = String(Math.abs(centavos)).padStart(3, "0");
  return `${centavos < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
