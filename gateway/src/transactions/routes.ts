import { Type } from "typebox";
import type { Context } from "../context.ts";
import { checkoutUrl } from "../http/checkout-url.ts";
import { ref } from "../http/contract.ts";
import { notFound } from "../http/errors.ts";
import { walletsOf } from "../http/pages.ts";
import type { MerchantRoutes } from "../http/scopes/merchant.ts";
import { findTransaction } from "./find.ts";
import { isSearch, listTransactions, TransactionPage, TransactionQuery } from "./list.ts";
import { Transaction } from "./transaction.ts";

const Params = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: 255,
    // As it is written in every language's expressions; a database holds no NUL.
    pattern: "^[^\\x00]+$",
    description: "Id, external reference or Idempotency-Key of the transaction, looked up in that order.",
    examples: ["order-1042"],
  }),
});

export function transactionRoutes(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "GET",
    path: "/transactions",
    operationId: "transactions.list",
    summary: "List the transactions",
    description:
      "Newest first. Filters narrow the list; all that are given must fit. `updatedFrom` finds what has changed since a poll, whenever it was made.",
    tag: "Transactions",
    extension: true,
    permission: "TRANSACTION:READ",
    readsHistory: isSearch,
    query: TransactionQuery,
    answer: ref(TransactionPage),
    errors: ["VALIDATION_ERROR", "SUB_ACCOUNT_FORBIDDEN"],
    handle({ caller, wallet, query }) {
      const db = isSearch(query) ? ctx.history : ctx.db;
      return listTransactions(db.inShardOf(caller.accountId), walletsOf(caller, wallet, query), query);
    },
  });

  route({
    method: "GET",
    path: "/transactions/:id",
    operationId: "transactions.get",
    summary: "Read one transaction",
    tag: "Transactions",
    permission: "TRANSACTION:READ",
    params: Params,
    answer: ref(Transaction),
    errors: ["VALIDATION_ERROR", "RESOURCE_NOT_FOUND"],
    async handle({ caller, wallet, params }) {
      const found = await findTransaction(ctx, caller.accountId, wallet.walletId, params.id);
      if (found === null) throw notFound("transaction", params.id);
      const { type, txid } = found;
      const url = type === "payment" && txid !== undefined ? checkoutUrl(ctx, txid) : null;
      return url === null ? found : { ...found, checkoutUrl: url };
    },
  });
}
