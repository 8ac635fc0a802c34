import { uuids } from "../db/arrays.ts";
import { sql } from "../db/sql.ts";
import type { Table } from "../ledger/books.ts";
import type { FeeSchedule } from "../lib/money.ts";

/** What an account decides about its money: read under its lock, never from a cache. */
export type AccountSettings = {
  readonly accountId: string;
  readonly number: number;
  readonly isHouse: boolean;
  readonly status: "approved" | "pending" | "suspended";
  readonly blockCnpjPayers: boolean;
  readonly unknownPayers: "credit" | "return";
  readonly latePayments: "credit" | "return";
  readonly institutionChoice: boolean;
  /** The auditor found its books broken: no withdrawal is taken on or sent until the operator lifts it. */
  readonly withdrawalsFrozen: boolean;
  readonly fees: { readonly charge: FeeSchedule; readonly withdrawal: FeeSchedule; readonly refund: FeeSchedule };
};

export type AccountRow = {
  account_id: string;
  number: number;
  is_house: boolean;
  name: string;
  legal_name: string | null;
  document: string | null;
  status: AccountSettings["status"];
  block_cnpj_payers: boolean;
  unknown_payers: AccountSettings["unknownPayers"];
  late_payments: AccountSettings["latePayments"];
  institution_choice: boolean;
  charge_fee_fixed: number;
  charge_fee_bps: number;
  charge_fee_min: number | null;
  charge_fee_max: number | null;
  withdrawal_fee_fixed: number;
  withdrawal_fee_bps: number;
  withdrawal_fee_min: number | null;
  withdrawal_fee_max: number | null;
  refund_fee_fixed: number;
  refund_fee_bps: number;
  refund_fee_min: number | null;
  refund_fee_max: number | null;
  limit_per_withdrawal: number | null;
  limit_per_day: number | null;
  limit_per_night: number | null;
  withdrawals_frozen_at: Date | null;
  withdrawals_frozen_reason: string | null;
  created_at: Date;
  updated_at: Date;
};

function settingsOf(row: AccountRow): AccountSettings {
  return {
    accountId: row.account_id,
    number: row.number,
    isHouse: row.is_house,
    status: row.status,
    blockCnpjPayers: row.block_cnpj_payers,
    unknownPayers: row.unknown_payers,
    latePayments: row.late_payments,
    institutionChoice: row.institution_choice,
    withdrawalsFrozen: row.withdrawals_frozen_at !== null,
    fees: { charge: feeOf(row, "charge"), withdrawal: feeOf(row, "withdrawal"), refund: feeOf(row, "refund") },
  };
}

export function feeOf(row: AccountRow, operation: "charge" | "withdrawal" | "refund"): FeeSchedule {
  return {
    fixed: row[`${operation}_fee_fixed`],
    percentBps: row[`${operation}_fee_bps`],
    min: row[`${operation}_fee_min`],
    max: row[`${operation}_fee_max`],
  };
}

/** The settings of a tenant for money commands; the row's id is the account's. */
export const accountsTable: Table<AccountSettings> = {
  name: "accounts",
  order: 10,
  async load(tx, keys) {
    const { rows } = await tx.query<AccountRow>(sql`
      select * from accounts where account_id = any(${uuids(keys.map((k) => k.accountId))}::uuid[])`);
    return rows.map((row) => ({ key: { accountId: row.account_id, id: row.account_id }, row: settingsOf(row) }));
  },
};
