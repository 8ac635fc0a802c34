import type { Tx } from "../db/pool.ts";
import type { LedgerAccount, OpenBooks, WantedKeys } from "./books.ts";
import type { LedgerName } from "./chart.ts";
import { loadLedgerAccounts } from "./post.ts";
import { ledgerKey, type RowKey, rowKey, type Table } from "./table.ts";

/** Takes the rows and ledger accounts that a kind of command reads ahead (`ahead` of `CommandKind`). */
export type FoundRows = {
  row<Row>(table: Table<Row>, key: RowKey, row: Row): void;
  ledger(account: LedgerAccount): void;
};

/** What the commands of a batch want to read. It is loaded together; after that the books answer for nothing else. */
export class Wanted implements WantedKeys {
  readonly #before: Wanted | undefined;
  /** False until `load` has ended: until then a row looks as if it did not exist. */
  #isRead = false;
  readonly #rows = new Map<Table<unknown>, Map<string, RowKey>>();
  readonly #ledger = new Map<string, { accountId: string; name: LedgerName }>();

  /** @param before the wanted rows that are loaded already. */
  constructor(before?: Wanted) {
    this.#before = before;
  }

  row(table: Table<unknown>, key: RowKey): void {
    const id = rowKey(key);
    if (this.#before?.hasRow(table, id)) return;
    let keys = this.#rows.get(table);
    if (!keys) {
      keys = new Map();
      this.#rows.set(table, keys);
    }
    keys.set(id, key);
  }

  ledger(accountId: string, name: LedgerName): void {
    const id = ledgerKey(accountId, name);
    if (!this.#before?.hasLedger(id)) this.#ledger.set(id, { accountId, name });
  }

  hasRow(table: Table<unknown>, id: string): boolean {
    return (this.#isRead && (this.#rows.get(table)?.has(id) ?? false)) || (this.#before?.hasRow(table, id) ?? false);
  }

  hasLedger(id: string): boolean {
    return (this.#isRead && this.#ledger.has(id)) || (this.#before?.hasLedger(id) ?? false);
  }

  /** Takes what is read ahead into the books. It counts as wanted and read. */
  found(books: OpenBooks): FoundRows {
    this.#isRead = true;
    return {
      row: (table, key, row) => {
        this.row(table as Table<unknown>, key);
        books.put(table, key, row);
      },
      ledger: (account) => {
        this.ledger(account.accountId, account.name);
        books.putLedgerAccount(account);
      },
    };
  }

  /** Loads everything, except what is loaded already. Call only under the tenants' locks. */
  async load(tx: Tx, books: OpenBooks): Promise<void> {
    const tables = [...this.#rows.keys()].sort((a, b) => a.order - b.order);
    const loads = tables.map(async (table) => {
      const wanted = this.#rows.get(table)!;
      // Sorted, because loading may lock rows.
      const keys = [...wanted.keys()].sort().map((id) => wanted.get(id)!);
      for (const { key, row } of await table.load(tx, keys)) books.put(table, key, row);
    });
    const [accounts] = await Promise.all([loadLedgerAccounts(tx, [...this.#ledger.values()]), ...loads]);
    for (const account of accounts) books.putLedgerAccount(account);
    this.#isRead = true;
  }
}
