import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { ref } from "../http/contract.ts";
import type { MerchantRoutes } from "../http/scopes/merchant.ts";
import { createSubAccount } from "./create.ts";
import { SubAccount, SubAccountList, SubAccountRequest, type SubAccountRow, toSubAccount } from "./sub-account.ts";

export function subAccountRoutes(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "POST",
    path: "/sub-accounts",
    operationId: "subAccounts.create",
    summary: "Open a sub-account",
    description: "A wallet with a balance of its own, at zero. Its reference is what `X-Sub-Account` names.",
    tag: "Sub-accounts",
    permission: "SUBACCOUNT:WRITE",
    mainAccountOnly: true,
    body: ref(SubAccountRequest),
    status: 201,
    answer: ref(SubAccount),
    errors: ["SUB_ACCOUNT_INVALID_REFERENCE", "SUB_ACCOUNT_REFERENCE_TAKEN"],
    example: { reference: "loja-centro", name: "Loja Centro" },
    handle: ({ caller, body, transact }) =>
      transact((tx) =>
        createSubAccount(ctx, tx, { accountId: caller.accountId, reference: body.reference, name: body.name }),
      ),
  });

  route({
    method: "GET",
    path: "/sub-accounts",
    operationId: "subAccounts.list",
    summary: "List the sub-accounts",
    tag: "Sub-accounts",
    permission: "SUBACCOUNT:READ",
    mainAccountOnly: true,
    status: 200,
    answer: ref(SubAccountList),
    errors: [],
    async handle({ caller: { accountId } }) {
      const { rows } = await ctx.db.query<SubAccountRow>(sql`
        select wallet_id, reference, name, status, created_at from wallets
        where account_id = ${accountId} and wallet_id <> ${accountId} order by wallet_id desc`);
      return { data: rows.map(toSubAccount) };
    },
  });
}
