import { Type } from "typebox";
import type { Context } from "../../context.ts";
import { sql } from "../../db/sql.ts";
import { ref } from "../../http/contract.ts";
import type { MerchantRoutes } from "../../http/scopes/merchant.ts";
import { nameOfCaller } from "../../http/session.ts";
import { answerList, OptionalPageQuery } from "../../http/whole-list.ts";
import { type SubAccountRow, walletsTable } from "../wallet.ts";
import { createSubAccount } from "./create.ts";
import { SubAccount, SubAccountList, SubAccountRequest, SubAccountUpdate, toSubAccount } from "./sub-account.ts";
import { findSubAccount, updateSubAccount } from "./update.ts";

/** The reference of a sub-account in a path; `principal` is the main account and therefore not allowed. */
export const SubAccountReference = Type.String({
  pattern: "^(?!principal$)[a-z0-9][a-z0-9_-]{1,31}$",
  description: "Reference of the sub-account.",
  "x-error-codes": { "*": "SUB_ACCOUNT_INVALID_REFERENCE" },
  examples: ["loja-centro"],
});
const LIST = "sub-accounts";
const Params = Type.Object({ reference: SubAccountReference });

export function subAccountRoutes(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "POST",
    path: "/sub-accounts",
    operationId: "subAccounts.create",
    summary: "Open a sub-account",
    description: "A wallet with a balance of its own, at zero. Its reference is what `X-Sub-Account` names.",
    tag: "Sub-accounts",
    permission: "SUBACCOUNT:WRITE",
    fresh: { not: "a new wallet holds nothing" },
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
    query: Type.Object(OptionalPageQuery),
    answer: ref(SubAccountList),
    errors: [],
    handle: ({ caller: { accountId }, query }) =>
      answerList({
        list: LIST,
        query,
        async read(after, rows) {
          const found = await ctx.db.query<SubAccountRow>(sql`
            select ${walletsTable.select()} from wallets
            where account_id = ${accountId} and wallet_id <> ${accountId} and (${after}::uuid is null or wallet_id < ${after})
            order by wallet_id desc limit ${rows}`);
          return found.rows;
        },
        idOf: (row) => row.walletId,
        show: toSubAccount,
        name: "data",
        more: {},
      }),
  });

  route({
    method: "GET",
    path: "/sub-accounts/:reference",
    operationId: "subAccounts.get",
    summary: "Read a sub-account",
    tag: "Sub-accounts",
    extension: true,
    permission: "SUBACCOUNT:READ",
    mainAccountOnly: true,
    params: Params,
    answer: ref(SubAccount),
    errors: ["SUB_ACCOUNT_INVALID_REFERENCE", "SUB_ACCOUNT_NOT_FOUND"],
    handle: async ({ caller, params }) =>
      toSubAccount(await findSubAccount(ctx.db, caller.accountId, params.reference)),
  });

  route({
    method: "PATCH",
    path: "/sub-accounts/:reference",
    operationId: "subAccounts.update",
    summary: "Change a sub-account",
    description:
      "A suspension stops every call for the sub-account and everything that has not been sent of it. What the operator suspended only the operator lifts.",
    tag: "Sub-accounts",
    extension: true,
    permission: "SUBACCOUNT:WRITE",
    fresh: { when: "it lifts a suspension", asks: ({ status }) => status === "approved" },
    mainAccountOnly: true,
    params: Params,
    body: ref(SubAccountUpdate),
    answer: ref(SubAccount),
    errors: ["SUB_ACCOUNT_INVALID_REFERENCE", "SUB_ACCOUNT_NOT_FOUND", "SUB_ACCOUNT_SUSPENDED"],
    example: { name: "Loja Centro", status: "suspended" },
    handle: ({ caller, session, params, body }) =>
      ctx.db.transaction((tx) =>
        updateSubAccount(ctx, tx, {
          accountId: caller.accountId,
          reference: params.reference,
          patch: body,
          by: { side: "merchant", name: nameOfCaller(caller, session) },
        }),
      ),
  });
}
