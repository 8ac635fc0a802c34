import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { networkOf, plain } from "./ip.ts";

/** Requests of a connection that are not answered yet, and the bytes that it had sent when it was last idle. */
const underWay = new WeakMap<Socket, number>();
const idleAt = new WeakMap<Socket, number>();
/** What counts a connection: all of its address, and all. */
const poolsOf = new WeakMap<Socket, readonly Pool[]>();

/** Nothing of a request has come that is not answered. */
const isIdle = (socket: Socket): boolean => !underWay.get(socket) && socket.bytesRead === (idleAt.get(socket) ?? 0);

/**
 * Bounds the connections of an address by `connectionsPerAddress`, and those of all by `connections`. A new one beyond either takes
 * the place of the one that does nothing for the longest, first of those that never sent anything: so idle clients keep nobody
 * out, whether they have the same address (a NAT, or everything on one machine) or come from many. Where all of an address are
 * at work the new one may only be an institution's: it can bring one notification, and any other request closes it. Where all are
 * at work it is closed.
 *
 * A trusted proxy has as many as all together may have: it speaks for many clients, and limits them itself.
 *
 * @returns whether a request is let in.
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
    // Its place is free at once, and not when its end is noticed.
    for (const pool of poolsOf.get(socket) ?? []) remove(pool, socket);
    socket.destroy();
  };
  /** Whether there is a place, or one that was idle has left one. */
  const makesRoom = (pool: Pool, most: number): boolean => {
    const idle = pool.all.size < most ? undefined : longestIdle(pool);
    if (idle !== undefined) close(idle);
    return pool.all.size < most;
  };
  server.on("connection", (socket: Socket) => {
    const address = plain(socket.remoteAddress ?? "");
    const isProxy = trustedProxies?.has(address) === true;
    if (!makesRoom(everybody, connections)) return close(socket);
    if (isProxy) return enter(socket, [everybody]);
    const network = networkOf(address);
    const places = open.get(network) ?? { mine: createPool(), reserved: new Set() };
    open.set(network, places);
    const { mine, reserved } = places;
    socket.once("close", () => {
      reserved.delete(socket);
      if (mine.all.size + reserved.size === 0 && open.get(network) === places) open.delete(network);
    });
    if (makesRoom(mine, connectionsPerAddress)) return enter(socket, [everybody, mine]);
    if (reserved.size >= LIMITS.connectionsReserved) {
      // Who brings a notification sends it at once: the oldest that has brought none waits for nothing.
      const silent = [...reserved].find((one) => !underWay.get(one));
      if (silent === undefined) return close(socket);
      reserved.delete(silent);
      close(silent);
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

/** Where institutions send their notifications. */
const NOTIFICATIONS = "/psp/";

/** Connections of one address. `reserved`: those beyond the limit, in the order in which they were opened. */
type Places = { readonly mine: Pool; readonly reserved: Set<Socket> };

/**
 * Connections that one limit counts. Those that never sent anything, and those that wait for their next request, each since when they do;
 * of one that has begun a request meanwhile that is noticed when its place is needed.
 */
type Pool = { readonly all: Set<Socket>; readonly silent: Set<Socket>; readonly waiting: Set<Socket> };

const createPool = (): Pool => ({ all: new Set(), silent: new Set(), waiting: new Set() });

function enter(socket: Socket, pools: readonly Pool[]): void {
  poolsOf.set(socket, pools);
  for (const { all, silent } of pools) {
    all.add(socket);
    silent.add(socket);
  }
  // Before other listeners, which may ask whether any is left.
  socket.prependOnceListener("close", () => {
    for (const pool of pools) remove(pool, socket);
  });
}

function remove({ all, silent, waiting }: Pool, socket: Socket): void {
  for (const sockets of [all, silent, waiting]) sockets.delete(socket);
}

/** All its requests are answered. */
function becomeIdle(socket: Socket): void {
  idleAt.set(socket, socket.bytesRead);
  for (const { all, silent, waiting } of poolsOf.get(socket) ?? []) {
    silent.delete(socket);
    waiting.delete(socket);
    if (all.has(socket)) waiting.add(socket);
  }
}

/**
 * The one that is missed least: of those that never sent anything the oldest, else the one that has waited for its next request for
 * the longest. One that is at work is passed over once, until it is idle again: however many there are, a new connection costs
 * no walk through all of them.
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
      if (left === 0) becomeIdle(socket);
    });
    return true;
  };
}
