import type { Context } from "../context.ts";
import { prepared, sql } from "../db/sql.ts";
import type { Caller } from "./auth.ts";
import { ApiError } from "./errors.ts";

/** The wallet that a call concerns. */
export type Wallet = { readonly walletId: string /** null: the main account. */; readonly reference: string | null };

/** Reserved for the main account. */
export const PRINCIPAL = "principal";
const REFERENCE = /^[a-z0-9][a-z0-9_-]{1,31}$/;

/**
 * Finds the wallet that `X-Sub-Account` names (interface, Common rules). The checks come in the contract's order: syntax,
 * the credential's option, existence, suspension.
 */
export async function resolveWallet(
  ctx: Context,
  caller: Caller,
  header: string | string[] | undefined,
  options: { suspendedToo?: boolean } = {},
): Promise<Wallet> {
  if (header === undefined || header === PRINCIPAL) return { walletId: caller.accountId, reference: null };
  if (typeof header !== "string" || !REFERENCE.test(header)) {
    throw new ApiError("SUB_ACCOUNT_INVALID_REFERENCE", "X-Sub-Account is not a sub-account reference.");
  }
  if (!caller.subAccountAccess) throw new ApiError("SUB_ACCOUNT_FORBIDDEN");
  const { rows } = await ctx.db.query<{ wallet_id: string; status: string }>(
    prepared(sql`
    select wallet_id, status from wallets where account_id = ${caller.accountId} and reference = ${header}`),
  );
  const wallet = rows[0];
  if (!wallet) {
    throw new ApiError("SUB_ACCOUNT_NOT_FOUND", undefined, { resource: "sub-account", reference: header });
  }
  if (wallet.status === "suspended" && !options.suspendedToo) throw new ApiError("SUB_ACCOUNT_SUSPENDED");
  return { walletId: wallet.wallet_id, reference: header };
}
