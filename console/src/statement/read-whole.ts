import { addBrl, type merchant, type Pixgate } from "@pixgate/sdk";

type Line = merchant.StatementItem;
type Query = NonNullable<merchant.StatementListData["query"]>;

/** A movement of the wallet's total, and the total after it; null where the statement is of some movements only. */
type Movement = { readonly line: Line; readonly total: number | null };

/** A statement as a document, oldest movement first. Amounts are BRL. */
export type WholeStatement = {
  readonly account: merchant.AccountAndBalance["account"];
  readonly readAt: Date;
  /** The wallet's total before and after; null where the statement is of some movements only. */
  readonly balances: { readonly opening: number; readonly closing: number } | null;
  readonly movements: readonly Movement[];
  readonly came: number;
  readonly went: number;
};

/** Most lines of a document: 841 pages, which a busy browser makes in 28 s. CSV and OFX have no limit. */
export const MOST_LINES = 20_000;

/** Thrown where a statement does not fit a document. */
export class TooManyLines extends Error {}
/** Thrown where the movements do not lead from the opening to the closing balance. */
export class UnequalSum extends Error {}

/**
 * Reads a whole statement up to now, and checks that its movements add up to the difference between its balances: a document must
 * equal the ledger. `onRead` gets the number of lines read so far.
 */
export async function readWhole(
  pixgate: Pixgate,
  query: Query,
  onRead: (lines: number) => void,
): Promise<WholeStatement> {
  const readAt = new Date();
  // A line that is booked while the pages are read is on none of them.
  const to = query.to ?? readAt.toISOString();
  const { account } = await pixgate.account.get();
  const lines: Line[] = [];
  let balances: WholeStatement["balances"] = null;
  for await (const page of pixgate.statement.list({ ...query, to, limit: 100 }).pages()) {
    // The answer has no balances where the statement is of one transaction or payment.
    if (page.openingBalance !== undefined && page.closingBalance !== undefined)
      balances ??= { opening: page.openingBalance, closing: page.closingBalance };
    lines.push(...page.items);
    if (lines.length > MOST_LINES) throw new TooManyLines();
    onRead(lines.length);
  }
  return { account, readAt, ...toDocument(lines, balances) };
}

/** The movements of lines, given newest first. Money that moves between two balances of the wallet changes no total: it is left out. */
function toDocument(
  lines: readonly Line[],
  balances: WholeStatement["balances"],
): Omit<WholeStatement, "account" | "readAt"> {
  const sums = new Map<string, number>();
  for (const line of lines) sums.set(transferOf(line), addBrl(sums.get(transferOf(line)) ?? 0, line.amount));
  let total = balances?.opening ?? 0;
  const movements = lines
    .filter((line) => sums.get(transferOf(line)) !== 0)
    .reverse()
    .map((line) => {
      total = addBrl(total, line.amount);
      return { line, total: balances && total };
    });
  if (balances !== null && total !== balances.closing) throw new UnequalSum();
  const amounts = movements.map(({ line }) => line.amount);
  return {
    balances,
    movements,
    came: addBrl(...amounts.filter((amount) => amount > 0)),
    went: addBrl(...amounts.filter((amount) => amount < 0)),
  };
}

/** Identifies a booking. Where it moves money between two balances of the wallet, its two lines have the same. */
const transferOf = ({ kind, sourceId, leg }: Line): string => `${kind} ${sourceId} ${leg}`;
