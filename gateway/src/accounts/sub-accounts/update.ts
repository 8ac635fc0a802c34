import { audit } from "../../audit-log/write.ts";
import type { Context } from "../../context.ts";
import type { Queries, Tx } from "../../db/pool.ts";
import { stopSending } from "../../db/sending-lock.ts";
import { sql } from "../../db/sql.ts";
import { ApiError, invalid } from "../../http/errors.ts";
import { readMetadata } from "../../http/metadata.ts";
import { documentKind, normaliseDocument } from "../../lib/documents.ts";
import { type SubAccountRow, walletsTable } from "../wallet.ts";
import { type SubAccount, type SubAccountUpdate, toSubAccount } from "./sub-account.ts";

/** A change of a sub-account, and who makes it. */
type Change = {
  readonly accountId: string;
  readonly reference: string;
  readonly patch: SubAccountUpdate;
  /** The withdrawal limits that the operator sets, centavos; null: no limit. Limits that are left out stay. */
  readonly limits?: { readonly [Limit in "perWithdrawal" | "perDay" | "perNight"]?: number | null };
  readonly by: { readonly side: "merchant" | "operator"; readonly name: string };
};

/** A sub-account by its reference; 404 without one. */
export async function findSubAccount(queries: Queries, accountId: string, reference: string): Promise<SubAccountRow> {
  const { rows } = await queries.query<SubAccountRow>(sql`
    select ${walletsTable.select()} from wallets
    where account_id = ${accountId} and reference = ${reference} and wallet_id <> ${accountId}`);
  if (rows[0]) return rows[0];
  throw new ApiError("SUB_ACCOUNT_NOT_FOUND", undefined, { resource: "sub-account", reference });
}

/**
 * Changes a sub-account under the tenant's lock, so that a settlement sees the recipients of its split either before or
 * after the change. The row `accounts` must exist. 403 where a merchant would lift an operator's suspension.
 */
export async function updateSubAccount(
  ctx: Pick<Context, "ids" | "clock">,
  tx: Tx,
  { accountId, reference, patch, limits = {}, by }: Change,
): Promise<SubAccount> {
  const metadata = patch.metadata === undefined ? undefined : readMetadata(patch.metadata);
  const document = patch.document === undefined ? undefined : readDocument(patch.document);
  const locked = await tx.query<{ status: string }>(
    sql`select status from accounts where account_id = ${accountId} for no key update`,
  );
  if (by.side === "merchant" && locked.rows[0]!.status === "suspended") throw new ApiError("ACCOUNT_SUSPENDED");
  const before = await findSubAccount(tx, accountId, reference);
  const after = { ...before, ...statusAfter(before, patch.status, by.side) };
  if (patch.name !== undefined) after.name = patch.name;
  if (document !== undefined) after.document = document;
  if (metadata !== undefined) after.metadata = metadata;
  if (limits.perWithdrawal !== undefined) after.limitPerWithdrawal = limits.perWithdrawal;
  if (limits.perDay !== undefined) after.limitPerDay = limits.perDay;
  if (limits.perNight !== undefined) after.limitPerNight = limits.perNight;
  if (JSON.stringify(after) === JSON.stringify(before)) return toSubAccount(before);

  // ---- All checks are done.
  if (after.status === "suspended" && before.status !== "suspended") await stopSending(tx);
  await tx.query(sql`
    update wallets set name = ${after.name}, status = ${after.status}, suspended_by = ${after.suspendedBy},
      document = ${after.document}, metadata = ${after.metadata && JSON.stringify(after.metadata)}::jsonb,
      limit_per_withdrawal = ${after.limitPerWithdrawal}, limit_per_day = ${after.limitPerDay},
      limit_per_night = ${after.limitPerNight}, updated_at = ${ctx.clock.date()}
    where account_id = ${accountId} and wallet_id = ${before.walletId}`);
  const actor = { ids: ctx.ids, clock: ctx.clock, operator: { name: by.name } };
  await audit(actor, tx, accountId, "sub_account.update", before.walletId, toSubAccount(before), toSubAccount(after));
  return toSubAccount(after);
}

/** The status and who suspended it. An operator's suspension replaces the merchant's, and never the reverse. */
function statusAfter(
  { status, suspendedBy }: SubAccountRow,
  requested: SubAccount["status"] | undefined,
  side: "merchant" | "operator",
): Pick<SubAccountRow, "status" | "suspendedBy"> {
  const operators = suspendedBy === "operator";
  if (requested === undefined || (requested === "suspended" && operators)) return { status, suspendedBy };
  if (requested === "suspended") return { status: requested, suspendedBy: side };
  if (operators && side === "merchant") {
    throw new ApiError("SUB_ACCOUNT_SUSPENDED", "The operator suspended the sub-account; only the operator lifts it.", {
      suspendedBy: "operator",
    });
  }
  return { status: requested, suspendedBy: null };
}

function readDocument(requested: string | null): string | null {
  if (requested === null) return null;
  const document = normaliseDocument(requested);
  if (documentKind(document) === null) throw invalid("document", "is not a CPF or CNPJ");
  return document;
}
