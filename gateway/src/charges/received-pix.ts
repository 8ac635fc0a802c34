import type { PixOutcome } from "../claims/pix.ts";
import { bigints, instants, texts, uuids } from "../db/arrays.ts";
import { onTenants, sql } from "../db/sql.ts";
import type { Table } from "../ledger/books.ts";

export type { PixOutcome } from "../claims/pix.ts";

/** A received Pix in the books of its tenant; its id is the end-to-end id, so the same Pix is booked once. */
export type ReceivedPix = {
  readonly accountId: string;
  readonly e2eId: string;
  readonly pixId: string;
  readonly institutionId: string;
  readonly chargeId: string | null;
  readonly walletId: string | null;
  readonly amount: number;
  readonly outcome: PixOutcome;
  /** Why it was not credited: a `BlockedReason`, or an `UnmatchedReason`. */
  readonly reason: string | null;
  /** As the PSP told it, kept where it led to no charge. */
  readonly txid: string | null;
  readonly payerName: string | null;
  readonly payerDocument: string | null;
  readonly paidAt: Date;
  readonly receivedAt: Date;
};

export const receivedPixTable: Table<ReceivedPix> = {
  name: "received_pix",
  order: 200,
  async load(tx, keys) {
    const { rows } = await tx.query<{
      account_id: string;
      e2e_id: string;
      pix_id: string;
      institution_id: string;
      charge_id: string | null;
      wallet_id: string | null;
      amount: number;
      outcome: PixOutcome;
      reason: string | null;
      txid: string | null;
      payer_name: string | null;
      payer_document: string | null;
      paid_at: Date;
      received_at: Date;
    }>(sql`
      select p.* from unnest(${uuids(keys.map((k) => k.accountId))}::uuid[], ${texts(keys.map((k) => k.id))}::text[])
        as k (account_id, e2e_id)
      join received_pix p on p.account_id = k.account_id and p.e2e_id = k.e2e_id
      where ${onTenants("p.account_id", keys)}`);
    return rows.map((row) => ({
      key: { accountId: row.account_id, id: row.e2e_id },
      row: {
        accountId: row.account_id,
        e2eId: row.e2e_id,
        pixId: row.pix_id,
        institutionId: row.institution_id,
        chargeId: row.charge_id,
        walletId: row.wallet_id,
        amount: row.amount,
        outcome: row.outcome,
        reason: row.reason,
        txid: row.txid,
        payerName: row.payer_name,
        payerDocument: row.payer_document,
        paidAt: row.paid_at,
        receivedAt: row.received_at,
      },
    }));
  },
  async insert(tx, rows) {
    await tx.query(sql`
      insert into received_pix (account_id, e2e_id, pix_id, institution_id, charge_id, wallet_id, amount, outcome, reason,
        txid, payer_name, payer_document, paid_at, received_at)
      select * from unnest(
        ${uuids(rows.map((p) => p.accountId))}::uuid[], ${texts(rows.map((p) => p.e2eId))}::text[],
        ${uuids(rows.map((p) => p.pixId))}::uuid[], ${uuids(rows.map((p) => p.institutionId))}::uuid[],
        ${uuids(rows.map((p) => p.chargeId))}::uuid[], ${uuids(rows.map((p) => p.walletId))}::uuid[],
        ${bigints(rows.map((p) => p.amount))}::bigint[], ${texts(rows.map((p) => p.outcome))}::text[],
        ${texts(rows.map((p) => p.reason))}::text[], ${texts(rows.map((p) => p.txid))}::text[], ${texts(rows.map((p) => p.payerName))}::text[],
        ${texts(rows.map((p) => p.payerDocument))}::text[], ${instants(rows.map((p) => p.paidAt))}::timestamptz[],
        ${instants(rows.map((p) => p.receivedAt))}::timestamptz[])`);
  },
  /** Only what became of it: a Pix itself never changes. */
  async update(tx, rows) {
    const updated = await tx.query(sql`
      update received_pix p set outcome = u.outcome
      from unnest(${uuids(rows.map((p) => p.accountId))}::uuid[], ${texts(rows.map((p) => p.e2eId))}::text[],
        ${texts(rows.map((p) => p.outcome))}::text[]) as u (account_id, e2e_id, outcome)
      where p.account_id = u.account_id and p.e2e_id = u.e2e_id
        and ${onTenants("p.account_id", rows)}`);
    if (updated.rowCount !== rows.length)
      throw new Error(`${rows.length} received Pix were to change, ${updated.rowCount} did`);
  },
};
