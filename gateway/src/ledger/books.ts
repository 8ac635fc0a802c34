import type { Tx } from "../db/pool.ts";
import { type LedgerName, nameKey, type Transfer } from "./chart.ts";

/**
 * A kind of row that money commands read and write, told by the slice that owns it. Both functions serve a whole
 * batch with one statement and name the tenants (`account_id = any(…)`), so that they stay on one shard.
 */
export type Table<Row> = {
  readonly name: string;
  /** Place in the order in which tables are written; one order everywhere, so that two batches cannot deadlock. */
  readonly order: number;
  load(queries: Loading, keys: readonly RowKey[]): Promise<readonly { key: RowKey; row: Row }[]>;
  insert?(queries: Loading, rows: readonly Row[]): Promise<void>;
  update?(queries: Loading, rows: readonly Row[]): Promise<void>;
};

/** What a table needs to run statements: the lane's transaction. */
export type Loading = Tx;

/** A row of a tenant. */
export type RowKey = { readonly accountId: string; readonly id: string };

/** A row that deciding wants written. */
export type Write<Row = unknown> = {
  readonly op: "insert" | "update";
  readonly table: Table<Row>;
  readonly key: RowKey;
  readonly row: Row;
};

/** What a command decided: its answer, and what must be written for it to be true. */
export type Decision<R> = {
  readonly result: R;
  readonly transfers?: readonly Transfer[];
  readonly writes?: readonly Write[];
};

/** What deciding sees. Never the database: it was read before, under the tenant's lock. */
export type Books = {
  find<Row>(table: Table<Row>, key: RowKey): Row | undefined;
  /** Centavos; 0 for a ledger account that has no line yet. */
  balance(accountId: string, name: LedgerName): number;
};

export type LedgerAccount = {
  readonly accountId: string;
  readonly name: LedgerName;
  /** 0 until the ledger gives it one. */
  no: number;
  balance: number;
  seq: number;
  /** Its last line in the database: what the batch's lines follow. */
  readonly loadedSeq: number;
};

/** A transfer with the line it makes on both sides. */
export type Posting = Transfer & {
  readonly fromAccount: LedgerAccount;
  readonly fromSeq: number;
  readonly fromBalance: number;
  readonly toAccount: LedgerAccount;
  readonly toSeq: number;
  readonly toBalance: number;
};

const rowKey = (key: RowKey): string => `${key.accountId}/${key.id}`;

/**
 * The books of one batch in memory: what was loaded, with the effects of the commands decided so far laid over it,
 * so that a second copy of a command in the same batch sees what the first one did.
 */
export class OpenBooks implements Books {
  readonly #rows = new Map<Table<unknown>, Map<string, unknown>>();
  #inserts = new Map<Table<unknown>, Map<string, Write>>();
  #updates = new Map<Table<unknown>, Map<string, Write>>();
  readonly #ledger = new Map<string, LedgerAccount>();
  readonly #touched = new Set<LedgerAccount>();
  #fresh: LedgerAccount[] = [];
  #postings: Posting[] = [];

  /** Puts a loaded row in; `undefined` records that it was asked for and does not exist. */
  put<Row>(table: Table<Row>, key: RowKey, row: Row): void {
    let rows = this.#rows.get(table as Table<unknown>);
    if (!rows) {
      rows = new Map();
      this.#rows.set(table as Table<unknown>, rows);
    }
    rows.set(rowKey(key), row);
  }

  putLedgerAccount(account: LedgerAccount): void {
    this.#ledger.set(`${account.accountId}/${nameKey(account.name)}`, account);
  }

  find<Row>(table: Table<Row>, key: RowKey): Row | undefined {
    return this.#rows.get(table as Table<unknown>)?.get(rowKey(key)) as Row | undefined;
  }

  balance(accountId: string, name: LedgerName): number {
    return this.#ledger.get(`${accountId}/${nameKey(name)}`)?.balance ?? 0;
  }

