import { Type } from "typebox";
import type { Context } from "../context.ts";
import { PathId, ref } from "../http/contract.ts";
import { NamedWallet, walletOf } from "../http/find-wallet.ts";
import { PageQuery } from "../http/pages.ts";
import type { OperatorRoutes } from "../http/scopes/operator.ts";
import { DeliveryQuery, isSearch, listDeliveries, WebhookDeliveryPage } from "./deliveries/delivery.ts";
import { listEndpoints, WebhookEndpointPage } from "./endpoints/endpoint.ts";

const Params = Type.Object({ id: PathId("account", "Id of the account.") });

/** The webhook endpoints of an account and their deliveries, as the merchant sees them. */
export function operatorWebhookRoutes(route: OperatorRoutes, ctx: Context): void {
  route({
    method: "GET",
    path: "/accounts/:id/webhook-endpoints",
    operationId: "accounts.webhookEndpoints",
    summary: "List the webhook endpoints of an account's wallet",
    role: "finance",
    params: Params,
    query: Type.Object({ ...NamedWallet, ...PageQuery }),
    answer: ref(WebhookEndpointPage),
    errors: ["SUB_ACCOUNT_NOT_FOUND"],
    handle: async ({ params, query }) =>
      listEndpoints(ctx.db, await walletOf(ctx, params.id, query.subAccount), query, ctx.clock.now()),
  });

  route({
    method: "GET",
    path: "/accounts/:id/webhook-deliveries",
    operationId: "accounts.webhookDeliveries",
    summary: "List the deliveries of an account's wallet",
    role: "finance",
    params: Params,
    readsHistory: isSearch,
    query: Type.Object({ ...DeliveryQuery.properties, ...NamedWallet }),
    answer: ref(WebhookDeliveryPage),
    errors: ["SUB_ACCOUNT_NOT_FOUND"],
    handle: async ({ params, query }) =>
      listDeliveries(isSearch(query) ? ctx.history : ctx.db, await walletOf(ctx, params.id, query.subAccount), query),
  });
}
