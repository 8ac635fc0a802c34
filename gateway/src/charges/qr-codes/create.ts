import { requireProject } from "../../accounts/projects/project.ts";
import type { Context } from "../../context.ts";
import type { Queries, Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import type { Caller } from "../../http/auth.ts";
import { ApiError, invalid } from "../../http/errors.ts";
import { readMetadata } from "../../http/metadata.ts";
import { codeTxidFor } from "../../lib/ids.ts";
import { LIMITS } from "../../lib/limits.ts";
import { fromBrl } from "../../lib/money.ts";
import type { Psp } from "../../psp/psp.ts";
import type { Owner } from "./find.ts";
import { type QrCode, type QrCodeColumns, type QrCodeRequest, qrCodesTable, toQrCode } from "./qr-code.ts";

/** What is printed, and whose key or location is in it. */
type Printed = Pick<QrCodeColumns, "qrCodeId" | "institutionId" | "txid" | "locationId" | "pixCopyPaste">;

/** Refuses one more code of a wallet that has as many as it may have. */
export async function requireRoom(queries: Queries, { accountId, walletId }: Owner): Promise<void> {
  const limit = LIMITS.codesPerWallet;
  const { rows } = await queries.query<{ codes: number }>(sql`
    select count(*)::integer as codes from qr_codes
    where account_id = ${accountId} and wallet_id = ${walletId} and status <> 'deleted'`);
  if (rows[0]!.codes >= limit) throw new ApiError("QR_CODE_LIMIT", undefined, { limit });
}

/**
 * Makes what is printed, before anything is stored. A static code is made of the receiver's key and an id of ours, without any
 * call. The location of a till is made at the institution; if storing the till fails, an unused location stays there, which
 * costs nothing.
 */
export async function printCode(
  ctx: Pick<Context, "ids" | "psps" | "admission">,
  { accountId, accountNumber }: Caller,
  { kind, amount, description }: QrCodeRequest,
): Promise<Printed> {
  const qrCodeId = ctx.ids.uuid();
  const usable = await ctx.psps.forAccount(accountId);
  if (kind === "static") {
    const txid = codeTxidFor(accountNumber, qrCodeId);
    const order = { txid, amount: amount === undefined ? null : fromBrl(amount)!, description: description ?? null };
    for (const { institutionId, psp } of usable) {
      const pixCopyPaste = psp.staticCode?.(order) ?? null;
      if (pixCopyPaste !== null) return { qrCodeId, institutionId, txid, locationId: null, pixCopyPaste };
    }
    throw notPrinted(usable, accountId, "staticCodes");
  }
  if (amount !== undefined) throw invalid("amount", "is of the charges that are put on a till");
  for (const { institutionId, psp } of usable) {
    const made = psp.createLocation ? await ctx.admission.outside(accountId, makeLocation(psp)) : null;
    if (made !== null) {
      const { id: locationId, pixCopyPaste } = made;
      return { qrCodeId, institutionId, txid: null, locationId, pixCopyPaste };
    }
  }
  throw notPrinted(usable, accountId, "tills");
}

async function makeLocation(psp: Psp): Promise<{ readonly id: string; readonly pixCopyPaste: string } | null> {
  const made = await psp.createLocation!();
  return made.kind === "accepted" ? made.value : null;
}

/** The refusal of a code that was not made: no bank of the account can make it, or none of those that can has answered. */
function notPrinted(
  usable: Awaited<ReturnType<Context["psps"]["forAccount"]>>,
  accountId: string,
  needs: "staticCodes" | "tills",
): ApiError {
  const [first] = usable;
  if (first && !usable.some(({ can }) => can[needs])) {
    return new ApiError("NOT_SUPPORTED_BY_INSTITUTION", undefined, {
      institutionId: first.institutionId,
      accountId,
      needs,
    });
  }
  const message = first ? "no institution has answered" : "no institution is enabled for this account";
  return new ApiError("PSP_UNAVAILABLE", `No code was made: ${message}.`, { retryable: true }, { "retry-after": "2" });
}

/** Stores a code that was printed. */
export async function storeQrCode(
  ctx: Pick<Context, "clock">,
  tx: Tx,
  owner: Owner,
  request: QrCodeRequest,
  { qrCodeId, institutionId, txid, locationId, pixCopyPaste }: Printed,
): Promise<QrCode> {
  const { accountId, walletId } = owner;
  const { kind, name, description = null, projectId = null } = request;
  const metadata = readMetadata(request.metadata);
  const amount = request.amount === undefined ? null : fromBrl(request.amount)!;
  if (projectId !== null) await requireProject(tx, owner, projectId);
  // Of concurrent calls, the first one makes the last code that the limit allows.
  await tx.query(sql`select account_id from accounts where account_id = ${accountId} for no key update`);
  await requireRoom(tx, owner);

  // ---- All checks are done.
  const now = ctx.clock.date();
  const { rows } = await tx.query<QrCodeColumns>(sql`
    insert into qr_codes (account_id, qr_code_id, wallet_id, institution_id, kind, name, amount, description, project_id,
      metadata, txid, location_id, pix_copy_paste, status, created_at, updated_at)
    select ${accountId}, ${qrCodeId}, ${walletId}, ${institutionId}, ${kind}, ${name}, ${amount}, ${description},
      coalesce(${projectId}::uuid, p.only), ${metadata && JSON.stringify(metadata)}::jsonb, ${txid}, ${locationId},
      ${pixCopyPaste}, 'active', ${now}, ${now}
    from (
      -- As for a charge that names no project.
      select case when count(*) = 1 then min(project_id::text)::uuid end as only from projects
      where account_id = ${accountId} and wallet_id = ${walletId}) p
    returning ${qrCodesTable.select()}`);
  return toQrCode(rows[0]!);
}
