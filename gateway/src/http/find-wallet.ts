import { Type } from "typebox";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ApiError, notFound } from "./errors.ts";
import { PRINCIPAL } from "./wallet.ts";

/** The wallet of a reference, which never changes: so it is looked up before the lane. */
export async function findWallet(ctx: Context, accountId: string, reference: string): Promise<string> {
  const { rows } = await ctx.db.query<{ wallet_id: string | null }>(sql`
    select w.wallet_id from accounts a left join wallets w on w.account_id = a.account_id and w.reference = ${reference}
    where a.account_id = ${accountId} and not a.is_house`);
  if (!rows[0]) throw notFound("account", accountId);
  if (rows[0].wallet_id === null) {
    throw new ApiError("SUB_ACCOUNT_NOT_FOUND", undefined, { resource: "sub-account", reference, field: "subAccount" });
  }
  return rows[0].wallet_id;
}

/** Part of a query: which wallet of the account. */
export const NamedWallet = {
  subAccount: Type.Optional(
    Type.String({ maxLength: 100, description: "Reference of the wallet; left out: the main account." }),
  ),
};

/** The wallet of an account by its id and the reference of `NamedWallet`. */
export const walletOf = async (ctx: Context, accountId: string, reference: string = PRINCIPAL) => ({
  accountId,
  walletId: await findWallet(ctx, accountId, reference),
});
