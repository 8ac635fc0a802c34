import { bigints, instants, ints, texts, uuids } from "../db/arrays.ts";
import { onTenants, sql } from "../db/sql.ts";
import type { RowKey, Table, Write } from "../ledger/books.ts";
import { toBrl } from "../lib/money.ts";
import type { PixKeyType } from "../lib/pix-keys.ts";
import type { Withdrawal } from "./schema.ts";

/**
 * The life of a withdrawal: money of a wallet on its way to a Pix key.
 *
 * - `pending`: its money is held; nothing has been sent.
 * - `processing`: a request may have left, or the PSP works on it. Every call bears the same id, and the hold stays.
 * - `completed`: the PSP settled it; the money has left, and the fee is taken.
 * - `failed`: the PSP did not pay it; the money is available again.
 * - `reversed`: it was completed, and all that the receiver got came back; the fee came back too. Final.
 */
export const WITHDRAWAL_STATUSES = ["pending", "processing", "completed", "failed", "reversed"] as const;
export type WithdrawalStatus = (typeof WITHDRAWAL_STATUSES)[number];

/** Every change of status there is, with what causes it. docs/states.md is made from this. */
export const WITHDRAWAL_EDGES: readonly { from: WithdrawalStatus; to: WithdrawalStatus; on: string }[] = [
  { from: "pending", to: "processing", on: "taken up by the loop" },
  { from: "processing", to: "completed", on: "the PSP shows it settled" },
  { from: "processing", to: "failed", on: "refused by the PSP, or shown as not carried out" },
  { from: "failed", to: "completed", on: "taken for failed, and the PSP shows it settled all the same" },
  { from: "completed", to: "reversed", on: "returns by the receiver have reached what the receiver got" },
];

export const mayMove = (from: WithdrawalStatus, to: WithdrawalStatus): boolean =>
  WITHDRAWAL_EDGES.some((edge) => edge.from === from && edge.to === to);

/** Its money is held and its outcome not known. */
export const isOpen = (status: WithdrawalStatus): boolean => status === "pending" || status === "processing";

