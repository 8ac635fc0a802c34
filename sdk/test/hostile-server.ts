import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** What the server does to one request. `…After` acts first, so that the client cannot know. */
export type Fault =
  | "none"
  | "resetBefore"
  | "resetAfter"
  | "hangAfter"
  | "halfAnswer"
  | "limited"
  | "errorBefore"
  | "errorAfter"
  | "overloaded"
  | "gatewayTimeout"
  | "expired"
  | "inProgress";

type Seen = { method: string; path: string; key: string | null; body: string };

/** A server with the gateway's rules of tokens and keys, that breaks on command. It counts what it really did. */
export type HostileServer = {
  readonly baseUrl: string;
  /** Every request but logins, in the order of arrival. */
  readonly requests: Seen[];
  /** Bodies that were acted on: a duplicate would be here twice. */
  readonly effects: string[];
  /** How often each fault was played. */
  readonly played: Map<Fault, number>;
  logins: number;
  /** Next faults, in order; then `otherwise`. */
  queue: Fault[];
  otherwise: (request: Seen) => Fault;
  /** Answers in place of 201, where it gives one. */
  refuse:
    | ((request: Seen) => { status: number; code: string; headers?: Record<string, string>; details?: object } | null)
    | null;
  /** Logins that fail first. */
  failLogins: number;
  close(): Promise<void>;
};

export async function hostileServer(): Promise<HostileServer> {
  const answers = new Map<string, { id: string }>();
  let token = "token-0";
  const server = createServer((request, response) => void serve(request, response));
  const it: HostileServer = {
    baseUrl: "",
    requests: [],
    effects: [],
    played: new Map(),
    logins: 0,
    queue: [],
    otherwise: () => "none",
    refuse: null,
    failLogins: 0,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const { method = "", url = "" } = request;
    if (url === "/v2/auth") return login(response);
    const key = (request.headers["idempotency-key"] as string | undefined) ?? null;
    const seen = { method, path: url, key, body };
    it.requests.push(seen);
    if (request.headers.authorization !== `Bearer ${token}`) return fail(response, 401, "TOKEN_EXPIRED");
    const refusal = it.refuse?.(seen);
    if (refusal) return fail(response, refusal.status, refusal.code, refusal.headers, refusal.details);
    const fault = it.queue.shift() ?? it.otherwise(seen);
    it.played.set(fault, (it.played.get(fault) ?? 0) + 1);
    play(fault, seen, response);
  }

  function login(response: ServerResponse): void {
    it.logins += 1;
    if (it.failLogins > 0) {
      it.failLogins -= 1;
      response.destroy();
      return;
    }
    token = `token-${it.logins}`;
    send(response, 200, { access_token: token, token_type: "Bearer", expires_in: 300 });
  }

  function act({ method, key, body }: Seen): { id: string } {
    const known = key === null ? undefined : answers.get(key);
    if (known !== undefined) return known;
    if (method !== "GET") it.effects.push(body);
    const answer = { id: `object-${it.effects.length}` };
    if (key !== null) answers.set(key, answer);
    return answer;
  }

  function play(fault: Fault, seen: Seen, response: ServerResponse): unknown {
    switch (fault) {
      case "resetBefore":
        return response.destroy();
      case "limited":
        return fail(response, 429, "RATE_LIMITED", { "retry-after": "0" });
      case "overloaded":
        return fail(response, 503, "OVERLOADED", { "retry-after": "0" });
      case "errorBefore":
        return fail(response, 500, "INTERNAL_ERROR", { "retry-after": "0" }, { retryable: true });
      case "inProgress":
        return fail(response, 409, "IDEMPOTENCY_IN_PROGRESS", { "retry-after": "0" }, { retryable: true });
      case "expired":
        token = "somebody else's";
        return fail(response, 401, "TOKEN_EXPIRED");
    }
    const answer = act(seen);
    switch (fault) {
      case "resetAfter":
        return response.destroy();
      case "hangAfter":
        return null;
      case "halfAnswer": {
        const whole = JSON.stringify(answer);
        response.writeHead(201, { "content-type": "application/json", "content-length": whole.length });
        return response.write(whole.slice(0, whole.length / 2), () => response.destroy());
      }
      case "errorAfter":
        return fail(response, 500, "INTERNAL_ERROR", {}, { retryable: true });
      case "gatewayTimeout":
        return response.writeHead(504, { "content-type": "text/html" }).end("<h1>504</h1>");
      default:
        return send(response, 201, answer);
    }
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(it, { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

function fail(
  response: ServerResponse,
  status: number,
  code: string,
  headers: Record<string, string> = {},
  details: object = {},
): void {
  const body = { statusCode: status, error: "Error", message: `It is ${code}.`, details: { code, ...details } };
  send(response, status, { ...body, timestamp: new Date(0).toISOString(), traceId: "trace-1" }, headers);
}
