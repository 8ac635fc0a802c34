import type { LedgerName, Transfer } from "./chart.ts";
import type { Evidence } from "./evidence.ts";
import { ledgerKey, type RowKey, rowKey, type Table, type WrittenTable } from "./table.ts";

/** A new row that a command writes. */
export type Insert<Row = unknown> = {
  readonly op: "insert";
  readonly table: WrittenTable<Row>;
  readonly key: RowKey;
  readonly row: Row;
};

/** New values of one group of columns; the other columns of the row stay. */
export type Update<Row = unknown> = {
  readonly op: "update";
  readonly table: WrittenTable<Row>;
  readonly key: RowKey;
  readonly group: string;
  readonly set: Partial<Row>;
};

/** A row that later commands of the batch see. It is written through other rows, so it is not written itself. */
type Show<Row = unknown> = {
  readonly op: "show";
  readonly table: Table<Row>;
  readonly key: RowKey;
  readonly row: Row;
  /** A row that is there already stays as it is. */
  readonly unlessKnown?: boolean;
};

export type Write<Row = unknown> = Insert<Row> | Update<Row> | Show<Row>;

export const insert = <Row>(table: WrittenTable<Row>, row: NoInfer<Row>): Insert<Row> => ({
  op: "insert",
  table,
  key: table.keyOf(row),
  row,
});

/** Updates the columns of one group, all of them and no others. */
export const update = <Row, Sets extends object, G extends keyof Sets & string>(
  table: WrittenTable<Row, Sets>,
  before: NoInfer<Row>,
  group: G,
  set: NoInfer<Sets[G]>,
): Update<Row> => ({ op: "update", table, key: table.keyOf(before), group, set: set as Partial<Row> });

/** What a command decided: its result, and the transfers and rows that make the result true. */
export type Decision<R> = {
  readonly result: R;
  readonly transfers?: readonly Transfer[];
  readonly writes?: readonly Write[];
};

/**
 * What `decide` reads: the rows of the batch in memory, read under the tenants' locks, never the database. Both functions
 * throw for a row or ledger account that no command of the batch has wanted.
 */
export type Books = {
  /** The row as the earlier commands of the batch left it; undefined: no such row. */
  find<Row>(table: Table<Row>, key: RowKey): Row | undefined;
  /** Centavos; 0 for a ledger account that has no line yet. */
  balance(accountId: string, name: LedgerName): number;
};

/**
 * The rows and ledger accounts that were wanted and read. Without this check, a row that a command forgot to want would
 * look as if it did not exist, and a ledger account as if it were empty: the command would lose a webhook or pay twice.
 */
export type WantedKeys = {
  hasRow(table: Table<unknown>, key: string): boolean;
  hasLedger(key: string): boolean;
};

export type LedgerAccount = {
  readonly accountId: string;
  readonly name: LedgerName;
  /** 0 until the ledger assigns the number. */
  no: number;
  balance: number;
  seq: number;
  /** Its last line in the database; the lines of the batch follow. */
  readonly loadedSeq: number;
};

/** A transfer with the balances and line numbers that it gives to both sides. */
export type Posting = Transfer & {
  /** Why an institution's money is booked as moved; undefined: no side is at an institution. */
  readonly evidence: Evidence | undefined;
  readonly fromAccount: LedgerAccount;
  readonly fromSeq: number;
  readonly fromBalance: number;
  readonly toAccount: LedgerAccount;
  readonly toSeq: number;
  readonly toBalance: number;
};

/** What a batch writes into a table. */
type TableWrites = {
  readonly table: WrittenTable<unknown>;
  readonly inserts: readonly unknown[];
  readonly updates: readonly { readonly groups: readonly string[]; readonly rows: readonly unknown[] }[];
};

/** Separates names of groups in one text; no name contains it. */
const BETWEEN = " ";

/** Adds a group to a text of groups, each once and sorted: the same set is always the same text. */
function withGroup(groups: string | undefined, group: string): string {
  if (groups === undefined || groups === group) return group;
  return [...new Set([...groups.split(BETWEEN), group])].sort().join(BETWEEN);
}

/**
 * The books of one batch in memory: the rows that were loaded, with the effects of the commands decided so far. A second
 * copy of a command in the same batch therefore sees what the first one did.
 */
export class OpenBooks implements Books {
  readonly #rows = new Map<Table<unknown>, Map<string, unknown>>();
  #inserts = new Map<WrittenTable<unknown>, Set<string>>();
  /** By table and row: the groups that changed, as one text. */
  #updates = new Map<WrittenTable<unknown>, Map<string, string>>();
  readonly #ledger = new Map<string, LedgerAccount>();
  readonly #touched = new Set<LedgerAccount>();
  #fresh: LedgerAccount[] = [];
  #postings: Posting[] = [];
  readonly #wanted: WantedKeys | undefined;

  /** @param wanted what the commands have wanted. Reading anything else throws. Left out: everything may be read. */
  constructor(wanted?: WantedKeys) {
    this.#wanted = wanted;
  }

