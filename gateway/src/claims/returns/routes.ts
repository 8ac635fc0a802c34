import type { Context } from "../../context.ts";
import { ref } from "../../http/contract.ts";
import { walletsOf } from "../../http/pages.ts";
import type { MerchantRoutes } from "../../http/scopes/merchant.ts";
import { listReturns } from "./list.ts";
import { AutomaticReturnPage, ReturnQuery } from "./return.ts";

export function returnRoutes(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "GET",
    path: "/returns",
    operationId: "returns.list",
    summary: "List the automatic returns",
    description:
      "Newest first: every Pix that was received, credited to nobody, and goes or went back to its payer by itself: second payments, and what an account policy refused. Refunds are not among them.",
    tag: "Transactions",
    extension: true,
    permission: "TRANSACTION:READ",
    query: ReturnQuery,
    answer: ref(AutomaticReturnPage),
    errors: ["VALIDATION_ERROR", "SUB_ACCOUNT_FORBIDDEN"],
    handle: ({ caller, wallet, query }) => listReturns(ctx.db, walletsOf(caller, wallet, query), query),
  });
}
