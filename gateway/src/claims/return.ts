import { bigints, instants, texts, uuids } from "../db/arrays.ts";
import { onTenants, sql } from "../db/sql.ts";
import type { Loading, RowKey, Table } from "../ledger/books.ts";
import { txidFor } from "../lib/ids.ts";

/**
 * The life of a return that we ask a PSP for: money of a blocked deposit, of a second payment or of a refund, on its way
 * back to the payer.
 *
 * - `pending`: nothing has been sent.
 * - `sending`: a request may have left, or the PSP works on it. Every call bears the same id.
 * - `confirmed`: the PSP settled it; the money has left. Final.
 * - `failed`: the PSP did not carry it out. A deposit's money stays in `returns` for the operator, a refund's is released.
 *   The operator may have a deposit's tried again: under a new id where the PSP shows this one as failed or has given back a
 *   part by itself, else it is asked about, and repeated under the same id.
 */
export const RETURN_STATUSES = ["pending", "sending", "confirmed", "failed"] as const;
export type ReturnStatus = (typeof RETURN_STATUSES)[number];

/** Every change of status there is, with what causes it. */
export const RETURN_EDGES: readonly { from: ReturnStatus; to: ReturnStatus; on: string }[] = [
  { from: "pending", to: "sending", on: "taken up by the loop" },
  { from: "pending", to: "confirmed", on: "the PSP shows it settled" },
  { from: "pending", to: "failed", on: "the PSP shows that it was not carried out, or made a return itself" },
  { from: "sending", to: "confirmed", on: "the PSP shows it settled" },
  {
    from: "sending",
    to: "failed",
    on: "refused by the PSP, shown as not carried out, or the PSP made a return itself",
  },
  { from: "failed", to: "sending", on: "the operator has it tried again, and the PSP does not show it as failed" },
  { from: "failed", to: "confirmed", on: "taken for refused, and the PSP shows it settled all the same" },
];

/**
 * Why we give a Pix back: it was not credited, or belongs to no charge and the operator decides so (`deposit`), or the
 * merchant asks for it (`refund`).
 */
export type ReturnPurpose = "deposit" | "refund";

