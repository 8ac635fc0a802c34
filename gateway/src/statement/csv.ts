import { amount, type Cell, type CsvWriter } from "../lib/csv.ts";
import { dayOf } from "../lib/days.ts";
import type { Explained } from "./by-key.ts";
import { typeOf } from "./kinds.ts";

type Column<Line> = readonly [name: string, cell: (line: Line) => Cell];

/** First what accountants read, then the line's position in the books. */
const COLUMNS: readonly Column<Explained>[] = [
  ["time", (line) => line.bookedAt],
  ["type", (line) => typeOf(line.kind)],
  ["description", (line) => line.description],
  ["amount", (line) => amount(line.amount)],
  ["balanceAfter", (line) => amount(line.balanceAfter)],
  ["transactionId", (line) => line.transactionId],
  ["e2eId", (line) => line.e2eId],
  ["externalReference", (line) => line.externalReference],
  ["counterpart", (line) => line.counterpart],
  ["balance", (line) => line.balance],
  ["line", (line) => line.line],
  ["kind", (line) => line.kind],
  ["occurredAt", (line) => line.occurredAt],
  // Spreadsheets do not read a time with an offset as a date.
  ["date", (line) => dayOf(line.bookedAt)],
];

/** How the institution explains the amount of a payment with a due date. */
const PARTS: readonly Column<Explained>[] = (["original", "fine", "interest", "discount", "abatement"] as const).map(
  (part) => [part, ({ components }) => amount(components?.[part] ?? null)],
);

/** In a statement over all wallets. */
const WALLET: Column<Explained & { readonly subAccount: string }> = ["subAccount", (line) => line.subAccount];

type Pages<Line> = AsyncIterable<readonly Line[]>;

/** A statement as CSV, in pieces that are read while they are sent. */
export const statementCsv =
  (pages: Pages<Explained>) =>
  (csv: CsvWriter): AsyncGenerator<string> =>
    inColumns(csv, [...COLUMNS, ...PARTS], pages);

/** A statement over all wallets as CSV, in pieces. */
export const everyWalletCsv =
  (pages: Pages<Explained & { readonly subAccount: string }>) =>
  (csv: CsvWriter): AsyncGenerator<string> =>
    inColumns(csv, [...COLUMNS, WALLET, ...PARTS], pages);

async function* inColumns<Line>(
  csv: CsvWriter,
  columns: readonly Column<Line>[],
  pages: Pages<Line>,
): AsyncGenerator<string> {
  yield csv.head(columns.map(([name]) => name));
  for await (const lines of pages) {
    if (lines.length > 0) yield lines.map((line) => csv.line(columns.map(([, cell]) => cell(line)))).join("");
  }
}
