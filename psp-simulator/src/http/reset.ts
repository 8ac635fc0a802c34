import type { Server } from "node:http";
import type { Socket } from "node:net";

/** TCP connections by the caller's address: a connection with TLS cannot be reset itself, only the one beneath it. */
export type Connections = Map<string, Socket>;

const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/** Keeps the connections of a server for as long as they are open. */
export function followConnections(connections: Connections, server: Server): void {
  server.on("connection", (socket: Socket) => {
    const name = nameOf(socket);
    connections.set(name, socket);
    socket.once("close", () => connections.get(name) === socket && connections.delete(name));
  });
}

/** A TCP reset, not an orderly end: what a client sees when a bank's front end dies. */
export function reset(connections: Connections, socket: Socket): void {
  (connections.get(nameOf(socket)) ?? socket).resetAndDestroy();
}
