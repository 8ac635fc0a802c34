import type { Context } from "../../context.ts";
import type { Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { invalid, notFound } from "../../http/errors.ts";
import { readMetadata } from "../../http/metadata.ts";
import { LIMITS } from "../../lib/limits.ts";
import type { Owner } from "./find.ts";
import { type QrCode, type QrCodeColumns, type QrCodePatch, qrCodesTable, toQrCode } from "./qr-code.ts";

/**
 * Changes the fields that the call names. A code that is disabled twice keeps the time since when its Pix are late; one that is
 * made active again keeps the time in which it was off, because a Pix of that time may be reported later.
 */
export async function changeQrCode(
  { clock }: Pick<Context, "clock">,
  tx: Tx,
  owner: Owner,
  qrCodeId: string,
  { name, status, metadata }: QrCodePatch,
): Promise<QrCode> {
  const kept = metadata === undefined ? null : JSON.stringify(readMetadata(metadata));
  const now = clock.date();
  const { rows } = await tx.query<QrCodeColumns>(sql`
    update qr_codes set name = coalesce(${name ?? null}, name), metadata = coalesce(${kept}::jsonb, metadata),
      status = coalesce(${status ?? null}, status),
      off_periods = case when closed_at is not null and ${status ?? null}::text = 'active'
        then off_periods || jsonb_build_array(jsonb_build_array(closed_at, ${now}::timestamptz)) else off_periods end,
      closed_at = case coalesce(${status ?? null}, status) when 'active' then null else coalesce(closed_at, ${now}) end,
      updated_at = ${now}
    where account_id = ${owner.accountId} and qr_code_id = ${qrCodeId} and wallet_id = ${owner.walletId}
      and status <> 'deleted'
    returning ${qrCodesTable.select()}`);
  if (!rows[0]) throw notFound("QR code", qrCodeId);
  if (rows[0].offPeriods.length > LIMITS.codeOffPeriods)
    throw invalid(
      "status",
      `has been changed too often: a code is made active again ${LIMITS.codeOffPeriods} times at most`,
    );
  return toQrCode(rows[0]);
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
