import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import type { Context } from "../../context.ts";
import type { Authenticator } from "../../http/auth.ts";
import { endpoint, ref } from "../../http/endpoint.ts";
import { ownerOf } from "../endpoints/endpoint.ts";
import { EventPage, EventQuery, EventWithBody, findEvent, listEvents } from "./list.ts";

export function eventRoutes(app: FastifyInstance, ctx: Context, auth: Authenticator): void {
  const common = { method: "GET", tag: "Events", extension: true, permission: "WEBHOOK:READ", status: 200 } as const;

  endpoint(app, ctx, auth, {
    ...common,
    path: "/events",
    operationId: "listEvents",
    summary: "List the events of a wallet",
    description:
      "Events are kept for ever, whether or not an endpoint was told of them. One whose data was erased at a person's request has `data: { erased: true }`, and is not sent again.",
    query: EventQuery,
    answer: ref(EventPage),
    errors: ["VALIDATION_ERROR"],
    handle: (call) => listEvents(ctx.db, ownerOf(call), call.query),
  });

  endpoint(app, ctx, auth, {
    ...common,
    path: "/events/:eventId",
    operationId: "getEvent",
    summary: "Read an event",
    params: Type.Object({ eventId: Type.String({ maxLength: 255, description: "The `eventId`." }) }),
    answer: ref(EventWithBody),
    errors: ["RESOURCE_NOT_FOUND"],
    handle: (call) => findEvent(ctx.db, ownerOf(call), call.params.eventId),
  });
}
