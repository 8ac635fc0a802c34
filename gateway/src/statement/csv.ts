import type { Queries } from "../db/pool.ts";
import { readStatement, type StatementLine, type StatementPosition } from "../ledger/statement.ts";
import { decimal, text } from "../lib/csv.ts";

/** Lines read at a time; what a statement of any length costs in memory. */
const LINES = 1_000;

const COLUMNS: readonly (readonly [string, (line: StatementLine) => string])[] = [
  ["bookedAt", (line) => text(line.bookedAt.toISOString())],
  ["occurredAt", (line) => text(line.occurredAt.toISOString())],
  ["balance", (line) => text(line.balance)],
  ["line", (line) => String(line.line)],
  ["kind", (line) => text(line.kind)],
  ["sourceId", (line) => text(line.sourceId)],
  ["leg", (line) => String(line.leg)],
  ["amount", (line) => decimal(line.amount)],
  ["balanceAfter", (line) => decimal(line.balanceAfter)],
  ["currency", () => "BRL"],
];

/**
 * The whole statement of a wallet as CSV (RFC 4180), newest first, in pieces that are read as they are sent. Lines
 * booked after the first piece are not in it.
 */
export async function* statementCsv(
  queries: Queries,
  wallet: { readonly accountId: string; readonly walletId: string },
): AsyncGenerator<string> {
  yield `${COLUMNS.map(([name]) => name).join(",")}\r\n`;
  let after: StatementPosition | null = null;
  do {
    const page = await readStatement(queries, wallet, { after, limit: LINES });
    if (page.lines.length > 0) yield page.lines.map(row).join("");
    after = page.next;
  } while (after !== null);
}

const row = (line: StatementLine): string => `${COLUMNS.map(([, cell]) => cell(line)).join(",")}\r\n`;
