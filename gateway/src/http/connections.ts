import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Context } from "../context.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { networkOf, plain } from "./ip.ts";

/** By connection: requests without an answer, and the bytes that it had sent when it was last idle. */
const underWay = new WeakMap<Socket, number>();
const idleAt = new WeakMap<Socket, number>();
/** The pools that count a connection: that of its address, and that of all connections. */
const poolsOf = new WeakMap<Socket, readonly Pool[]>();

/** Whether a connection has no unanswered request, and has sent no part of a next one. */
const isIdle = (socket: Socket): boolean => !underWay.get(socket) && socket.bytesRead === (idleAt.get(socket) ?? 0);

/**
 * Limits the connections of one address (`connectionsPerAddress`) and of all together (`connections`). A connection beyond
 * a limit replaces the one that has been idle for the longest, first among those that never sent anything. So idle clients
 * keep nobody out, whether they share an address (a NAT, or one machine) or come from many.
 *
 * If all connections of an address are at work, a new one is kept only for an institution: it can deliver one notification, and
 * any other request closes it. If all connections of the process are at work, the new one is closed.
 *
 * A trusted proxy may have all of the `connections`, since it speaks for many clients and limits them itself.
 *
 * @returns whether a request is accepted.
 */
export function limitConnections(server: Server, { config, metrics }: Pick<Context, "config" | "metrics">): LetsIn {
  const { trustedProxies, connectionsPerAddress, connections } = config;
  const everybody = createPool();
  const open = new Map<string, Places>();
  const notifying = new WeakSet<Socket>();
  const refused = metrics.counter({
    name: "pixgate_http_connections_refused_total",
    help: "Connections closed since their address had `PIXGATE_CONNECTIONS_PER_ADDRESS` open, or all together `PIXGATE_CONNECTIONS`: idle ones, or those that are one too many.",
    labels: [],
  });
  const close = (socket: Socket): void => {
    refused.add([]);
    // Frees its place at once: its `close` event comes only later.
    for (const pool of poolsOf.get(socket) ?? []) remove(pool, socket);
    socket.destroy();
  };
  /** Whether the pool has room, after closing an idle connection if necessary. */
  const hasRoomIn = (pool: Pool, most: number): boolean => {
    const idle = pool.all.size < most ? undefined : longestIdle(pool);
    if (idle !== undefined) close(idle);
    return pool.all.size < most;
  };
  server.on("connection", (socket: Socket) => {
    const address = plain(socket.remoteAddress ?? "");
    const isProxy = trustedProxies?.has(address) === true;
    if (!hasRoomIn(everybody, connections)) return close(socket);
    if (isProxy) return enter(socket, [everybody]);
    const network = networkOf(address);
    const places = open.get(network) ?? { mine: createPool(), reserved: new Set() };
    open.set(network, places);
    const { mine, reserved } = places;
    socket.once("close", () => {
      reserved.delete(socket);
      if (mine.all.size + reserved.size === 0 && open.get(network) === places) open.delete(network);
    });
    if (hasRoomIn(mine, connectionsPerAddress)) return enter(socket, [everybody, mine]);
    if (reserved.size >= LIMITS.connectionsReserved) {
      // An institution sends its notification at once, so the oldest connection that has sent nothing is not one.
      const oldestSilent = [...reserved].find((candidate) => !underWay.get(candidate));
      if (oldestSilent === undefined) return close(socket);
      reserved.delete(oldestSilent);
      close(oldestSilent);
    }
    reserved.add(socket);
    notifying.add(socket);
    enter(socket, [everybody]);
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

/** The path prefix of institutions' notifications. */
const NOTIFICATIONS = "/psp/";

/** Connections of one address. `reserved`: those beyond the limit, in the order in which they were opened. */
type Places = { readonly mine: Pool; readonly reserved: Set<Socket> };

/**
 * The connections that one limit counts. `silent`: those that never sent anything. `waiting`: those that wait for their
 * next request. Both are in the order in which they became so. If one has begun a request meanwhile, that is noticed only
 * when its place is needed.
 */
type Pool = { readonly all: Set<Socket>; readonly silent: Set<Socket>; readonly waiting: Set<Socket> };

const createPool = (): Pool => ({ all: new Set(), silent: new Set(), waiting: new Set() });

function enter(socket: Socket, pools: readonly Pool[]): void {
  poolsOf.set(socket, pools);
  for (const { all, silent } of pools) {
    all.add(socket);
    silent.add(socket);
  }
  // Before other listeners, which may ask whether a connection is left.
  socket.prependOnceListener("close", () => {
    for (const pool of pools) remove(pool, socket);
  });
}

function remove({ all, silent, waiting }: Pool, socket: Socket): void {
  for (const sockets of [all, silent, waiting]) sockets.delete(socket);
}

/** Called when all requests of a connection are answered. */
function becomeIdle(socket: Socket): void {
  idleAt.set(socket, socket.bytesRead);
  for (const { all, silent, waiting } of poolsOf.get(socket) ?? []) {
    silent.delete(socket);
    waiting.delete(socket);
    if (all.has(socket)) waiting.add(socket);
  }
}

/**
 * The connection whose loss does the least harm: the oldest that never sent anything, otherwise the one that has waited longest
 * for its next request. A connection that turns out to be at work leaves the list until it is idle again, so a new connection
 * never costs a walk through all of them.
 */
function longestIdle({ silent, waiting }: Pool): Socket | undefined {
  for (const sockets of [silent, waiting]) {
    for (const socket of sockets) {
      if (isIdle(socket)) return socket;
      sockets.delete(socket);
    }
  }
  return undefined;
}

/**
 * Closes a connection on which more than `most` requests wait for their answers. Node parses a piece of 64 KB at once, two
 * thousand short requests, and holds 6 KB for each until its answer is written. A client that reads no answers would hold
 * 15 MB with each connection, without any token. Clients that send several requests before reading answers send few.
 *
 * @returns whether the request is accepted.
 */
export function limitPipelining(metrics: Metrics, most: () => number): LetsIn {
  const closed = metrics.counter({
    name: "pixgate_http_pipelines_closed_total",
    help: "Connections closed, since too many requests of theirs waited for their answers.",
    labels: [],
  });
  return ({ socket }, response) => {
    // Requests that were parsed together with the one too many.
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
      if (left === 0) becomeIdle(socket);
    });
    return true;
  };
}
