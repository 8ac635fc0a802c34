import type { Queries } from "../db/pool.ts";
import type { TransferKind } from "../ledger/chart.ts";
import type { StatementPosition } from "../ledger/statement.ts";
import type { Explained } from "./by-key.ts";
import { readExplained } from "./explain.ts";
import type { Window } from "./window.ts";

/** Lines read at a time: 3 ms of the thread, and the memory that a statement of any length needs. */
const LINES = 500;

/** Every line of a wallet, newest first, page by page. Lines booked after the first page are not in it. */
export async function* statementPages(
  queries: Queries,
  wallet: { readonly accountId: string; readonly walletId: string },
  window: Window | null,
  kind: TransferKind | null,
): AsyncGenerator<readonly Explained[]> {
  let after: StatementPosition | null = window?.to ?? null;
  do {
    const page = await readExplained(queries, wallet, { after, above: window?.from ?? null, limit: LINES, kind });
    yield page.lines;
    after = page.next;
  } while (after !== null);
}