/** A withdrawal as money commands see it. Amounts are centavos. */
export type WithdrawalRow = {
  readonly accountId: string;
  readonly withdrawalId: string;
  readonly walletId: string;
  readonly status: WithdrawalStatus;
  /** What leaves the wallet: feeAmount + netAmount. */
  readonly amount: number;
  readonly feeAmount: number;
  /** What the receiver gets. */
  readonly netAmount: number;
  /** What came back of it. */
  readonly returnedAmount: number;
  /** Canonical (lib/pix-keys.ts). */
  readonly pixKey: string;
  readonly pixKeyType: PixKeyType;
  readonly holderName: string;
  readonly holderDocument: string;
  readonly holderDocumentType: "cpf" | "cnpj";
  readonly projectId: string | null;
  readonly externalReference: string | null;
  readonly idempotencyKey: string | null;
  readonly institutionId: string;
  /** Our id of it at the PSP. */
  readonly pspId: string;
  readonly e2eId: string | null;
  readonly counterpartName: string | null;
  readonly counterpartDocument: string | null;
  readonly failureReason: string | null;
  readonly failureCode: string | null;
  /** When the PSP settled it. */
  readonly settledAt: Date | null;
  /** When its outcome was booked. */
  readonly processedAt: Date | null;
  /** When the loop takes it up next; null: never again. */
  readonly nextAt: Date | null;
  /** Times that the loop took it up in this part of its life. */
  readonly attempts: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type LoadedWithdrawal = {
  account_id: string;
  withdrawal_id: string;
  wallet_id: string;
  status: WithdrawalStatus;
  amount: number;
  fee_amount: number;
  net_amount: number;
  returned_amount: number;
  pix_key: string;
  pix_key_type: PixKeyType;
  holder_name: string;
  holder_document: string;
  holder_document_type: "cpf" | "cnpj";
  project_id: string | null;
  external_reference: string | null;
  idempotency_key: string | null;
  institution_id: string;
  psp_id: string;
  e2e_id: string | null;
  counterpart_name: string | null;
  counterpart_document: string | null;
  failure_reason: string | null;
  failure_code: string | null;
  settled_at: Date | null;
  processed_at: Date | null;
  next_at: Date | null;
  attempts: number;
  created_at: Date;
  updated_at: Date;
};

/** A row as the database has it. */
export const rowOf = (row: LoadedWithdrawal): WithdrawalRow => ({
  accountId: row.account_id,
  withdrawalId: row.withdrawal_id,
  walletId: row.wallet_id,
  status: row.status,
  amount: row.amount,
  feeAmount: row.fee_amount,
  netAmount: row.net_amount,
  returnedAmount: row.returned_amount,
  pixKey: row.pix_key,
  pixKeyType: row.pix_key_type,
  holderName: row.holder_name,
  holderDocument: row.holder_document,
  holderDocumentType: row.holder_document_type,
  projectId: row.project_id,
  externalReference: row.external_reference,
  idempotencyKey: row.idempotency_key,
  institutionId: row.institution_id,
  pspId: row.psp_id,
  e2eId: row.e2e_id,
  counterpartName: row.counterpart_name,
  counterpartDocument: row.counterpart_document,
  failureReason: row.failure_reason,
  failureCode: row.failure_code,
  settledAt: row.settled_at,
  processedAt: row.processed_at,
  nextAt: row.next_at,
  attempts: row.attempts,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/**
 * Withdrawals for money commands. Loading locks the rows: the loop claims them outside the lanes, and must not come
 * between reading and writing here. What was asked for is never written again.
 */
export const withdrawalsTable: Table<WithdrawalRow> = {
  name: "withdrawals",
  order: 120,
  async load(tx, keys) {
    const { rows } = await tx.query<LoadedWithdrawal>(sql`
      select * from withdrawals
      where ${onTenants("account_id", keys)}
        and (account_id, withdrawal_id) in (
          select * from unnest(${uuids(keys.map((k) => k.accountId))}::uuid[], ${uuids(keys.map((k) => k.id))}::uuid[]))
      order by account_id, withdrawal_id
      for no key update`);
    return rows.map((row) => ({ key: { accountId: row.account_id, id: row.withdrawal_id }, row: rowOf(row) }));
  },
  async insert(tx, rows) {
    await tx.query(sql`
      insert into withdrawals (account_id, withdrawal_id, wallet_id, status, amount, fee_amount, net_amount, pix_key,
        pix_key_type, holder_name, holder_document, holder_document_type, project_id, external_reference, idempotency_key,
        institution_id, psp_id, next_at, created_at, updated_at)
      select * from unnest(
        ${uuids(rows.map((r) => r.accountId))}::uuid[], ${uuids(rows.map((r) => r.withdrawalId))}::uuid[],
        ${uuids(rows.map((r) => r.walletId))}::uuid[], ${texts(rows.map((r) => r.status))}::text[],
        ${bigints(rows.map((r) => r.amount))}::bigint[], ${bigints(rows.map((r) => r.feeAmount))}::bigint[],
        ${bigints(rows.map((r) => r.netAmount))}::bigint[], ${texts(rows.map((r) => r.pixKey))}::text[],
        ${texts(rows.map((r) => r.pixKeyType))}::text[], ${texts(rows.map((r) => r.holderName))}::text[],
        ${texts(rows.map((r) => r.holderDocument))}::text[], ${texts(rows.map((r) => r.holderDocumentType))}::text[],
        ${uuids(rows.map((r) => r.projectId))}::uuid[], ${texts(rows.map((r) => r.externalReference))}::text[],
        ${texts(rows.map((r) => r.idempotencyKey))}::text[], ${uuids(rows.map((r) => r.institutionId))}::uuid[],
        ${texts(rows.map((r) => r.pspId))}::text[], ${instants(rows.map((r) => r.nextAt))}::timestamptz[],
        ${instants(rows.map((r) => r.createdAt))}::timestamptz[], ${instants(rows.map((r) => r.updatedAt))}::timestamptz[])`);
  },
  async update(tx, rows) {
    const updated = await tx.query(sql`
      update withdrawals w set status = u.status, returned_amount = u.returned_amount, e2e_id = u.e2e_id,
        counterpart_name = u.counterpart_name, counterpart_document = u.counterpart_document,
        failure_reason = u.failure_reason, failure_code = u.failure_code, settled_at = u.settled_at,
        processed_at = u.processed_at, next_at = u.next_at, attempts = u.attempts, updated_at = u.updated_at
      from unnest(
        ${uuids(rows.map((r) => r.accountId))}::uuid[], ${uuids(rows.map((r) => r.withdrawalId))}::uuid[],
        ${texts(rows.map((r) => r.status))}::text[], ${bigints(rows.map((r) => r.returnedAmount))}::bigint[],
        ${texts(rows.map((r) => r.e2eId))}::text[], ${texts(rows.map((r) => r.counterpartName))}::text[],
        ${texts(rows.map((r) => r.counterpartDocument))}::text[], ${texts(rows.map((r) => r.failureReason))}::text[],
        ${texts(rows.map((r) => r.failureCode))}::text[], ${instants(rows.map((r) => r.settledAt))}::timestamptz[],
        ${instants(rows.map((r) => r.processedAt))}::timestamptz[], ${instants(rows.map((r) => r.nextAt))}::timestamptz[],
        ${ints(rows.map((r) => r.attempts))}::int[], ${instants(rows.map((r) => r.updatedAt))}::timestamptz[])
        as u (account_id, withdrawal_id, status, returned_amount, e2e_id, counterpart_name, counterpart_document,
          failure_reason, failure_code, settled_at, processed_at, next_at, attempts, updated_at)
      where w.account_id = u.account_id and w.withdrawal_id = u.withdrawal_id
        and ${onTenants("w.account_id", rows)}`);
    if (updated.rowCount !== rows.length)
      throw new Error(`${rows.length} withdrawals were to change, ${updated.rowCount} did`);
  },
};

export const keyOf = ({ accountId, withdrawalId }: Pick<WithdrawalRow, "accountId" | "withdrawalId">): RowKey => ({
  accountId,
  id: withdrawalId,
});

/** A change of a withdrawal; one of status must be an edge. */
export function withdrawalWrite(before: WithdrawalRow, after: Partial<WithdrawalRow>): Write<WithdrawalRow> {
  const row = { ...before, ...after };
  if (row.status !== before.status && !mayMove(before.status, row.status)) {
    throw new Error(`a withdrawal cannot go from ${before.status} to ${row.status}`);
  }
  return { op: "update", table: withdrawalsTable, key: keyOf(row), row };
}

/** The withdrawal as the API shows it. */
export function toWithdrawal(row: WithdrawalRow): Withdrawal {
  return {
    id: row.withdrawalId,
    amount: toBrl(row.amount),
    feeAmount: toBrl(row.feeAmount),
    netAmount: toBrl(row.netAmount),
    currency: "BRL",
    status: row.status,
    snapshotPixKey: row.pixKey,
    snapshotPixKeyType: row.pixKeyType,
    snapshotHolderName: row.holderName,
    snapshotHolderDocument: row.holderDocument,
    ...(row.projectId === null ? {} : { projectId: row.projectId }),
    ...(row.externalReference === null ? {} : { externalReference: row.externalReference }),
    failureReason: row.failureReason,
    ...(row.failureCode === null ? {} : { failureCode: row.failureCode }),
    pspReference: row.e2eId,
    ...(row.returnedAmount === 0 ? {} : { returnedAmount: toBrl(row.returnedAmount) }),
    ...(row.processedAt === null ? {} : { processedAt: row.processedAt.toISOString() }),
    createdAt: row.createdAt.toISOString(),
  };
}
