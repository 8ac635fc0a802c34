import type { Context } from "../../context.ts";
import type { Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { invalid, notFound } from "../../http/errors.ts";
import { readMetadata } from "../../http/metadata.ts";
import { LIMITS } from "../../lib/limits.ts";
import type { Owner } from "./find.ts";
import { type QrCode, type QrCodeColumns, type QrCodePatch, qrCodesTable, toQrCode } from "./qr-code.ts";

/**
 * Changes the fields that the call names. Disabling a disabled code does not change from when on its Pix are late. A code that
 * is made active again keeps the period in which it was off, because a Pix of that period may be reported later.
 */
export async function changeQrCode(
  { clock }: Pick<Context, "clock">,
  tx: Tx,
  owner: Owner,
  qrCodeId: string,
  { name, status, metadata }: QrCodePatch,
): Promise<QrCode> {
  const now = clock.date();
  const found = await lock(tx, owner, qrCodeId);
  const isReopened = found.closedAt !== null && status === "active";
  // Made here: on a cluster no statement may build JSON of a row's columns while it changes the row.
  const offPeriods = isReopened ? [...found.offPeriods, [found.closedAt, now]] : found.offPeriods;
  if (offPeriods.length > LIMITS.codeOffPeriods)
    throw invalid(
      "status",
      `has been changed too often: a code is made active again ${LIMITS.codeOffPeriods} times at most`,
    );
  const kept = metadata === undefined ? found.metadata : readMetadata(metadata);
  const closedAt = (status ?? found.status) === "active" ? null : (found.closedAt ?? now);
  const { rows } = await tx.query<QrCodeColumns>(sql`
    update qr_codes set name = ${name ?? found.name}, metadata = ${kept && JSON.stringify(kept)}::jsonb,
      status = ${status ?? found.status}, off_periods = ${JSON.stringify(offPeriods)}::jsonb, closed_at = ${closedAt}, updated_at = ${now}
    where account_id = ${owner.accountId} and qr_code_id = ${qrCodeId}
    returning ${qrCodesTable.select()}`);
  return toQrCode(rows[0]!);
}

async function lock(tx: Tx, owner: Owner, qrCodeId: string): Promise<QrCodeColumns> {
  const { rows } = await tx.query<QrCodeColumns>(sql`
    select ${qrCodesTable.select()} from qr_codes
    where account_id = ${owner.accountId} and qr_code_id = ${qrCodeId} and wallet_id = ${owner.walletId}
      and status <> 'deleted'
    for no key update`);
  if (!rows[0]) throw notFound("QR code", qrCodeId);
  return rows[0];
}

/** Deletes a code: it is hidden, and its Pix are late from now on, or since it was disabled. Its row stays for them. */
export async function deleteQrCode(
  { clock }: Pick<Context, "clock">,
  tx: Tx,
  owner: Owner,
  qrCodeId: string,
): Promise<void> {
  const now = clock.date();
  const { rowCount } = await tx.query(sql`
    update qr_codes set status = 'deleted', closed_at = coalesce(closed_at, ${now}), updated_at = ${now}
    where account_id = ${owner.accountId} and qr_code_id = ${qrCodeId} and wallet_id = ${owner.walletId}
      and status <> 'deleted'`);
  if (rowCount === 0) throw notFound("QR code", qrCodeId);
}
