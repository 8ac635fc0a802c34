import { OpenBooks } from "../../src/ledger/books.ts";
import { type LedgerName, nameKey } from "../../src/ledger/chart.ts";
import type { CommandKind, Deciding, Want } from "../../src/ledger/lane.ts";
import type { RowKey, Table } from "../../src/ledger/table.ts";
import { Wanted } from "../../src/ledger/wanted.ts";
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
    const wanted = new Wanted();
    const books = new OpenBooks(wanted);
    this.#wanted = [];
    const want: Want = {
      row: (table, key) => {
        // A row of nothing would be one more query for each batch, which finds nothing.
        if (typeof key.id !== "string") throw new Error(`wants a row of ${table.name} without an id`);
        wanted.row(table, key);
        this.#wanted.push(table.name);
        const found = this.#rows.get(table)?.get(`${key.accountId}/${key.id}`);
        if (found) books.put(table, found.key, found.row);
      },
      ledger: (accountId, name) => {
        wanted.ledger(accountId, name);
        const found = this.#ledger.get(`${accountId}/${nameKey(name)}`);
        if (found) books.putLedgerAccount({ ...found, no: 1, loadedSeq: found.seq });
      },
    };
    for (const { kind, command } of items) kind.wants(command, want);
    for (const { kind, command } of items) kind.follows?.(command, books, want);
    const results = items.map(({ kind, command }) => {
      const decision = kind.decide(command, books, deciding);
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
