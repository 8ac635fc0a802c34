import { OpenBooks, type WantedKeys } from "../../src/ledger/books.ts";
import type { LedgerName } from "../../src/ledger/chart.ts";
import type { CommandKind, Deciding, Want } from "../../src/ledger/lane.ts";
import { ledgerKey, type RowKey, rowKey, type Table } from "../../src/ledger/table.ts";
import { countCommands } from "./effort.ts";

type Item = { readonly kind: CommandKind<{ accountId: string }, unknown>; readonly command: { accountId: string } };

/**
 * The lane without a database: the same wants, follows, decide and apply on rows in maps, so that deciding can be run
 * millions of times. Batches see only what their commands wanted, as in the lane.
 */
export class MemoryLane {
  readonly #rows = new Map<Table<unknown>, Map<string, { key: RowKey; row: unknown }>>();
  readonly #ledger = new Map<string, { accountId: string; name: LedgerName; balance: number; seq: number }>();
  #wanted: string[] = [];

  /** Names of the tables of which the commands of the last batch wanted a row, in their order. */
  get wanted(): readonly string[] {
    return this.#wanted;
  }

  put<Row>(table: Table<Row>, key: RowKey, row: Row): void {
    const rows = this.#rows.get(table as Table<unknown>) ?? new Map();
    this.#rows.set(table as Table<unknown>, rows);
    rows.set(rowKey(key), { key, row });
  }

  find<Row>(table: Table<Row>, key: RowKey): Row | undefined {
    return this.#rows.get(table as Table<unknown>)?.get(rowKey(key))?.row as Row | undefined;
  }

  all<Row>(table: Table<Row>): Row[] {
    return [...(this.#rows.get(table as Table<unknown>)?.values() ?? [])].map(({ row }) => row as Row);
  }

  balance(accountId: string, name: LedgerName): number {
    return this.#ledger.get(ledgerKey(accountId, name))?.balance ?? 0;
  }

  /** Sum of all balances of a tenant: zero, always. */
  total(accountId: string): number {
    return [...this.#ledger.values()].filter((a) => a.accountId === accountId).reduce((sum, a) => sum + a.balance, 0);
  }

  /** Runs commands as one batch and gives their results. */
  run(items: readonly Item[], deciding: Deciding): unknown[] {
    countCommands(items.length);
    const read = new Read();
    const books = new OpenBooks(read);
    this.#wanted = [];
    this.#read(read, books, (want) => items.forEach(({ kind, command }) => void kind.wants(command, want)));
    this.#read(read, books, (want) => items.forEach(({ kind, command }) => void kind.follows?.(command, books, want)));
    const results = items.map(({ kind, command }) => {
      const decision = kind.decide(command, books, deciding);
      books.apply(
        decision,
        kind.name,
        decision.transfers?.length ? kind.evidence?.(command, books, decision) : undefined,
      );
      for (const { table, key } of decision.writes ?? []) this.put(table, key, books.find(table, key));
      return decision.result;
    });
    for (const { accountId, name, balance, seq } of books.touched()) {
      this.#ledger.set(ledgerKey(accountId, name), { accountId, name, balance, seq });
    }
    return results;
  }

  /** Reads what the commands ask for when all of them have asked, as the lane does. */
  #read(read: Read, books: OpenBooks, ask: (want: Want) => void): void {
    const rows: (readonly [Table<unknown>, RowKey])[] = [];
    const accounts = new Set<string>();
    ask({
      row: (table, key) => {
        // The lane would send a query that finds nothing.
        if (typeof key.id !== "string") throw new Error(`wants a row of ${table.name} without an id`);
        rows.push([table, key]);
      },
      ledger: (accountId, name) => void accounts.add(ledgerKey(accountId, name)),
    });
    for (const [table, key] of rows) {
      this.#wanted.push(table.name);
      read.rows.set(table, (read.rows.get(table) ?? new Set()).add(rowKey(key)));
      const found = this.#rows.get(table)?.get(rowKey(key));
      if (found) books.put(table, found.key, found.row);
    }
    for (const key of accounts) {
      this.#wanted.push(key);
      read.accounts.add(key);
      const found = this.#ledger.get(key);
      if (found) books.putLedgerAccount({ ...found, no: 1, loadedSeq: found.seq });
    }
  }
}

/** What a batch has read. */
class Read implements WantedKeys {
  readonly rows = new Map<Table<unknown>, Set<string>>();
  readonly accounts = new Set<string>();

  hasRow(table: Table<unknown>, key: string): boolean {
    return this.rows.get(table)?.has(key) ?? false;
  }

  hasLedger(key: string): boolean {
    return this.accounts.has(key);
  }
}
