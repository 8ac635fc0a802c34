import { Type } from "typebox";
import { Raw } from "../http/answer.ts";
import type { LiveRoutes } from "../http/scopes/live.ts";
import type { Streams } from "./streams.ts";

/** Proxies must not buffer it, and caches not store it. */
const HEADERS = { "cache-control": "no-store", "x-accel-buffering": "no" };
const sent = async (stream: ReturnType<Streams["open"]>) =>
  new Raw("text/event-stream; charset=utf-8", await stream, HEADERS);

/**
 * `GET /v2/events/stream?account=…&subAccount=…`: kind and id of each event of a wallet as it happens; `charges` when the
 * wallet has a new charge, which has no event until it is paid or over; `money` when money of the wallet has moved, as by a
 * withdrawal that was only made, which has no event either; `reload` when the page was away for too long and
 * must read everything anew.
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
      // When the page began to read: it gets what came since. The browser's own mark of a lost stream is newer.
      since: Type.Optional(Type.String({ format: "date-time", maxLength: 40 })),
    }),
    handle: ({ session, wallet, lastId, query: { since } }) =>
      sent(streams.open(session, wallet, lastId, since === undefined ? undefined : new Date(since))),
  });
}

/** `GET /operator/v1/stream`: reports that cases, brakes, findings, institutions or the closed days have changed. */
export function installationStreamRoute(route: LiveRoutes, streams: Streams): void {
  route({
    method: "GET",
    path: "/stream",
    operationId: "installation.stream",
    work: "stream",
    summary: "That something changed which operators decide about, as server-sent events",
    of: "installation",
    // The state that the page's session had, or the page's stream before this one.
    query: Type.Object({ seen: Type.Optional(Type.String({ maxLength: 400 })) }),
    handle: ({ session, lastId, query: { seen = null } }) => sent(streams.open(session, null, lastId ?? seen)),
  });
}
