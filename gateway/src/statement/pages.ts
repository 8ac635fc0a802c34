import type { Queries } from "../db/pool.ts";
import type { TransferKind } from "../ledger/chart.ts";
import type { StatementPosition } from "../ledger/statement.ts";
import type { Explained } from "./by-key.ts";
import { readExplained } from "./explain.ts";

/** Lines read at a time: 3 ms of the thread, and the memory that a statement of any length needs. */
const LINES = 500;

/** Every line of a wallet, newest first, page by page. Lines booked after the first page are not in it. */
export async function* statementPages(
  queries: Queries,
  wallet: { readonly accountId: string; readonly walletId: string },
  { to, above }: { readonly to: StatementPosition | null; readonly above: StatementPosition | null },
  kinds: readonly TransferKind[] | null,
): AsyncGenerator<readonly Explained[]> {
  let after: StatementPosition | null = to;
  do {
    const page = await readExplained(queries, wallet, { after, above, limit: LINES, kinds });
    yield page.lines;
    after = page.next;
  } while (after !== null);
}
