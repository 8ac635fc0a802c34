import { Type } from "typebox";
import { Raw } from "../http/answer.ts";
import type { LiveRoutes } from "../http/scopes/live.ts";
import type { Streams } from "./streams.ts";

/** No proxy gathers it, and nothing keeps it. */
const HEADERS = { "cache-control": "no-store", "x-accel-buffering": "no" };
const sent = async (stream: ReturnType<Streams["open"]>) =>
  new Raw("text/event-stream; charset=utf-8", await stream, HEADERS);

/**
 * `GET /v2/events/stream?account=…&subAccount=…`: an event's kind and id for each event of a wallet, as it happens; and
 * `charges` when the wallet has a charge that it had not, of which no event speaks until it is paid or over.
 * `reload` after a resume from too long ago: the page reads anew what it shows.
 */
export function walletStreamRoute(route: LiveRoutes, streams: Streams): void {
  route({
    method: "GET",
    path: "/events/stream",
    operationId: "events.stream",
    work: "stream",
    summary: "What happens to a wallet, as server-sent events",
    of: "wallet",
    query: Type.Object({
      account: Type.Optional(Type.String({ format: "uuid" })),
      subAccount: Type.Optional(Type.String({ maxLength: 32 })),
    }),
    status: 200,
    handle: ({ session, wallet, lastId }) => sent(streams.open(session, wallet, lastId)),
  });
}

/** `GET /operator/v1/stream`: that cases, brakes, findings, institutions or the closed days have changed. */
export function installationStreamRoute(route: LiveRoutes, streams: Streams): void {
  route({
    method: "GET",
    path: "/stream",
    operationId: "installation.stream",
    work: "stream",
    summary: "That something changed which operators decide about, as server-sent events",
    of: "installation",
    status: 200,
    handle: ({ session, lastId }) => sent(streams.open(session, null, lastId)),
  });
}
