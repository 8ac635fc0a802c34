import { type Fragment, name, type Sql } from "../db/sql.ts";

/** Tables of the books that a rule also reads elsewhere: in the slice around fresh lines, or as a copy of a cluster's shards. */
export type BookTable =
  | "accounts"
  | "balance_blocks"
  | "balance_watches"
  | "bank_tariffs"
  | "booking_evidence"
  | "case_proposals"
  | "charges"
  | "close_movements"
  | "day_closes"
  | "deliveries"
  | "events"
  | "inbox"
  | "infraction_polls"
  | "institution_closes"
  | "ledger_accounts"
  | "ledger_transfers"
  | "movements"
  | "open_charges"
  | "payout_ids"
  | "pix_assignments"
  | "pix_returns"
  | "psp_returns"
  | "received_pix"
  | "received_polls"
  | "reconciliations"
  | "refunds"
  | "treasury_entries"
  | "withdrawal_returns"
  | "withdrawals";

/** Where a statement reads a table of the books. */
export type Source = (table: BookTable) => Fragment;

/** A statement about the books, wherever they are read. */
export type Statement = (from: Source) => Sql;

/** All the books. */
export const BOOKS: Source = name;

/** Reads these tables from temporary copies, named `<prefix>_<table>`, and all other tables from the books. */
export const copiesOf =
  (word: string, tables: readonly BookTable[]): Source =>
  (table) =>
    name(tables.includes(table) ? `${word}_${table}` : table);
