import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Socket, type Server as TcpServer } from "node:net";

/** A receiver that is not as it should be, with what it has seen. */
export type Strange = {
  readonly url: string;
  readonly port: number;
  requests: number;
  connections: number;
  written: number;
};

/** A key and a self-signed certificate for localhost and 127.0.0.1; for tests only. */
type Certificate = { readonly key: string; readonly cert: string };

/** Starts receivers, and ends all of them together. */
export class StrangeReceivers {
  readonly #servers: (Server | TcpServer)[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #timers = new Set<NodeJS.Timeout>();

  http(
    listener: (
      request: Parameters<RequestListener>[0],
      response: Parameters<RequestListener>[1],
      strange: Strange,
    ) => void,
  ): Promise<Strange> {
    return this.#listen((strange) =>
      createServer((request, response) => {
        strange.requests += 1;
        request.resume();
        response.on("error", () => {});
        listener(request, response, strange);
      }),
    );
  }

  https(certificate: Certificate, host = "127.0.0.1"): Promise<Strange> {
    return this.#listen(
      (strange) =>
        createSecureServer(certificate, (_request, response) => {
          strange.requests += 1;
          response.end();
        }),
      "https",
      host,
    );
  }

  tcp(listener: (socket: Socket) => void): Promise<Strange> {
    return this.#listen(() => createTcpServer(listener));
  }

  /** Answers with a status. */
  answering(status: number, headers: Record<string, string> = {}): Promise<Strange> {
    return this.http((_request, response) => void response.writeHead(status, headers).end());
  }

  /** Takes the request and says nothing. */
  hanging(): Promise<Strange> {
    return this.http(() => {});
  }

  /** Writes one piece after another, `ms` apart, for ever. */
  dripping(ms: number, write: (socket: Socket) => void): Promise<Strange> {
    return this.tcp((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => {
        const timer = setInterval(() => write(socket), ms);
        this.#timers.add(timer);
        socket.once("close", () => clearInterval(timer));
      });
    });
  }

  async #listen(make: (strange: Strange) => Server | TcpServer, scheme = "http", host = "127.0.0.1"): Promise<Strange> {
    const strange = { url: "", port: 0, requests: 0, connections: 0, written: 0 };
    const server = make(strange);
    server.on("connection", (socket: Socket) => {
      strange.connections += 1;
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => {
        strange.written += socket.bytesWritten;
        this.#sockets.delete(socket);
      });
    });
    server.on("tlsClientError", () => {});
    this.#servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    strange.port = (server.address() as AddressInfo).port;
    strange.url = `${scheme}://${host}:${strange.port}/hook`;
    return strange;
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
