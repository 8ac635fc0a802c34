import { Type } from "typebox";
import type { Context } from "../../context.ts";
import { ref } from "../../http/contract.ts";
import { walletsOf } from "../../http/pages.ts";
import type { MerchantRoutes } from "../../http/scopes/merchant.ts";
import { ownerOf } from "../endpoints/endpoint.ts";
import { EventPage, EventQuery, EventWithBody, findEvent, listEvents } from "./list.ts";

export function eventRoutes(route: MerchantRoutes, ctx: Context): void {
  const common = { method: "GET", tag: "Events", extension: true, permission: "WEBHOOK:READ" } as const;

  route({
    ...common,
    path: "/events",
    operationId: "events.list",
    summary: "List the events of a wallet",
    description:
      "Events are kept for ever, whether or not an endpoint received them. An event whose data was erased at a person's request has `data: { erased: true }` and is not sent again.",
    query: EventQuery,
    answer: ref(EventPage),
    errors: ["VALIDATION_ERROR", "SUB_ACCOUNT_FORBIDDEN"],
    handle: ({ caller, wallet, query }) => listEvents(ctx.db, walletsOf(caller, wallet, query), query),
  });

  route({
    ...common,
    path: "/events/:eventId",
    operationId: "events.get",
    summary: "Read an event",
    params: Type.Object({
      eventId: Type.String({
        maxLength: 255,
        description: "The `eventId`.",
        examples: ["019b7d0c-2f41-7c3a-9a54-2d1d6f0b9a11"],
      }),
    }),
    answer: ref(EventWithBody),
    errors: ["RESOURCE_NOT_FOUND"],
    handle: (call) => findEvent(ctx.db, ownerOf(call), call.params.eventId),
  });
}
