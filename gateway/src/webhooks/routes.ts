import type { FastifyInstance } from "fastify";
import type { Context } from "../context.ts";
import type { Authenticator } from "../http/auth.ts";
import { endpoint, ref } from "../http/endpoint.ts";
import { createEndpoint, WebhookEndpoint, WebhookEndpointRequest } from "./endpoint.ts";

export function webhookRoutes(app: FastifyInstance, ctx: Context, auth: Authenticator): void {
  endpoint(app, ctx, auth, {
    method: "POST",
    path: "/webhook-endpoints",
    operationId: "createWebhookEndpoint",
    summary: "Register an address for events",
    description: "The answer holds the secret of the signatures. It is shown this once.",
    tag: "Webhooks",
    extension: true,
    permission: "WEBHOOK:WRITE",
    body: ref(WebhookEndpointRequest),
    example: {
      url: "https://example.com/webhooks/pix",
      events: ["payment_completed", "payment_expired"],
      description: "Orders",
    },
    status: 201,
    answer: ref(WebhookEndpoint),
    errors: ["WEBHOOK_URL_INVALID"],
    handle: ({ caller, wallet, body, transact }) =>
      transact(
        (tx) =>
          createEndpoint(ctx, tx, {
            accountId: caller.accountId,
            walletId: wallet.walletId,
            url: body.url,
            events: body.events,
            description: body.description,
            enabled: body.enabled ?? true,
            retry: body.retry ?? "standard",
          }),
        ({ secret: _shownOnce, ...kept }) => kept,
      ),
  });
}
