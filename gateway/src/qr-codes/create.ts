import type { Context } from "../context.ts";
import type { Tx } from "../db/pool.ts";
import { sql } from "../db/sql.ts";
import type { Caller } from "../http/auth.ts";
import { ApiError } from "../http/errors.ts";
import { readMetadata } from "../http/metadata.ts";
import type { Institution } from "../institutions/registry.ts";
import { codeTxidFor } from "../lib/ids.ts";
import { fromBrl } from "../lib/money.ts";
import { requireProject } from "../projects/project.ts";
import type { Owner } from "./find.ts";
import { type QrCode, type QrCodeColumns, type QrCodeRequest, qrCodesTable, toQrCode } from "./qr-code.ts";

type Printable = { readonly institution: Institution; readonly pixCopyPaste: string };

/**
 * Makes a static code. No institution is called: the code is made of the receiver's key and an id of ours, which the
 * institution shows with each Pix.
 */
export async function createQrCode(
  ctx: Pick<Context, "ids" | "clock" | "psps">,
  tx: Tx,
  caller: Caller,
  owner: Owner,
  request: QrCodeRequest,
): Promise<QrCode> {
  const { accountId, walletId } = owner;
  const { kind, name, description = null, projectId = null } = request;
  const metadata = readMetadata(request.metadata);
  const amount = request.amount === undefined ? null : fromBrl(request.amount)!;
  if (projectId !== null) await requireProject(tx, owner, projectId);
  const qrCodeId = ctx.ids.uuid();
  const txid = codeTxidFor(caller.accountNumber, qrCodeId);
  const { institution, pixCopyPaste } = await findPrinter(ctx, accountId, { txid, amount, description });

  // ---- All checks are done.
  const now = ctx.clock.date();
  const { rows } = await tx.query<QrCodeColumns>(sql`
    insert into qr_codes (account_id, qr_code_id, wallet_id, institution_id, kind, name, amount, description, project_id,
      metadata, txid, pix_copy_paste, status, created_at, updated_at)
    select ${accountId}, ${qrCodeId}, ${walletId}, ${institution.institutionId}, ${kind}, ${name}, ${amount}, ${description},
      coalesce(${projectId}::uuid, p.only), ${metadata && JSON.stringify(metadata)}::jsonb, ${txid}, ${pixCopyPaste}, 'active',
      ${now}, ${now}
    from (
      -- As for a charge that names no project.
      select case when count(*) = 1 then min(project_id::text)::uuid end as only from projects
      where account_id = ${accountId} and wallet_id = ${walletId}) p
    returning ${qrCodesTable.select()}`);
  return toQrCode(rows[0]!);
}

/** The account's first institution that reports what is paid by static codes, and the code for its key. */
async function findPrinter(
  ctx: Pick<Context, "psps">,
  accountId: string,
  order: { readonly txid: string; readonly amount: number | null; readonly description: string | null },
): Promise<Printable> {
  const usable = await ctx.psps.forAccount(accountId);
  for (const institution of usable) {
    const pixCopyPaste = institution.psp.staticCode?.(order) ?? null;
    if (pixCopyPaste !== null) return { institution, pixCopyPaste };
  }
  const [first] = usable;
  if (first) {
    const details = { institutionId: first.institutionId, accountId, needs: "staticCodes" };
    throw new ApiError(
      "NOT_SUPPORTED_BY_INSTITUTION",
      "The account's bank does not report what is paid by static codes.",
      details,
    );
  }
  throw new ApiError(
    "PSP_UNAVAILABLE",
    "No code was made: no institution is enabled for this account.",
    { retryable: true },
    { "retry-after": "2" },
  );
}
