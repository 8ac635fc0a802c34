import type { Context } from "../../context.ts";
import type { Tx } from "../../db/pool.ts";
import { sql } from "../../db/sql.ts";
import { ApiError } from "../../http/errors.ts";
import { PRINCIPAL } from "../../http/wallet.ts";
import { type SubAccountRow, walletsTable } from "../wallet.ts";
import { type SubAccount, toSubAccount } from "./sub-account.ts";

/**
 * Opens a sub-account: a wallet with a balance of its own, at zero (interface, Sub-account). Of simultaneous calls with one
 * reference, the unique key lets exactly one through.
 */
export async function createSubAccount(
  ctx: Pick<Context, "ids" | "clock">,
  tx: Tx,
  subAccount: { readonly accountId: string; readonly reference: string; readonly name: string | undefined },
): Promise<SubAccount> {
  const { accountId, reference, name = reference } = subAccount;
  if (reference === PRINCIPAL) {
    throw new ApiError("SUB_ACCOUNT_INVALID_REFERENCE", "`principal` is reserved for the main account.", {
      field: "reference",
    });
  }
  const now = ctx.clock.date();
  const { rows } = await tx.query<SubAccountRow>(sql`
    insert into wallets (account_id, wallet_id, reference, name, status, created_at, updated_at)
    values (${accountId}, ${ctx.ids.uuid()}, ${reference}, ${name}, 'approved', ${now}, ${now})
    on conflict (account_id, reference) do nothing
    returning ${walletsTable.select()}`);
  if (!rows[0]) {
    const details = { resource: "sub-account", field: "reference", value: reference };
    throw new ApiError("SUB_ACCOUNT_REFERENCE_TAKEN", undefined, details);
  }
  return toSubAccount(rows[0]);
}
