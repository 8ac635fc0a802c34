import type { Group } from "../db/columns.ts";
import type { Tx } from "../db/pool.ts";
import { type LedgerName, nameKey } from "./chart.ts";

/**
 * A kind of row that money commands read, given by the slice that owns it; most are made by `laneTable`
 * (ledger/lane-table.ts). Loading serves a whole batch with one statement, which names the tenants (`account_id = any(…)`)
 * where they are spread over servers.
 */
export type Table<Row> = {
  readonly name: string;
  /** Place in the order in which tables are written; one order everywhere, so that two batches cannot deadlock. */
  readonly order: number;
  load(queries: Tx, keys: readonly RowKey[]): Promise<readonly { key: RowKey; row: Row }[]>;
};

/** A kind of row that money commands write too. `Sets`: what an update of each group gives. */
export type WrittenTable<Row, Sets extends object = object> = Table<Row> & {
  /** What may be changed of a row: columns that are written together, and the commands that may write them. */
  readonly groups: { readonly [group: string]: Group<string> };
  keyOf(row: Row): RowKey;
  insert?(queries: Tx, rows: readonly Row[]): Promise<void>;
  /** The insert is several statements, of which the later ones need the answers of the earlier ones. */
  readonly insertsInSteps?: true;
  /** Writes the columns of these groups by one statement, as the rows have them. */
  update?(queries: Tx, groups: readonly string[], rows: readonly Row[]): Promise<void>;
  /** Only for the compiler. */
  readonly sets?: Sets;
};

/** A row of a tenant. */
export type RowKey = { readonly accountId: string; readonly id: string };

export const rowKey = (key: RowKey): string => `${key.accountId}/${key.id}`;
export const ledgerKey = (accountId: string, name: LedgerName): string => `${accountId}/${nameKey(name)}`;
