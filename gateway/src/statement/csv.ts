import { decimal, text } from "../lib/csv.ts";
import type { Explained } from "./by-key.ts";
import { typeOf } from "./kinds.ts";

const maybe = (value: string | null): string => (value === null ? "" : text(value));

type Column<Line> = readonly [name: string, cell: (line: Line) => string];

/** What accountants read first; then where the line stands in the books. */
const COLUMNS: readonly Column<Explained>[] = [
  ["time", (line) => text(line.bookedAt.toISOString())],
  ["type", (line) => text(typeOf(line.kind))],
  ["description", (line) => maybe(line.description)],
  ["amount", (line) => decimal(line.amount)],
  ["balanceAfter", (line) => decimal(line.balanceAfter)],
  ["transactionId", (line) => maybe(line.transactionId)],
  ["e2eId", (line) => maybe(line.e2eId)],
  ["externalReference", (line) => maybe(line.externalReference)],
  ["counterpart", (line) => maybe(line.counterpart)],
  ["balance", (line) => text(line.balance)],
  ["line", (line) => String(line.line)],
  ["kind", (line) => text(line.kind)],
  ["occurredAt", (line) => text(line.occurredAt.toISOString())],
];

/** Last in a statement over all wallets. */
const WALLET: Column<Explained & { readonly subAccount: string }> = ["subAccount", (line) => text(line.subAccount)];

/** A statement as CSV (RFC 4180), in pieces that are read as they are sent. */
export const statementCsv = (pages: AsyncIterable<readonly Explained[]>): AsyncGenerator<string> =>
  inColumns(COLUMNS, pages);

/** The same over all wallets. */
export const everyWalletCsv = (
  pages: AsyncIterable<readonly (Explained & { readonly subAccount: string })[]>,
): AsyncGenerator<string> => inColumns([...COLUMNS, WALLET], pages);

async function* inColumns<Line>(
  columns: readonly Column<Line>[],
  pages: AsyncIterable<readonly Line[]>,
): AsyncGenerator<string> {
  yield `${columns.map(([name]) => name).join(",")}\r\n`;
  const row = (line: Line): string => `${columns.map(([, cell]) => cell(line)).join(",")}\r\n`;
  for await (const lines of pages) {
    if (lines.length > 0) yield lines.map(row).join("");
  }
}
