import { Type } from "typebox";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ApiError, notFound } from "./errors.ts";
import { PRINCIPAL } from "./wallet.ts";

/** The id of a wallet by its reference. It never changes, so it is looked up before the command runs. */
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

/** Query parameter that names a wallet of the account. */
export const NamedWallet = {
  subAccount: Type.Optional(
    Type.String({ maxLength: 100, description: "Reference of the wallet; left out: the main account." }),
  ),
};

/** The wallet that `NamedWallet` of an account names. */
export const walletOf = async (ctx: Context, accountId: string, reference: string = PRINCIPAL) => ({
  accountId,
  walletId: await findWallet(ctx, accountId, reference),
});
