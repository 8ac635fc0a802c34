import { decimal, text } from "../lib/csv.ts";
import type { Explained } from "./explain.ts";
import { typeOf } from "./kinds.ts";

const maybe = (value: string | null): string => (value === null ? "" : text(value));

/** What accountants read first; then where the line stands in the books. */
const COLUMNS: readonly (readonly [string, (line: Explained) => string])[] = [
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

/** A statement as CSV (RFC 4180), in pieces that are read as they are sent. */
export async function* statementCsv(pages: AsyncIterable<readonly Explained[]>): AsyncGenerator<string> {
  yield `${COLUMNS.map(([name]) => name).join(",")}\r\n`;
  for await (const lines of pages) {
    if (lines.length > 0) yield lines.map(row).join("");
  }
}

const row = (line: Explained): string => `${COLUMNS.map(([, cell]) => cell(line)).join(",")}\r\n`;
