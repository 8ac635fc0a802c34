import { bigint, boolean, instant, int, json, nullable, oneOf, type RowOf, table, text, uuid } from "../db/columns.ts";
import type { Table } from "../ledger/table.ts";
import type { FeeSchedule } from "../lib/money.ts";

/** What the operator may say that an account needs of its institutions (needs.ts). */
export const STATED_NEEDS = [
  "payouts", "unattended_payouts", "due_dates", "static_codes", "tills", "partial_refunds", "disputes",
] as const; // biome-ignore format: a list
export type StatedNeed = (typeof STATED_NEEDS)[number];

/** Accounts. What an operator decides about one is written under its lock. */
export const accounts = table({
  name: "accounts",
  key: ["accountId"],
  columns: {
    accountId: uuid,
    /** Part of txids and client ids. */
    number: bigint,
    isHouse: boolean,
    name: text,
    legalName: nullable(text),
    document: nullable(text),
    environment: oneOf(["sandbox", "production"]),
    status: oneOf(["approved", "pending", "suspended"]),
    blockCnpjPayers: boolean,
    unknownPayers: oneOf(["credit", "return"]),
    latePayments: oneOf(["credit", "return"]),
    institutionChoice: boolean,
    /** Payouts may leave by a bank that does not compare the owner of the key with the holder before it pays. */
    uncheckedHolders: boolean,
    chargeFeeFixed: bigint,
    chargeFeeBps: int,
    chargeFeeMin: nullable(bigint),
    chargeFeeMax: nullable(bigint),
    withdrawalFeeFixed: bigint,
    withdrawalFeeBps: int,
    withdrawalFeeMin: nullable(bigint),
    withdrawalFeeMax: nullable(bigint),
    refundFeeFixed: bigint,
    refundFeeBps: int,
    refundFeeMin: nullable(bigint),
    refundFeeMax: nullable(bigint),
    limitPerWithdrawal: nullable(bigint),
    limitPerDay: nullable(bigint),
    limitPerNight: nullable(bigint),
    payoutApprovalAbove: nullable(bigint),
    payoutsPerHourCount: nullable(int),
    payoutsPerHourSum: nullable(bigint),
    newKeyWaitMinutes: nullable(int),
    newKeyMaxAmount: nullable(bigint),
    withdrawalsFrozenAt: nullable(instant),
    withdrawalsFrozenReason: nullable(text),
    createdAt: instant,
    updatedAt: instant,
    /** What its institutions must be able to do. */
    needs: json<readonly StatedNeed[]>(),
  },
  groups: {
    settings: {
      columns: [
        "status", "blockCnpjPayers", "unknownPayers", "latePayments", "institutionChoice", "uncheckedHolders", "needs",
        "chargeFeeFixed", "chargeFeeBps", "chargeFeeMin", "chargeFeeMax",
        "withdrawalFeeFixed", "withdrawalFeeBps", "withdrawalFeeMin", "withdrawalFeeMax",
        "refundFeeFixed", "refundFeeBps", "refundFeeMin", "refundFeeMax",
        "limitPerWithdrawal", "limitPerDay", "limitPerNight", "updatedAt",
        "payoutApprovalAbove", "payoutsPerHourCount", "payoutsPerHourSum", "newKeyWaitMinutes", "newKeyMaxAmount",
      ],
    },
  },
}); // biome-ignore format: a list

export type AccountRow = RowOf<typeof accounts.columns>;

/** What an account decides about its money: read under its lock, never from a cache. */
export type AccountSettings = Pick<
  AccountRow,
  | "accountId"
  | "number"
  | "isHouse"
  | "status"
  | "blockCnpjPayers"
  | "unknownPayers"
  | "latePayments"
  | "institutionChoice"
  | "document"
> & {
  /** The auditor found its books broken: no withdrawal is accepted or sent until an operator lifts the freeze. */
  readonly withdrawalsFrozen: boolean;
  readonly payouts: PayoutPolicy;
  readonly fees: { readonly charge: FeeSchedule; readonly withdrawal: FeeSchedule; readonly refund: FeeSchedule };
};

/** The limits that hold payouts back; null: none. Amounts in centavos. */
export type PayoutPolicy = {
  /** Above this amount another credential must approve. */
  readonly approvalAbove: number | null;
  /** Most withdrawals in a clock hour, and their sum. */
  readonly perHourCount: number | null;
  readonly perHourSum: number | null;
  /** A key that was never paid waits this long, and no more than this amount may be on its way to it. */
  readonly newKeyWaitMinutes: number | null;
  readonly newKeyMaxAmount: number | null;
};

const payoutsOf = (row: AccountRow): PayoutPolicy => ({
  approvalAbove: row.payoutApprovalAbove,
  perHourCount: row.payoutsPerHourCount,
  perHourSum: row.payoutsPerHourSum,
  newKeyWaitMinutes: row.newKeyWaitMinutes,
  newKeyMaxAmount: row.newKeyMaxAmount,
});

const settingsOf = (row: AccountRow): AccountSettings => ({
  accountId: row.accountId,
  number: row.number,
  isHouse: row.isHouse,
  status: row.status,
  blockCnpjPayers: row.blockCnpjPayers,
  unknownPayers: row.unknownPayers,
  latePayments: row.latePayments,
  institutionChoice: row.institutionChoice,
  document: row.document,
  withdrawalsFrozen: row.withdrawalsFrozenAt !== null,
  payouts: payoutsOf(row),
  fees: { charge: feeOf(row, "charge"), withdrawal: feeOf(row, "withdrawal"), refund: feeOf(row, "refund") },
});

type Operation = "charge" | "withdrawal" | "refund";
type Fees = Pick<AccountRow, `${Operation}Fee${"Fixed" | "Bps" | "Min" | "Max"}`>;

export function feeOf(row: Fees, operation: Operation): FeeSchedule {
  return {
    fixed: row[`${operation}FeeFixed`],
    percentBps: row[`${operation}FeeBps`],
    min: row[`${operation}FeeMin`],
    max: row[`${operation}FeeMax`],
  };
}

const read = accounts.reader({});

/** The settings of a tenant for money commands; the row's id is the account's. */
export const accountsTable: Table<AccountSettings> = {
  name: "accounts",
  order: 10,
  async load(tx, keys) {
    const rows = await read(tx, keys);
    return rows.map((row) => ({ key: { accountId: row.accountId, id: row.accountId }, row: settingsOf(row) }));
  },
};
