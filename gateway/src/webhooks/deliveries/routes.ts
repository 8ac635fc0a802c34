import { Type } from "typebox";
import type { Context } from "../../context.ts";
import { AnswerObject, PathId, RequestObject, ref } from "../../http/contract.ts";
import { ApiError } from "../../http/errors.ts";
import { createReads } from "../../http/reads.ts";
import type { MerchantRoutes } from "../../http/scopes/merchant.ts";
import { LIMITS } from "../../lib/limits.ts";
import { EndpointParams, type Owner, ownerOf } from "../endpoints/endpoint.ts";
import { EVENT_KINDS } from "../events/catalogue.ts";
import type { EventDefinitions } from "../events/define.ts";
import {
  DeliveryQuery,
  findDelivery,
  isSearch,
  listDeliveries,
  WebhookDeliveryPage,
  WebhookDeliveryWithAttempts,
} from "./delivery.ts";
import { redeliver } from "./redeliver.ts";
import { countReplay, replay } from "./replay.ts";
import { createTestEvent } from "./test-event.ts";

const WebhookTestRequest = RequestObject("WebhookTestRequest", "What to send as a test.", {
  event: Type.Enum([...EVENT_KINDS], { type: "string", description: "Kind of the event." }),
});

const Instant = (description: string) => Type.String({ format: "date-time", maxLength: 40, description });

const WebhookReplayRequest = RequestObject("WebhookReplayRequest", "Which events to send again.", {
  since: Instant("Only events of this time or later."),
  until: Type.Optional(Instant("Only events before this time; left out: now.")),
  onlyFailed: Type.Optional(
    Type.Boolean({ default: false, description: "Only events whose delivery to this endpoint has failed." }),
  ),
  dryRun: Type.Optional(Type.Boolean({ default: false, description: "Only count them: nothing is sent." })),
});

const WebhookReplay = AnswerObject("WebhookReplay", "What a replay sends.", {
  count: Type.Integer({ minimum: 0, description: "Events that are sent again." }),
  erased: Type.Optional(
    Type.Integer({
      description:
        "Events of this time that are not sent, because their data was erased, at a person's request or after its days.",
    }),
  ),
  dryRun: Type.Boolean({ description: "True: they were only counted." }),
});

const DeliveryParams = Type.Object({ id: PathId("webhook delivery", "Id of the delivery.") });

/** How long a test waits for its first attempt, milliseconds: longer than an attempt may take. */
const TEST_WAIT_MS = 12_000;

const REPLAYING = "Another replay of the account has not ended within 5 s; try again after `Retry-After` seconds.";