  /** Lays a decision's effects over the books. Throws when the decision breaks a rule of the ledger: a bug, not a refusal. */
  apply(decision: Decision<unknown>): void {
    for (const transfer of decision.transfers ?? []) this.#post(transfer);
    for (const write of decision.writes ?? []) this.#write(write);
  }

  #post(transfer: Transfer): void {
    if (!Number.isSafeInteger(transfer.amount) || transfer.amount <= 0) {
      throw new Error(`a transfer ${transfer.kind} of ${transfer.amount} centavos`);
    }
    const from = this.#ledgerAccount(transfer.accountId, transfer.from);
    const to = this.#ledgerAccount(transfer.accountId, transfer.to);
    if (from === to) throw new Error(`a transfer ${transfer.kind} from an account to itself`);
    from.balance -= transfer.amount;
    from.seq += 1;
    to.balance += transfer.amount;
    to.seq += 1;
    if (!Number.isSafeInteger(from.balance) || !Number.isSafeInteger(to.balance))
      throw new Error("a balance beyond 2^53");
    this.#touched.add(from);
    this.#touched.add(to);
    this.#postings.push({
      ...transfer,
      fromAccount: from,
      fromSeq: from.seq,
      fromBalance: from.balance,
      toAccount: to,
      toSeq: to.seq,
      toBalance: to.balance,
    });
  }

  #ledgerAccount(accountId: string, name: LedgerName): LedgerAccount {
    const key = `${accountId}/${nameKey(name)}`;
    let account = this.#ledger.get(key);
    if (!account) {
      account = { accountId, name, no: 0, balance: 0, seq: 0, loadedSeq: 0 };
      this.#ledger.set(key, account);
      this.#fresh.push(account);
    }
    return account;
  }

  #write(write: Write): void {
    const key = rowKey(write.key);
    this.put(write.table, write.key, write.row);
    const inserts = this.#inserts.get(write.table);
    if (write.op === "insert") {
      if (inserts?.has(key)) throw new Error(`${write.table.name}: the same row is inserted twice`);
      this.#remember(this.#inserts, key, write);
    } else if (inserts?.has(key)) {
      // Inserted in this very batch: the last version is what is inserted.
      inserts.set(key, write);
    } else {
      this.#remember(this.#updates, key, write);
    }
  }

  #remember(into: Map<Table<unknown>, Map<string, Write>>, key: string, write: Write): void {
    let rows = into.get(write.table);
    if (!rows) {
      rows = new Map();
      into.set(write.table, rows);
    }
    rows.set(key, write);
  }

  /** Ledger accounts that got their first line since the last call: they have no number and no row. */
  takeFresh(): LedgerAccount[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }

  /** Ledger accounts that have new lines. */
  touched(): LedgerAccount[] {
    return [...this.#touched];
  }

  /**
   * What is to be written since the last call, table by table, rows sorted by key: unsorted multi-row writes of the same
   * keys deadlock. A row that a call gave as an insert is an update when it changes after that.
   */
  takeWrites(): { table: Table<unknown>; inserts: unknown[]; updates: unknown[] }[] {
    const [inserts, updates] = [this.#inserts, this.#updates];
    this.#inserts = new Map();
    this.#updates = new Map();
    const tables = [...new Set([...inserts.keys(), ...updates.keys()])].sort((a, b) => a.order - b.order);
    return tables.map((table) => ({
      table,
      inserts: sorted(inserts.get(table)),
      updates: sorted(updates.get(table)),
    }));
  }

  /** The postings since the last call, in the order in which they were decided. */
  takePostings(): Posting[] {
    const postings = this.#postings;
    this.#postings = [];
    return postings;
  }
}

function sorted(writes: Map<string, Write> | undefined): unknown[] {
  if (!writes) return [];
  return [...writes.keys()].sort().map((key) => writes.get(key)!.row);
}
