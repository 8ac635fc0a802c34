import { instants, numbers, sql, texts, uuids } from "../db/sql.ts";
import type { Table, Write } from "../ledger/books.ts";
import type { Deciding } from "../ledger/lane.ts";
import { txidFor } from "../lib/ids.ts";

/**
 * The life of a return: money of a blocked deposit or a second payment on its way back to the payer.
 *
 * - `pending`: nothing has been sent.
 * - `sending`: a request may have left, or the PSP works on it. Every call bears the same id.
 * - `confirmed`: the PSP settled it; the money has left `returns`. Final.
 * - `failed`: the PSP did not carry it out; the money stays in `returns` for the operator.
 */
export const RETURN_STATUSES = ["pending", "sending", "confirmed", "failed"] as const;
export type ReturnStatus = (typeof RETURN_STATUSES)[number];

/** Every change of status there is, with what causes it. */
export const RETURN_EDGES: readonly { from: ReturnStatus; to: ReturnStatus; on: string }[] = [
  { from: "pending", to: "sending", on: "taken up by the loop" },
  { from: "pending", to: "confirmed", on: "the PSP shows it settled" },
  { from: "pending", to: "failed", on: "the PSP shows that it was not carried out" },
  { from: "sending", to: "confirmed", on: "the PSP shows it settled" },
  { from: "sending", to: "failed", on: "refused by the PSP, or shown as not carried out" },
  { from: "failed", to: "confirmed", on: "taken for refused, and the PSP shows it settled all the same" },
];

/** A return as money commands see it. There is one for a Pix, so its key is the end-to-end id. */
export type PixReturn = {
  readonly accountId: string;
  readonly returnId: string;
  readonly e2eId: string;
  /** Our id of it at the PSP. */
  readonly pspId: string;
  readonly institutionId: string;
  readonly chargeId: string;
  readonly amount: number;
  readonly status: ReturnStatus;
  readonly rtrId: string | null;
  readonly settledAt: Date | null;
  readonly failureReason: string | null;
  /** Null when it is over. */
  readonly nextAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

/** The return that a received Pix is born with, due at once. */
export function newReturn(
  pix: Pick<PixReturn, "accountId" | "e2eId" | "institutionId" | "chargeId" | "amount">,
  accountNumber: number,
  { now, newId }: Deciding,
): Write<PixReturn> {
  const { accountId, e2eId, institutionId, chargeId, amount } = pix;
  const returnId = newId();
  const row: PixReturn = {
    accountId,
    returnId,
    e2eId,
    pspId: txidFor(accountNumber, returnId),
    institutionId,
    chargeId,
    amount,
    status: "pending",
    rtrId: null,
    settledAt: null,
    failureReason: null,
    nextAt: now,
    createdAt: now,
    updatedAt: now,
  };
  return { op: "insert", table: pixReturnsTable, key: { accountId, id: e2eId }, row };
}

type Loaded = {
  account_id: string;
  return_id: string;
  e2e_id: string;
  psp_id: string;
  institution_id: string;
  charge_id: string;
  amount: number;
  status: ReturnStatus;
  rtr_id: string | null;
  settled_at: Date | null;
  failure_reason: string | null;
  next_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

/**
 * Returns for money commands. Loading locks the rows: the loop claims them outside the lanes, and must not come between
 * reading and writing here.
 */
export const pixReturnsTable: Table<PixReturn> = {
  name: "pix_returns",
  order: 210,
  async load(tx, keys) {
    const { rows } = await tx.query<Loaded>(sql`
      select account_id, return_id, e2e_id, psp_id, institution_id, charge_id, amount, status, rtr_id, settled_at,
        failure_reason, next_at, created_at, updated_at
      from pix_returns
      where account_id = any(${uuids([...new Set(keys.map((k) => k.accountId))])}::uuid[])
        and (account_id, e2e_id) in (
          select * from unnest(${uuids(keys.map((k) => k.accountId))}::uuid[], ${texts(keys.map((k) => k.id))}::text[]))
      order by account_id, e2e_id
      for no key update`);
    return rows.map((row) => ({
      key: { accountId: row.account_id, id: row.e2e_id },
      row: {
        accountId: row.account_id,
        returnId: row.return_id,
        e2eId: row.e2e_id,
        pspId: row.psp_id,
        institutionId: row.institution_id,
        chargeId: row.charge_id,
        amount: row.amount,
        status: row.status,
        rtrId: row.rtr_id,
        settledAt: row.settled_at,
        failureReason: row.failure_reason,
        nextAt: row.next_at,
        createdAt: row.created_at,
        updatedAt: row.updated_at,
      },
    }));
  },
  async insert(tx, rows) {
    await tx.query(sql`
      insert into pix_returns (account_id, return_id, e2e_id, psp_id, institution_id, charge_id, amount, status, rtr_id,
        settled_at, failure_reason, next_at, created_at, updated_at)
      select * from unnest(
        ${uuids(rows.map((r) => r.accountId))}::uuid[], ${uuids(rows.map((r) => r.returnId))}::uuid[],
        ${texts(rows.map((r) => r.e2eId))}::text[], ${texts(rows.map((r) => r.pspId))}::text[],
        ${uuids(rows.map((r) => r.institutionId))}::uuid[], ${uuids(rows.map((r) => r.chargeId))}::uuid[],
        ${numbers(rows.map((r) => r.amount))}::bigint[], ${texts(rows.map((r) => r.status))}::text[],
        ${texts(rows.map((r) => r.rtrId))}::text[], ${instants(rows.map((r) => r.settledAt))}::timestamptz[],
        ${texts(rows.map((r) => r.failureReason))}::text[], ${instants(rows.map((r) => r.nextAt))}::timestamptz[],
        ${instants(rows.map((r) => r.createdAt))}::timestamptz[], ${instants(rows.map((r) => r.updatedAt))}::timestamptz[])`);
  },
  async update(tx, rows) {
    const updated = await tx.query(sql`
      update pix_returns r set status = u.status, rtr_id = u.rtr_id, settled_at = u.settled_at,
        failure_reason = u.failure_reason, next_at = u.next_at, updated_at = u.updated_at
      from unnest(
        ${uuids(rows.map((r) => r.accountId))}::uuid[], ${uuids(rows.map((r) => r.returnId))}::uuid[],
        ${texts(rows.map((r) => r.status))}::text[], ${texts(rows.map((r) => r.rtrId))}::text[],
        ${instants(rows.map((r) => r.settledAt))}::timestamptz[], ${texts(rows.map((r) => r.failureReason))}::text[],
        ${instants(rows.map((r) => r.nextAt))}::timestamptz[], ${instants(rows.map((r) => r.updatedAt))}::timestamptz[])
        as u (account_id, return_id, status, rtr_id, settled_at, failure_reason, next_at, updated_at)
      where r.account_id = u.account_id and r.return_id = u.return_id
        and r.account_id = any(${uuids([...new Set(rows.map((r) => r.accountId))])}::uuid[])`);
    if (updated.rowCount !== rows.length)
      throw new Error(`${rows.length} returns were to change, ${updated.rowCount} did`);
  },
};
