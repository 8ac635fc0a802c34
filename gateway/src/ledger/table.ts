import type { Group } from "../db/columns.ts";
import type { Tx } from "../db/pool.ts";
import type { Sql } from "../db/sql.ts";
import { type LedgerName, nameKey } from "./chart.ts";

/**
 * A kind of row that money commands read. The slice that owns it defines it, mostly with `laneTable`
 * (ledger/lane-table.ts). One statement loads the rows of a whole batch; it names the tenants (`account_id = any(…)`),
 * because they may be spread over servers.
 */
export type Table<Row> = {
  readonly name: string;
  /** Position in the order in which tables are written: one order everywhere, so that two batches cannot deadlock. */
  readonly order: number;
  load(queries: Tx, keys: readonly RowKey[]): Promise<readonly { key: RowKey; row: Row }[]>;
};

/**
 * A kind of row that money commands write too. Its statements read no row that another statement of the batch writes,
 * because all of them may be sent as one (db/joined.ts). `Sets`: the columns that an update of each group sets.
 */
export type WrittenTable<Row, Sets extends object = object> = Table<Row> & {
  /** Groups of columns that are written together, each with the commands that may write it. */
  readonly groups: { readonly [group: string]: Group<string> };
  keyOf(row: Row): RowKey;
  insert?(rows: readonly Row[]): readonly Sql[];
  /** Instead of `insert`, where later statements need the answers of earlier ones. */
  insertInSteps?(tx: Tx, rows: readonly Row[]): Promise<void>;
  /** Writes the columns of these groups, as the rows have them. */
  update?(groups: readonly string[], rows: readonly Row[]): readonly Sql[];
  /** For the compiler only. */
  readonly sets?: Sets;
};

/** Key of a tenant's row. */
export type RowKey = { readonly accountId: string; readonly id: string };

export const rowKey = (key: RowKey): string => `${key.accountId}/${key.id}`;
export const ledgerKey = (accountId: string, name: LedgerName): string => `${accountId}/${nameKey(name)}`;
