import type { Queries } from "../../db/pool.ts";
import { prepared, sql } from "../../db/sql.ts";
import { invalid, notFound } from "../../http/errors.ts";
import { type Page, readPage } from "../../http/pages.ts";
import { type QrCode, type QrCodeColumns, qrCodesTable, toListed } from "./qr-code.ts";

/** The wallet that a code belongs to. */
export type Owner = { readonly accountId: string; readonly walletId: string };

/** A code of a wallet; 404 for another wallet's, and for a deleted one. */
export async function findQrCode(queries: Queries, owner: Owner, qrCodeId: string): Promise<QrCodeColumns> {
  const { rows } = await queries.query<QrCodeColumns>(sql`
    select ${qrCodesTable.select()} from qr_codes
    where account_id = ${owner.accountId} and qr_code_id = ${qrCodeId} and wallet_id = ${owner.walletId}
      and status <> 'deleted'`);
  if (!rows[0]) throw notFound("QR code", qrCodeId);
  return rows[0];
}

/** A till of a wallet that takes charges; 400 for a code that does not. */
export async function findTill(queries: Queries, owner: Owner, qrCodeId: string): Promise<QrCodeColumns> {
  const code = await findQrCode(queries, owner, qrCodeId);
  if (code.kind !== "till") throw invalid("qrCodeId", "is no till: a static code takes no charges");
  if (code.status !== "active") throw invalid("qrCodeId", "is a till that is disabled");
  return code;
}

/** The institution's id of the location of a till, whatever became of the till. */
export async function locationOf(queries: Queries, accountId: string, qrCodeId: string): Promise<string> {
  const { rows } = await queries.query<{ location_id: string }>(sql`
    select location_id from qr_codes where account_id = ${accountId} and qr_code_id = ${qrCodeId}`);
  return rows[0]!.location_id;
}

/** The account's code with this txid, whatever became of it; null: there is none. */
export async function findByTxid(queries: Queries, accountId: string, txid: string): Promise<string | null> {
  const { rows } = await queries.query<{ qr_code_id: string }>(
    prepared(sql`select qr_code_id from qr_codes where account_id = ${accountId} and txid = ${txid}`),
  );
  return rows[0]?.qr_code_id ?? null;
}

const LIST = "qr-codes";

/** One page of a wallet's codes, newest first. */
export const listQrCodes = (
  queries: Queries,
  owner: Owner,
  query: { limit?: number; cursor?: string },
): Promise<Page<QrCode>> =>
  readPage(LIST, query, {
    read: (after, count) =>
      queries.query<QrCodeColumns>(sql`
        select ${qrCodesTable.select()} from qr_codes
        where account_id = ${owner.accountId} and wallet_id = ${owner.walletId} and status <> 'deleted'
          and (${after}::uuid is null or qr_code_id < ${after})
        order by qr_code_id desc limit ${count}`),
    show: toListed,
    key: (row) => row.qrCodeId,
  });