export function deliveryRoutes(route: MerchantRoutes, ctx: Context, events: EventDefinitions): void {
  const common = { tag: "Webhooks", extension: true } as const;
  // Each writes for seconds, on a connection that everybody else needs.
  const replays = createReads({ most: 1, waitMs: LIMITS.readsWait });
  async function enterReplay(accountId: string): Promise<() => void> {
    const leave = await replays.enter(accountId);
    if (leave === null) throw new ApiError("TOO_MANY_READS", REPLAYING, { retryable: true }, { "retry-after": "5" });
    return leave;
  }

  route({
    ...common,
    method: "POST",
    path: "/webhook-endpoints/:id/test",
    operationId: "webhookEndpoints.test",
    waitsOutside: true,
    summary: "Send a test to an endpoint",
    description:
      "Creates an event that has not happened and delivers it like every other event, whatever the endpoint's `events` list says. It is marked: `eventId` is `test_<uuid>` and `data.test` is true. Answers with the delivery after its first attempt.",
    permission: "WEBHOOK:WRITE",
    fresh: { not: "it sends to an address that is registered already" },
    params: EndpointParams,
    body: ref(WebhookTestRequest),
    example: { event: "payment_completed" },
    keepsAnswer: true,
    answer: ref(WebhookDeliveryWithAttempts),
    errors: ["RESOURCE_NOT_FOUND", "WEBHOOK_ENDPOINT_DISABLED"],
    async handle(call) {
      const owner = { ...ownerOf(call), subAccount: call.wallet.reference };
      const deliveryId = await ctx.db.transaction((tx) =>
        createTestEvent(ctx, tx, owner, call.params.id, events[call.body.event]),
      );
      ctx.hints.wake("deliver");
      return ctx.admission.outside(owner.accountId, firstAttempt(ctx, owner, deliveryId));
    },
  });

  route({
    ...common,
    method: "POST",
    path: "/webhook-endpoints/:id/replay",
    operationId: "webhookEndpoints.replay",
    readsHistory: true,
    summary: "Send the events of a time to an endpoint again",
    description:
      "All events that the endpoint received or would receive today, delivered before or not; at most 100,000. `dryRun` counts them first. They are sent like other deliveries, the oldest first and 100 in a second: receivers drop repeats by `eventId`.",
    permission: "WEBHOOK:WRITE",
    fresh: { not: "it sends to an address that is registered already" },
    params: EndpointParams,
    body: ref(WebhookReplayRequest),
    example: { since: "2026-01-01T00:00:00Z", onlyFailed: true, dryRun: true },
    answer: ref(WebhookReplay),
    errors: ["RESOURCE_NOT_FOUND", "WEBHOOK_ENDPOINT_DISABLED", "WEBHOOK_REPLAY_TOO_LARGE"],
    async handle(call) {
      const { dryRun = false, ...request } = call.body;
      const [owner, { id }] = [ownerOf(call), call.params];
      const counted = dryRun ? await countReplay(ctx, owner, id, request) : null;
      const leave = counted === null ? await enterReplay(owner.accountId) : () => {};
      try {
        return await call.transact(async (tx) => {
          const { count, erased } = counted ?? (await replay(ctx, tx, owner, id, request));
          return { count, ...(erased > 0 ? { erased } : {}), dryRun };
        });
      } finally {
        leave();
        ctx.hints.wake("deliver");
      }
    },
  });

  route({
    ...common,
    method: "GET",
    path: "/webhook-deliveries",
    operationId: "webhookDeliveries.list",
    summary: "List the deliveries of a wallet's endpoints",
    permission: "WEBHOOK:READ",
    readsHistory: isSearch,
    query: DeliveryQuery,
    answer: ref(WebhookDeliveryPage),
    errors: ["VALIDATION_ERROR"],
    handle: (call) => listDeliveries(isSearch(call.query) ? ctx.history : ctx.db, ownerOf(call), call.query),
  });

  route({
    ...common,
    method: "GET",
    path: "/webhook-deliveries/:id",
    operationId: "webhookDeliveries.get",
    summary: "Read a delivery with all its attempts",
    permission: "WEBHOOK:READ",
    params: DeliveryParams,
    answer: ref(WebhookDeliveryWithAttempts),
    errors: ["RESOURCE_NOT_FOUND"],
    handle: (call) => findDelivery(ctx.db, ownerOf(call), call.params.id),
  });

  route({
    ...common,
    method: "POST",
    path: "/webhook-deliveries/:id/redeliver",
    operationId: "webhookDeliveries.redeliver",
    summary: "Deliver once more",
    description:
      "Due at once, with every attempt of the schedule, whether it was delivered or has failed. A delivery whose attempt is under way stays as it is.",
    permission: "WEBHOOK:WRITE",
    fresh: { not: "it sends to an address that is registered already" },
    params: DeliveryParams,
    answer: ref(WebhookDeliveryWithAttempts),
    errors: ["RESOURCE_NOT_FOUND", "WEBHOOK_ENDPOINT_DISABLED", "EVENT_ERASED"],
    async handle(call) {
      const answered = await call.transact((tx) => redeliver(ctx, tx, ownerOf(call), call.params.id));
      ctx.hints.wake("deliver");
      return answered;
    },
  });
}

/** The delivery after its first attempt, which any process may make; after `TEST_WAIT_MS` the delivery as it is. */
async function firstAttempt(ctx: Context, owner: Owner, deliveryId: string): Promise<WebhookDeliveryWithAttempts> {
  const deadline = ctx.clock.now() + TEST_WAIT_MS;
  // Polls ever more slowly: hundreds of tests that wait for a silent receiver must not keep the database busy.
  for (let pause = 100; ; pause *= 2) {
    const delivery = await findDelivery(ctx.db, owner, deliveryId);
    if (delivery.attemptCount > 0 || ctx.clock.now() >= deadline) return delivery;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, pause);
      const off = ctx.hints.onWake(`delivery/${deliveryId}`, done);
      function done() {
        clearTimeout(timer);
        off();
        resolve();
      }
    });
  }
}
