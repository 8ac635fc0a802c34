import { bigints, booleans, instants, texts, uuids } from "../db/arrays.ts";
import { onTenants, sql } from "../db/sql.ts";
import type { Loading, RowKey, Table } from "../ledger/books.ts";

/**
 * The life of a refund, which gives a whole payment back.
 *
 * - `pending`: its amount and fee are held, and its return is under way at the PSP.
 * - `confirmed`: the PSP settled the return. Amount and fee have left. Final.
 * - `error`: the PSP did not carry it out; the hold was released. Another refund of the payment may be asked for.
 */
export const REFUND_STATUSES = ["pending", "confirmed", "error"] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];

/** Every change of status there is, with what causes it. */
export const REFUND_EDGES: readonly { from: RefundStatus; to: RefundStatus; on: string }[] = [
  { from: "pending", to: "confirmed", on: "the PSP settled the return" },
  { from: "pending", to: "error", on: "the PSP did not carry the return out, or made one itself" },
  { from: "error", to: "confirmed", on: "taken for refused, and the PSP shows it settled all the same" },
];

/** What the interface calls the status. */
export const PUBLIC_REFUND_STATUS: Readonly<Record<RefundStatus, "PENDING" | "CONFIRMED" | "ERROR">> = {
  pending: "PENDING",
  confirmed: "CONFIRMED",
  error: "ERROR",
};

/** A refund as money commands see it. */
export type Refund = {
  readonly accountId: string;
  /** Also the id of its return at the PSP, and of its transaction. */
  readonly refundId: string;
  readonly walletId: string;
  readonly chargeId: string;
  readonly e2eId: string;
  readonly institutionId: string;
  /** Centavos. */
  readonly amount: number;
  /** Held beside the amount, and taken when the refund is confirmed. */
  readonly feeAmount: number;
  readonly status: RefundStatus;
  readonly reason: string | null;
  readonly idempotencyKey: string | null;
  /** Confirmed after it had been released: its money is booked as a PSP-made return (claims/paid-back.ts), without a fee. */
  readonly late: boolean;
  readonly rtrId: string | null;
  readonly refundedAt: Date | null;
  readonly failureReason: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type RefundColumns = {
  account_id: string;
  refund_id: string;
  wallet_id: string;
  charge_id: string;
  e2e_id: string;
  institution_id: string;
  amount: number;
  fee_amount: number;
  status: RefundStatus;
  reason: string | null;
  idempotency_key: string | null;
  late: boolean;
  rtr_id: string | null;
  refunded_at: Date | null;
  failure_reason: string | null;
  created_at: Date;
  updated_at: Date;
};

export const toRefundRow = (row: RefundColumns): Refund => ({
  accountId: row.account_id,
  refundId: row.refund_id,
  walletId: row.wallet_id,
  chargeId: row.charge_id,
  e2eId: row.e2e_id,
  institutionId: row.institution_id,
  amount: row.amount,
  feeAmount: row.fee_amount,
  status: row.status,
  reason: row.reason,
  idempotencyKey: row.idempotency_key,
  late: row.late,
  rtrId: row.rtr_id,
  refundedAt: row.refunded_at,
  failureReason: row.failure_reason,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** The refunds of Pix, for money commands, oldest first. */
export async function loadRefunds(tx: Loading, keys: readonly RowKey[]): Promise<Refund[]> {
  const { rows } = await tx.query<RefundColumns>(sql`
    select r.* from unnest(${uuids(keys.map((k) => k.accountId))}::uuid[], ${texts(keys.map((k) => k.id))}::text[])
      as k (account_id, e2e_id)
    join refunds r on r.account_id = k.account_id and r.e2e_id = k.e2e_id
    where ${onTenants("r.account_id", keys)}
    order by r.account_id, r.refund_id`);
  return rows.map(toRefundRow);
}

/** Written only, by the refund's id: they are read with their Pix (claims/pix.ts). */
export const refundsTable: Table<Refund> = {
  name: "refunds",
  order: 230,
  load: () => Promise.resolve([]),
  async insert(tx, rows) {
    await tx.query(sql`
      insert into refunds (account_id, refund_id, wallet_id, charge_id, e2e_id, institution_id, amount, fee_amount, status,
        reason, idempotency_key, late, rtr_id, refunded_at, failure_reason, created_at, updated_at)
      select * from unnest(
        ${uuids(rows.map((r) => r.accountId))}::uuid[], ${uuids(rows.map((r) => r.refundId))}::uuid[],
        ${uuids(rows.map((r) => r.walletId))}::uuid[], ${uuids(rows.map((r) => r.chargeId))}::uuid[],
        ${texts(rows.map((r) => r.e2eId))}::text[], ${uuids(rows.map((r) => r.institutionId))}::uuid[],
        ${bigints(rows.map((r) => r.amount))}::bigint[], ${bigints(rows.map((r) => r.feeAmount))}::bigint[],
        ${texts(rows.map((r) => r.status))}::text[], ${texts(rows.map((r) => r.reason))}::text[],
        ${texts(rows.map((r) => r.idempotencyKey))}::text[], ${booleans(rows.map((r) => r.late))}::boolean[],
        ${texts(rows.map((r) => r.rtrId))}::text[], ${instants(rows.map((r) => r.refundedAt))}::timestamptz[],
        ${texts(rows.map((r) => r.failureReason))}::text[], ${instants(rows.map((r) => r.createdAt))}::timestamptz[],
        ${instants(rows.map((r) => r.updatedAt))}::timestamptz[])`);
  },
  async update(tx, rows) {
    const updated = await tx.query(sql`
      update refunds r set status = u.status, late = u.late, rtr_id = u.rtr_id, refunded_at = u.refunded_at,
        failure_reason = u.failure_reason, updated_at = u.updated_at
      from unnest(
        ${uuids(rows.map((r) => r.accountId))}::uuid[], ${uuids(rows.map((r) => r.refundId))}::uuid[],
        ${texts(rows.map((r) => r.status))}::text[], ${booleans(rows.map((r) => r.late))}::boolean[],
        ${texts(rows.map((r) => r.rtrId))}::text[], ${instants(rows.map((r) => r.refundedAt))}::timestamptz[],
        ${texts(rows.map((r) => r.failureReason))}::text[], ${instants(rows.map((r) => r.updatedAt))}::timestamptz[])
        as u (account_id, refund_id, status, late, rtr_id, refunded_at, failure_reason, updated_at)
      where r.account_id = u.account_id and r.refund_id = u.refund_id
        and ${onTenants("r.account_id", rows)}`);
    if (updated.rowCount !== rows.length)
      throw new Error(`${rows.length} refunds were to change, ${updated.rowCount} did`);
  },
};
