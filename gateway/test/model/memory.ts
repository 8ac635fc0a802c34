import { OpenBooks, type RowKey, type Table } from "../../src/ledger/books.ts";
import { type LedgerName, nameKey } from "../../src/ledger/chart.ts";
import type { CommandKind, Deciding, Want } from "../../src/ledger/lane.ts";
import { countCommands } from "./effort.ts";

type Item = { readonly kind: CommandKind<{ accountId: string }, unknown>; readonly command: { accountId: string } };

/**
 * Books that refuse to answer about what no command of the batch has wanted: in the lane that looks like a row that does not exist, or
 * a balance of 0, and a command would decide by it.
 */
class WatchedBooks extends OpenBooks {
  readonly wanted = new Set<string>();
  #watching = false;

  want(table: Table<unknown>, { accountId, id }: RowKey, row: unknown): void {
    // A row of nothing would be one more query for each batch, which finds nothing.
    if (typeof id !== "string") throw new Error(`wants a row of ${table.name} without an id`);
    this.wanted.add(`${table.name} ${accountId}/${id}`);
    this.put(table, { accountId, id }, row);
  }

  wantLedger(accountId: string, name: LedgerName): void {
    this.wanted.add(`ledger ${accountId}/${nameKey(name)}`);
  }

  override find<Row>(table: Table<Row>, key: RowKey): Row | undefined {
    const row = super.find(table, key);
    if (row === undefined) this.#refuse(`${table.name} ${key.accountId}/${key.id}`);
    return row;
  }

  override balance(accountId: string, name: LedgerName): number {
    this.#refuse(`ledger ${accountId}/${nameKey(name)}`);
    return super.balance(accountId, name);
  }

  /** What a command reads is watched; what the lane reads for it is not. */
  watched<T>(read: () => T): T {
    this.#watching = true;
    try {
      return read();
    } finally {
      this.#watching = false;
    }
  }

  #refuse(what: string): void {
    if (this.#watching && !this.wanted.has(what)) throw new Error(`reads what no command has wanted: ${what}`);
  }
}

/**
 * The lane without a database: the same wants, follows, decide and apply on rows in maps, so that deciding can be run
 * millions of times. Batches see only what their commands wanted, as in the lane.
 */
export class MemoryLane {
  readonly #rows = new Map<Table<unknown>, Map<string, { key: RowKey; row: unknown }>>();
  readonly #ledger = new Map<string, { accountId: string; name: LedgerName; balance: number; seq: number }>();
  #wanted: ReadonlySet<string> = new Set();

  /** What the commands of the last batch wanted: `<table> <account>/<id>`, `ledger <account>/<name>`. */
  get wanted(): readonly string[] {
    return [...this.#wanted];
  }

  put<Row>(table: Table<Row>, key: RowKey, row: Row): void {
    const rows = this.#rows.get(table as Table<unknown>) ?? new Map();
    this.#rows.set(table as Table<unknown>, rows);
    rows.set(`${key.accountId}/${key.id}`, { key, row });
  }

  find<Row>(table: Table<Row>, key: RowKey): Row | undefined {
    return this.#rows.get(table as Table<unknown>)?.get(`${key.accountId}/${key.id}`)?.row as Row | undefined;
  }

  all<Row>(table: Table<Row>): Row[] {
    return [...(this.#rows.get(table as Table<unknown>)?.values() ?? [])].map(({ row }) => row as Row);
  }

  balance(accountId: string, name: LedgerName): number {
    return this.#ledger.get(`${accountId}/${nameKey(name)}`)?.balance ?? 0;
  }

  /** Sum of all balances of a tenant: zero, always. */
  total(accountId: string): number {
    return [...this.#ledger.values()].filter((a) => a.accountId === accountId).reduce((sum, a) => sum + a.balance, 0);
  }

  /** Runs commands as one batch and gives their results. */
  run(items: readonly Item[], deciding: Deciding): unknown[] {
    countCommands(items.length);
    const books = new WatchedBooks();
    const want: Want = {
      row: (table, key) => {
        books.want(table, key, this.find(table, key));
      },
      ledger: (accountId, name) => {
        books.wantLedger(accountId, name);
        const found = this.#ledger.get(`${accountId}/${nameKey(name)}`);
        if (found) books.putLedgerAccount({ ...found, no: 1, loadedSeq: found.seq });
      },
    };
    this.#wanted = books.wanted;
    for (const { kind, command } of items) kind.wants(command, want);
    for (const { kind, command } of items) books.watched(() => kind.follows?.(command, books, want));
    const results = items.map(({ kind, command }) => {
      const decision = books.watched(() => {
        const decided = kind.decide(command, books, deciding);
        for (const { accountId, from, to } of decided.transfers ?? []) {
          for (const name of [from, to]) books.balance(accountId, name);
        }
        return decided;
      });
      books.apply(decision, kind.name);
      for (const { table, key } of decision.writes ?? []) this.put(table, key, books.find(table, key));
      return decision.result;
    });
    for (const { accountId, name, balance, seq } of books.touched()) {
      this.#ledger.set(`${accountId}/${nameKey(name)}`, { accountId, name, balance, seq });
    }
    return results;
  }
}