/** A return as money commands see it. A refund's has the refund's id. */
export type PixReturn = {
  readonly accountId: string;
  readonly returnId: string;
  readonly purpose: ReturnPurpose;
  readonly e2eId: string;
  /** Our id of it at the PSP. */
  readonly pspId: string;
  readonly institutionId: string;
  /** Null: of a Pix that belongs to no charge. */
  readonly chargeId: string | null;
  readonly amount: number;
  /** What the payer reads; the adapter cuts it to what the PSP takes. */
  readonly description: string;
  readonly status: ReturnStatus;
  readonly rtrId: string | null;
  readonly settledAt: Date | null;
  readonly failureReason: string | null;
  /** Null when it is over. */
  readonly nextAt: Date | null;
  /** The failed return whose place this one takes, under an id of its own. */
  readonly retryOf: string | null;
  /** When the operator last had it tried again. */
  readonly retriedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** A new return, due at once. */
export function newReturn(
  back: Pick<
    PixReturn,
    "accountId" | "returnId" | "purpose" | "e2eId" | "institutionId" | "chargeId" | "amount" | "description"
  >,
  accountNumber: number,
  now: Date,
  retryOf: string | null = null,
): PixReturn {
  return {
    ...back,
    pspId: txidFor(accountNumber, back.returnId),
    status: "pending",
    rtrId: null,
    settledAt: null,
    failureReason: null,
    nextAt: now,
    retryOf,
    retriedAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

type Loaded = {
  account_id: string;
  return_id: string;
  purpose: ReturnPurpose;
  e2e_id: string;
  psp_id: string;
  institution_id: string;
  charge_id: string | null;
  amount: number;
  description: string;
  status: ReturnStatus;
  rtr_id: string | null;
  settled_at: Date | null;
  failure_reason: string | null;
  next_at: Date | null;
  retry_of: string | null;
  retried_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

/**
 * Our returns of Pix, for money commands. Locks the rows: the loop claims them outside the lanes, and must not come
 * between reading and writing here.
 */
export async function loadReturns(tx: Loading, keys: readonly RowKey[]): Promise<PixReturn[]> {
  const { rows } = await tx.query<Loaded>(sql`
    select account_id, return_id, purpose, e2e_id, psp_id, institution_id, charge_id, amount, description, status, rtr_id,
      settled_at, failure_reason, next_at, retry_of, retried_at, created_at, updated_at
    from pix_returns
    where ${onTenants("account_id", keys)}
      and (account_id, e2e_id) in (
        select * from unnest(${uuids(keys.map((k) => k.accountId))}::uuid[], ${texts(keys.map((k) => k.id))}::text[]))
    order by account_id, return_id
    for no key update`);
  return rows.map((row) => ({
    accountId: row.account_id,
    returnId: row.return_id,
    purpose: row.purpose,
    e2eId: row.e2e_id,
    pspId: row.psp_id,
    institutionId: row.institution_id,
    chargeId: row.charge_id,
    amount: row.amount,
    description: row.description,
    status: row.status,
    rtrId: row.rtr_id,
    settledAt: row.settled_at,
    failureReason: row.failure_reason,
    nextAt: row.next_at,
    retryOf: row.retry_of,
    retriedAt: row.retried_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }));
}

/** Written only, by the return's id: they are read with their Pix (claims/pix.ts). */
export const pixReturnsTable: Table<PixReturn> = {
  name: "pix_returns",
  order: 210,
  load: () => Promise.resolve([]),
  async insert(tx, rows) {
    await tx.query(sql`
      insert into pix_returns (account_id, return_id, purpose, e2e_id, psp_id, institution_id, charge_id, amount,
        description, status, rtr_id, settled_at, failure_reason, next_at, retry_of, created_at, updated_at)
      select * from unnest(
        ${uuids(rows.map((r) => r.accountId))}::uuid[], ${uuids(rows.map((r) => r.returnId))}::uuid[],
        ${texts(rows.map((r) => r.purpose))}::text[], ${texts(rows.map((r) => r.e2eId))}::text[],
        ${texts(rows.map((r) => r.pspId))}::text[], ${uuids(rows.map((r) => r.institutionId))}::uuid[],
        ${uuids(rows.map((r) => r.chargeId))}::uuid[], ${bigints(rows.map((r) => r.amount))}::bigint[],
        ${texts(rows.map((r) => r.description))}::text[], ${texts(rows.map((r) => r.status))}::text[],
        ${texts(rows.map((r) => r.rtrId))}::text[], ${instants(rows.map((r) => r.settledAt))}::timestamptz[],
        ${texts(rows.map((r) => r.failureReason))}::text[], ${instants(rows.map((r) => r.nextAt))}::timestamptz[],
        ${uuids(rows.map((r) => r.retryOf))}::uuid[],
        ${instants(rows.map((r) => r.createdAt))}::timestamptz[], ${instants(rows.map((r) => r.updatedAt))}::timestamptz[])`);
  },
  async update(tx, rows) {
    const updated = await tx.query(sql`
      update pix_returns r set status = u.status, rtr_id = u.rtr_id, settled_at = u.settled_at,
        failure_reason = u.failure_reason, next_at = u.next_at, retried_at = u.retried_at, updated_at = u.updated_at
      from unnest(
        ${uuids(rows.map((r) => r.accountId))}::uuid[], ${uuids(rows.map((r) => r.returnId))}::uuid[],
        ${texts(rows.map((r) => r.status))}::text[], ${texts(rows.map((r) => r.rtrId))}::text[],
        ${instants(rows.map((r) => r.settledAt))}::timestamptz[], ${texts(rows.map((r) => r.failureReason))}::text[],
        ${instants(rows.map((r) => r.nextAt))}::timestamptz[], ${instants(rows.map((r) => r.retriedAt))}::timestamptz[],
        ${instants(rows.map((r) => r.updatedAt))}::timestamptz[])
        as u (account_id, return_id, status, rtr_id, settled_at, failure_reason, next_at, retried_at, updated_at)
      where r.account_id = u.account_id and r.return_id = u.return_id
        and ${onTenants("r.account_id", rows)}`);
    if (updated.rowCount !== rows.length)
      throw new Error(`${rows.length} returns were to change, ${updated.rowCount} did`);
  },
};