  /** Adds a row that was loaded. */
  put<Row>(table: Table<Row>, key: RowKey, row: Row): void {
    let rows = this.#rows.get(table as Table<unknown>);
    if (!rows) {
      rows = new Map();
      this.#rows.set(table as Table<unknown>, rows);
    }
    rows.set(rowKey(key), row);
  }

  putLedgerAccount(account: LedgerAccount): void {
    this.#ledger.set(ledgerKey(account.accountId, account.name), account);
  }

  find<Row>(table: Table<Row>, key: RowKey): Row | undefined {
    const row = this.#row(table as Table<unknown>, rowKey(key)) as Row | undefined;
    if (row === undefined && this.#wanted?.hasRow(table as Table<unknown>, rowKey(key)) === false) {
      throw new Error(`a command reads a row of ${table.name} that no command has wanted`);
    }
    return row;
  }

  #row(table: Table<unknown>, key: string): unknown {
    return this.#rows.get(table)?.get(key);
  }

  balance(accountId: string, name: LedgerName): number {
    const key = ledgerKey(accountId, name);
    const account = this.#ledger.get(key);
    if (!account) this.#assertWanted(key);
    return account?.balance ?? 0;
  }

  #assertWanted(key: string): void {
    if (this.#wanted?.hasLedger(key) === false) throw new Error(`no command has wanted the ledger account ${key}`);
  }

  /**
   * Applies the effects of a decided command. Throws when they break a rule of the ledger, or when the command may not
   * write these columns: that is a bug and no refusal.
   */
  apply(decision: Decision<unknown>, command = "nobody", evidence?: Evidence): void {
    for (const transfer of decision.transfers ?? []) this.#post(transfer, evidence);
    for (const write of decision.writes ?? []) this.#write(write, command);
  }

  #post(transfer: Transfer, evidence: Evidence | undefined): void {
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
      evidence,
      fromAccount: from,
      fromSeq: from.seq,
      fromBalance: from.balance,
      toAccount: to,
      toSeq: to.seq,
      toBalance: to.balance,
    });
  }

  #ledgerAccount(accountId: string, name: LedgerName): LedgerAccount {
    const key = ledgerKey(accountId, name);
    let account = this.#ledger.get(key);
    if (!account) {
      this.#assertWanted(key);
      account = { accountId, name, no: 0, balance: 0, seq: 0, loadedSeq: 0 };
      this.#ledger.set(key, account);
      this.#fresh.push(account);
    }
    return account;
  }

  #write(write: Write, command: string): void {
    if (write.op === "show") {
      if (!write.unlessKnown || this.#row(write.table, rowKey(write.key)) === undefined)
        this.put(write.table, write.key, write.row);
      return;
    }
    const { table } = write;
    const key = rowKey(write.key);
    const inserts = this.#inserts.get(table);
    if (write.op === "insert") {
      if (!table.insert && !table.insertInSteps) throw new Error(`${command} may not insert into ${table.name}`);
      if (inserts?.has(key)) throw new Error(`${table.name}: the same row is inserted twice`);
      this.put(table, write.key, write.row);
      if (inserts) inserts.add(key);
      else this.#inserts.set(table, new Set([key]));
      return;
    }
    const { group, set } = write;
    const by = table.groups[group]?.by;
    if (by !== "any" && !by?.includes(command)) throw new Error(`${command} may not write ${group} of ${table.name}`);
    const row = this.#row(table, key);
    this.put(table, write.key, row === undefined ? set : { ...row, ...(set as object) });
    // The row is new in this batch, so the insert writes its last version.
    if (inserts?.has(key)) return;
    const changed = this.#updates.get(table) ?? new Map<string, string>();
    this.#updates.set(table, changed);
    changed.set(key, withGroup(changed.get(key), group));
  }

  /** Ledger accounts that got their first line since the last call. They have no number and no row yet. */
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
   * Takes what is to be written since the last call, table by table, rows sorted by key: unsorted multi-row writes of the
   * same keys deadlock. One statement updates all changed groups of a row at once. In two statements, the row would have a
   * state between them that no command decided, and a check of the table may refuse that. A row that an earlier call
   * returned as an insert is an update when it changes later.
   */
  takeWrites(): TableWrites[] {
    const [inserts, updates] = [this.#inserts, this.#updates];
    this.#inserts = new Map();
    this.#updates = new Map();
    const tables = [...new Set([...inserts.keys(), ...updates.keys()])].sort((a, b) => a.order - b.order);
    return tables.map((table) => ({
      table,
      inserts: this.#sorted(table, inserts.get(table)),
      updates: [...Map.groupBy(updates.get(table) ?? [], ([, groups]) => groups)].map(([groups, changed]) => ({
        groups: groups.split(BETWEEN),
        rows: this.#sorted(
          table,
          changed.map(([key]) => key),
        ),
      })),
    }));
  }

  #sorted(table: Table<unknown>, keys: Iterable<string> = []): unknown[] {
    const rows = this.#rows.get(table)!;
    return [...keys].sort().map((key) => rows.get(key));
  }

  /** The postings since the last call, in the order in which they were decided. */
  takePostings(): Posting[] {
    const postings = this.#postings;
    this.#postings = [];
    return postings;
  }
}
