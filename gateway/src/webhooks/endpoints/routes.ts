import { Type } from "typebox";
import type { Context } from "../../context.ts";
import { ref } from "../../http/contract.ts";
import { PageQuery } from "../../http/pages.ts";
import type { MerchantRoutes } from "../../http/scopes/merchant.ts";
import { REOPENED } from "../deliveries/poll.ts";
import { deliveryRoutes } from "../deliveries/routes.ts";
import { createTargets } from "../deliveries/target.ts";
import type { EventDefinitions } from "../events/define.ts";
import { eventRoutes } from "../events/routes.ts";
import { createEndpoint, deleteEndpoint, finishRotation, patchEndpoint, rotateSecret } from "./change.ts";
import {
  EndpointParams,
  findEndpoint,
  listEndpoints,
  ownerOf,
  toEndpoint,
  WebhookEndpoint,
  WebhookEndpointPage,
  WebhookEndpointPatch,
  WebhookEndpointRequest,
} from "./endpoint.ts";

/** A secret is shown once: a repeated answer omits it. */
const withoutSecret = ({ secret: _shownOnce, ...kept }: { secret?: string }): unknown => kept;

/** `events` makes the samples of test events. */
export function webhookRoutes(route: MerchantRoutes, ctx: Context, events: EventDefinitions): void {
  const targets = createTargets(ctx);
  const common = { tag: "Webhooks", extension: true } as const;

  route({
    ...common,
    method: "POST",
    path: "/webhook-endpoints",
    operationId: "webhookEndpoints.create",
    summary: "Register an address for events",
    description: "The answer holds the secret of the signatures. It is shown this once.",
    permission: "WEBHOOK:WRITE",
    fresh: true,
    showsSecret: true,
    body: ref(WebhookEndpointRequest),
    example: {
      url: "https://example.com/webhooks/pix",
      events: ["payment_completed", "payment_expired"],
      description: "Orders",
    },
    status: 201,
    answer: ref(WebhookEndpoint),
    errors: ["WEBHOOK_URL_INVALID", "WEBHOOK_ENDPOINT_LIMIT"],
    async handle(call) {
      const { body } = call;
      const url = await targets.checkToSave(body.url);
      const { events, description, enabled = true, retry = "standard" } = body;
      return call.transact(
        (tx) => createEndpoint(ctx, tx, ownerOf(call), { url, events, description, enabled, retry }),
        withoutSecret,
      );
    },
  });

  route({
    ...common,
    method: "GET",
    path: "/webhook-endpoints",
    operationId: "webhookEndpoints.list",
    summary: "List the endpoints of a wallet",
    permission: "WEBHOOK:READ",
    query: Type.Object(PageQuery),
    answer: ref(WebhookEndpointPage),
    errors: ["VALIDATION_ERROR"],
    handle: (call) => listEndpoints(ctx.db, ownerOf(call), call.query, ctx.clock.now()),
  });

  route({
    ...common,
    method: "GET",
    path: "/webhook-endpoints/:id",
    operationId: "webhookEndpoints.get",
    summary: "Read an endpoint",
    permission: "WEBHOOK:READ",
    params: EndpointParams,
    answer: ref(WebhookEndpoint),
    errors: ["RESOURCE_NOT_FOUND"],
    handle: async (call) => toEndpoint(await findEndpoint(ctx.db, ownerOf(call), call.params.id), ctx.clock.now()),
  });

  route({
    ...common,
    method: "PATCH",
    path: "/webhook-endpoints/:id",
    operationId: "webhookEndpoints.update",
    summary: "Change an endpoint",
    description:
      "Only the fields that are sent change. `enabled: false` stops deliveries; `true` starts them again: waiting deliveries are then sent, and events of the time between can be replayed.",
    permission: "WEBHOOK:WRITE",
    fresh: true,
    params: EndpointParams,
    body: ref(WebhookEndpointPatch),
    example: { enabled: true, retry: "extended" },
    answer: ref(WebhookEndpoint),
    errors: ["RESOURCE_NOT_FOUND", "WEBHOOK_URL_INVALID"],
    async handle(call) {
      const { body } = call;
      await findEndpoint(ctx.db, ownerOf(call), call.params.id);
      const url = body.url === undefined ? undefined : await targets.checkToSave(body.url);
      const patch = { ...body, ...(url === undefined ? {} : { url }) };
      const answered = await call.transact((tx) => patchEndpoint(ctx, tx, ownerOf(call), call.params.id, patch));
      if (patch.enabled) ctx.hints.wake(REOPENED);
      ctx.hints.wake("deliver");
      return answered;
    },
  });

  route({
    ...common,
    method: "DELETE",
    path: "/webhook-endpoints/:id",
    operationId: "webhookEndpoints.delete",
    final: "Its deliveries that wait are not sent.",
    summary: "Delete an endpoint",
    description: "Nothing is sent to it any more; waiting deliveries become `failed`. Deliveries can still be read.",
    permission: "WEBHOOK:WRITE",
    fresh: true,
    params: EndpointParams,
    status: 204,
    errors: ["RESOURCE_NOT_FOUND"],
    async handle(call) {
      await ctx.db.transaction((tx) => deleteEndpoint(ctx, tx, ownerOf(call), call.params.id));
      return null;
    },
  });

  route({
    ...common,
    method: "POST",
    path: "/webhook-endpoints/:id/rotate-secret",
    operationId: "webhookEndpoints.rotateSecret",
    final: "The endpoint gets a new secret; the old one signs for 24 hours more.",
    summary: "Replace the secret of an endpoint",
    description:
      "The answer holds the new secret, only this once. For 24 hours, or until the rotation is finished, both secrets sign: the old one makes `X-Service-Signature`, the new one `X-Service-Signature-Next`, and both make `webhook-signature`. Another rotation in that time replaces the new secret.",
    permission: "WEBHOOK:WRITE",
    fresh: true,
    showsSecret: true,
    params: EndpointParams,
    answer: ref(WebhookEndpoint),
    errors: ["RESOURCE_NOT_FOUND"],
    handle: (call) => call.transact((tx) => rotateSecret(ctx, tx, ownerOf(call), call.params.id), withoutSecret),
  });

  route({
    ...common,
    method: "POST",
    path: "/webhook-endpoints/:id/finish-rotation",
    operationId: "webhookEndpoints.finishRotation",
    final: "The old secret signs no more.",
    summary: "Finish a rotation at once",
    description: "From now on only the new secret signs. Without a rotation nothing changes.",
    permission: "WEBHOOK:WRITE",
    fresh: { not: "it ends a secret and shows none" },
    params: EndpointParams,
    answer: ref(WebhookEndpoint),
    errors: ["RESOURCE_NOT_FOUND"],
    handle: (call) => call.transact((tx) => finishRotation(ctx, tx, ownerOf(call), call.params.id)),
  });

  deliveryRoutes(route, ctx, events);
  eventRoutes(route, ctx);
}
