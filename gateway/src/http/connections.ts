import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
import type { Metrics } from "../lib/metrics.ts";
import { networkOf, plain } from "./ip.ts";

/** Requests of a connection that are not answered yet, and the bytes that it had sent when it was last idle. */
const underWay = new WeakMap<Socket, number>();
const idleAt = new WeakMap<Socket, number>();

/** Nothing of a request has come that is not answered. */
const isIdle = (socket: Socket): boolean => !underWay.get(socket) && socket.bytesRead === (idleAt.get(socket) ?? 0);

/**
 * Bounds the connections of an address by `connectionsPerAddress`, and those of all by `LIMITS.connections`. A new one of an
 * address that has them takes the place of one that does nothing, first of those that never sent anything: so idle clients keep nobody
 * out who has the same address (a NAT, or everything on one machine). Where all are at work the new one may only be an
 * institution's: it can bring one notification, and any other request closes it.
 *
 * A trusted proxy has as many as it likes: it speaks for many clients, and limits them itself.
 *
 * @returns whether a request is let in.
 */
export function limitConnections(server: Server, { config, metrics }: Pick<Context, "config" | "metrics">): LetsIn {
  const { trustedProxies, connectionsPerAddress } = config;
  const open = new Map<string, Places>();
  const notifying = new WeakSet<Socket>();
  const refused = metrics.counter({
    name: "pixgate_http_connections_refused_total",
    help: "Connections closed since their address had `PIXGATE_CONNECTIONS_PER_ADDRESS` open: idle ones, or those that are one too many.",
    labels: [],
  });
  const close = (socket: Socket | undefined): void => {
    if (socket === undefined) return;
    refused.add([]);
    socket.destroy();
  };
  server.maxConnections = LIMITS.connections;
  server.on("connection", (socket: Socket) => {
    const address = plain(socket.remoteAddress ?? "");
    if (trustedProxies?.has(address)) return;
    const network = networkOf(address);
    const places = open.get(network) ?? { all: new Set(), reserved: new Set() };
    open.set(network, places);
    let mine = places.all;
    if (mine.size >= connectionsPerAddress) {
      const idle = longestIdle(mine);
      if (idle === undefined) mine = places.reserved;
      // Its place is free at once, and not when its end is noticed.
      else mine.delete(idle);
      close(idle);
    }
    if (mine === places.reserved && mine.size >= LIMITS.connectionsReserved) {
      // Who brings a notification sends it at once: the oldest that has brought none waits for nothing.
      const silent = [...mine].find((one) => !underWay.get(one));
      if (silent === undefined) return close(socket);
      mine.delete(silent);
      close(silent);
    }
    mine.add(socket);
    if (mine === places.reserved) notifying.add(socket);
    socket.once("close", () => {
      mine.delete(socket);
      if (places.all.size + places.reserved.size === 0) open.delete(network);
    });
  });
  return ({ method, socket, url }, response) => {
    if (socket.destroyed) return false;
    if (!notifying.has(socket)) return true;
    const isNotification = method === "POST" && url?.startsWith(NOTIFICATIONS) === true;
    if (isNotification) response.shouldKeepAlive = false;
    else close(socket);
    return isNotification;
  };
}

type LetsIn = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Where institutions send their notifications. */
const NOTIFICATIONS = "/psp/";

/** Connections of one address: in the order in which they were opened. `reserved`: those beyond the limit. */
type Places = { readonly all: Set<Socket>; readonly reserved: Set<Socket> };

/** The one that is missed least: of those that never sent anything the oldest, else the oldest that waits for its next request. */
function longestIdle(sockets: ReadonlySet<Socket>): Socket | undefined {
  let waiting: Socket | undefined;
  for (const socket of sockets) {
    if (!isIdle(socket)) continue;
    if (socket.bytesRead === 0) return socket;
    waiting ??= socket;
  }
  return waiting;
}

/**
 * Closes a connection on which more than `most` requests wait for their answers. Node parses a piece of 64 KB at once, two thousand
 * short requests, and holds 6 KB for each until its answer is written: a client that reads none of the answers would hold 15 MB
 * with each of its connections, and needs no token for it. Clients that send requests before the answers to others send few.
 *
 * @returns whether the request is let in.
 */
export function limitPipelining(metrics: Metrics, most: () => number): LetsIn {
  const closed = metrics.counter({
    name: "pixgate_http_pipelines_closed_total",
    help: "Connections closed, since too many requests of theirs waited for their answers.",
    labels: [],
  });
  return ({ socket }, response) => {
    // What was parsed together with the request that was one too many.
    if (socket.destroyed) return false;
    const count = (underWay.get(socket) ?? 0) + 1;
    if (count > most()) {
      closed.add([]);
      socket.destroy();
      return false;
    }
    underWay.set(socket, count);
    response.once("close", () => {
      const left = (underWay.get(socket) ?? 1) - 1;
      underWay.set(socket, left);
      if (left === 0) idleAt.set(socket, socket.bytesRead);
    });
    return true;
  };
}
