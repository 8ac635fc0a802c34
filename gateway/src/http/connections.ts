import type { Server } from "node:http";
import type { Socket } from "node:net";
import { LIMITS } from "../config.ts";
import type { Context } from "../context.ts";
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
