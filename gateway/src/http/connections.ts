import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
import type { Metrics } from "../lib/metrics.ts";
import { networkOf, plain } from "./ip.ts";

/**
 * Closes connections of an address that has `connectionsPerAddress` open, and those beyond `LIMITS.connections` of all.
 * A trusted proxy has as many as it likes: it speaks for many clients, and limits them itself.
 */
export function limitConnections(server: Server, { config, metrics }: Pick<Context, "config" | "metrics">): void {
  const { trustedProxies, connectionsPerAddress } = config;
  const open = new Map<string, number>();
  const refused = metrics.counter({
    name: "pixgate_http_connections_refused_total",
    help: "Connections closed at once, since their address had `PIXGATE_CONNECTIONS_PER_ADDRESS` open.",
    labels: [],
  });
  server.maxConnections = LIMITS.connections;
  server.on("connection", (socket: Socket) => {
    const address = plain(socket.remoteAddress ?? "");
    if (trustedProxies?.has(address)) return;
    const network = networkOf(address);
    const count = (open.get(network) ?? 0) + 1;
    if (count > connectionsPerAddress) {
      refused.add([]);
      socket.destroy();
      return;
    }
    open.set(network, count);
    socket.once("close", () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
  });
}

/**
 * Closes a connection on which more than `most` requests wait for their answers. Node parses a piece of 64 KB at once, two thousand
 * short requests, and holds 6 KB for each until its answer is written: a client that reads none of the answers would hold 15 MB
 * with each of its connections, and needs no token for it. Clients that send requests before the answers to others send few.
 *
 * @returns whether the request is let in.
 */
export function limitPipelining(metrics: Metrics, most: () => number) {
  const waiting = new WeakMap<Socket, number>();
  const closed = metrics.counter({
    name: "pixgate_http_pipelines_closed_total",
    help: "Connections closed, since too many requests of theirs waited for their answers.",
    labels: [],
  });
  return ({ socket }: IncomingMessage, response: ServerResponse): boolean => {
    // What was parsed together with the request that was one too many.
    if (socket.destroyed) return false;
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > most()) {
      closed.add([]);
      socket.destroy();
      return false;
    }
    waiting.set(socket, count);
    response.once("close", () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    return true;
  };
}
