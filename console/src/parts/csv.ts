import { writeInstant } from "./instant.ts";

/** A cell: a text, an amount in BRL, or a moment. */
export type Cell = string | number | Date | undefined;

/** The format of the API's CSV files that a spreadsheet in this language opens by itself. */
export const csvFormat = (language: string): "pt-BR" | "en" => (language.startsWith("pt") ? "pt-BR" : "en");

/**
 * Rows as a CSV file in the same formats as the API's: commas and decimal points, or, in Portuguese, semicolons, decimal commas and a
 * byte order mark. Times are São Paulo's.
 */
export function csvText(rows: readonly (readonly Cell[])[], language: string): string {
  const isBrazilian = csvFormat(language) === "pt-BR";
  const lines = rows.map((row) => `${row.map(write).join(isBrazilian ? ";" : ",")}\r\n`);
  return `${isBrazilian ? "\ufeff" : ""}${lines.join("")}`;

  function write(cell: Cell): string {
    if (cell instanceof Date) return writeInstant(cell);
    if (cell === undefined) return "";
    if (typeof cell === "string") return text(isBrazilian && isReadOtherwise(cell) ? `'${cell}` : cell);
    return isBrazilian ? cell.toFixed(2).replace(".", ",") : cell.toFixed(2);
  }
}

/**
 * What a spreadsheet takes for a formula where a cell begins with it: merchants' customers write some of them. A spreadsheet of another
 * language splits lines elsewhere, and finds no quotes there, so a cell may begin after every separator, tab and line end of a text.
 */
const FORMULA = /(^|[,;\t\r\n])((?:[^\S\t\r\n]|["'])*[=+\-@＝＋－＠])/g;

/**
 * Text that a spreadsheet takes for a number, a date or a time, and shows as another one: `00123`, `1E5`, `1/2`, `5 jan`, `(7)`, 20
 * digits (it keeps 15). One loop over alternatives that begin differently, so that a customer's text is read once, from left to right.
 */
const READ_OTHERWISE =
  /^\(?(?:\d(?:e[+-]?\d|\s?[ap]m?(?![a-zç]))?|[\s.,:/%-]|R\$|de(?!z)|jan(?:eiro)?|fev(?:ereiro)?|mar(?:ço)?|abr(?:il)?|mai(?:o)?|jun(?:ho)?|jul(?:ho)?|ago(?:sto)?|set(?:embro)?|out(?:ubro)?|nov(?:embro)?|dez(?:embro)?)+\)?$/i;

/** Whole numbers without zeros before them, and days as `2026-11-27`: a spreadsheet shows them as they are. */
const READ_ALIKE = /^(?:0|[1-9]\d{0,14}|\d{4}-\d\d-\d\d)$/;

const isReadOtherwise = (cell: string): boolean =>
  /\d/.test(cell) && READ_OTHERWISE.test(cell.trim()) && !READ_ALIKE.test(cell);

function text(value: string): string {
  const safe = value.replace(FORMULA, "$1'$2").replace(/^[\t\r\n]/, "'$&");
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
