/** Streamable HTTP: who may call, how much, and for how long. */
import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  isLegacyRequest,
  localhostAllowedHostnames,
  originValidationResponse,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

export type HttpOptions = {
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Every request carries it as `Authorization: Bearer`. */
  readonly token: string;
  /** Names by which clients may call this server, beside those of this machine: for a proxy in front of it. */
  readonly allowedHosts: readonly string[];
};
export type RunningHttp = { readonly url: string; close(): Promise<void> };

/** Limits, in bytes, milliseconds and pieces. */
const HTTP_LIMITS = {
  bodyBytes: 256 * 1024,
  headersMs: 10_000,
  requestMs: 30_000,
  sessions: 64,
  sessionIdleMs: 30 * 60_000,
  connections: 256,
} as const;
const PATH = "/mcp";
const maxRequestBodySize = HTTP_LIMITS.bodyBytes;

/** Serves the protocol at `/mcp`, for clients of the protocol's version of 2026 and, in sessions, for older ones. */
export async function serveHttp(createMcp: () => Server, options: HttpOptions): Promise<RunningHttp> {
  const modern = createMcpHandler(createMcp, { legacy: "reject", maxRequestBodySize });
  const sessions = new Sessions(createMcp);
  const allowed = [...localhostAllowedHostnames(), ...options.allowedHosts];
  const sweep = setInterval(() => sessions.closeIdle(), HTTP_LIMITS.sessionIdleMs / 10).unref();

  async function answer(request: Request): Promise<Response> {
    const refused = hostHeaderValidationResponse(request, allowed) ?? originValidationResponse(request, allowed);
    if (refused !== undefined) return refused;
    if (new URL(request.url).pathname !== PATH) return plain(404, `The protocol is at ${PATH}.`);
    if (!isToken(request.headers.get("authorization"), options.token))
      return plain(401, "The bearer token of this server is missing or wrong.", { "www-authenticate": "Bearer" });
    return (await isLegacyRequest(request, undefined, { maxRequestBodySize }))
      ? sessions.answer(request)
      : modern.fetch(request);
  }

  const server = createServer({ requestTimeout: HTTP_LIMITS.requestMs, headersTimeout: HTTP_LIMITS.headersMs });
  server.maxConnections = HTTP_LIMITS.connections;
  server.on("request", (incoming, outgoing) => void handle(incoming, outgoing, answer));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.port, options.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}${PATH}`,
    async close() {
      clearInterval(sweep);
      await Promise.all([modern.close(), sessions.closeAll()]);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sessions of clients of 2025 and before: a form is answered in the session in which it was asked. */
class Sessions {
  readonly #createMcp: () => Server;
  readonly #open = new Map<string, { readonly transport: WebStandardStreamableHTTPServerTransport; usedAt: number }>();

  constructor(createMcp: () => Server) {
    this.#createMcp = createMcp;
  }

  async answer(request: Request): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null) return this.#begin(request);
    const session = this.#open.get(id);
    if (session === undefined) return plain(404, "There is no such session: begin another one.");
    session.usedAt = Date.now();
    return session.transport.handleRequest(request);
  }

  /** Anything but `initialize` ends with the transport's own refusal. */
  async #begin(request: Request): Promise<Response> {
    this.closeIdle();
    if (this.#open.size >= HTTP_LIMITS.sessions)
      return plain(503, "Too many sessions are open.", { "retry-after": "60" });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize,
      onsessioninitialized: (id) => void this.#open.set(id, { transport, usedAt: Date.now() }),
      onsessionclosed: (id) => void this.#open.delete(id),
    });
    await this.#createMcp().connect(transport);
    const response = await transport.handleRequest(request);
    if (transport.sessionId === undefined) await transport.close();
    return response;
  }

  closeIdle(): void {
    const before = Date.now() - HTTP_LIMITS.sessionIdleMs;
    for (const [id, { transport, usedAt }] of this.#open) {
      if (usedAt >= before) continue;
      this.#open.delete(id);
      void transport.close();
    }
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.values()].map(({ transport }) => transport.close()));
    this.#open.clear();
  }
}

const plain = (status: number, message: string, headers: Record<string, string> = {}): Response =>
  Response.json({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }, { status, headers });

/** Compared by their hashes, in constant time. */
const isToken = (header: string | null, token: string): boolean =>
  timingSafeEqual(hashOf(header ?? ""), hashOf(`Bearer ${token}`));
const hashOf = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Answers a request of Node through a handler of web requests. */
async function handle(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const ended = new AbortController();
  outgoing.on("close", () => ended.abort());
  try {
    const response = await answer(await toRequest(incoming, ended.signal));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body === null) outgoing.end();
    else await pipeline(Readable.fromWeb(response.body as never), outgoing);
  } catch {
    // The client has gone, or sent what is no HTTP. What happened to its call stands in the gateway's own books.
    if (!outgoing.headersSent) outgoing.writeHead(400);
    outgoing.end();
  }
}

async function toRequest(incoming: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const { method = "GET", headers: given } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(given))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  const hasBody = method === "POST";
  const url = new URL(incoming.url ?? "/", "http://localhost");
  const init = hasBody ? { body: Readable.toWeb(incoming) as never, duplex: "half" as const } : {};
  return new Request(url, { method, headers, signal, ...init });
}
