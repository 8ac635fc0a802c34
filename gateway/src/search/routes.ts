import type { Context } from "../context.ts";
import { hasPermission } from "../http/auth.ts";
import { ref } from "../http/contract.ts";
import type { MerchantRoutes } from "../http/scopes/merchant.ts";
import { questionOf, SearchQuery, SearchResult, toResult } from "./answer.ts";
import { find } from "./find.ts";

/** `/search` of a merchant: objects of the call's wallet. */
export function searchRoutes(route: MerchantRoutes, ctx: Context): void {
  route({
    method: "GET",
    path: "/search",
    operationId: "search.find",
    readsHistory: true,
    summary: "Find a payment, withdrawal or refund by whatever is known of it",
    description:
      "Among the objects of the wallet. Texts are compared whole, but for names of customers, payers, receivers, payment links, codes and projects, of which a part is enough. A name, and an amount without a day, is compared with the wallet's newest 10,000 charges, withdrawals and payment links; where there are older ones, `more` is true.",
    tag: "Transactions",
    extension: true,
    permission: "TRANSACTION:READ",
    query: SearchQuery,
    answer: ref(SearchResult),
    errors: ["VALIDATION_ERROR"],
    async handle({ caller, wallet, query }) {
      const hides = [
        ...(hasPermission(caller, "WEBHOOK:READ") ? [] : ["endpoint" as const]),
        ...(hasPermission(caller, "PROJECT:READ") ? [] : ["project" as const]),
      ];
      const scope = { accountId: caller.accountId, walletId: wallet.walletId, hides };
      const question = questionOf(query.q, ctx.clock.date());
      return toResult(question, await find(ctx.history, scope, question), false);
    },
  });
}
