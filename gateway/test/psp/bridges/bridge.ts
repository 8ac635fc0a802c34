/**
 * A bank with an API of its own, for the contract: a server that speaks the bank's API in front and drives the simulator's API
 * Pix behind. So the simulator's books, faults and control API stand behind every dialect.
 *
 * A bridge translates what the simulator says on purpose. What it says as a fault (a reset, silence, 5xx, "too many", half an
 * answer, a proxy's 404) goes to the client as it came.
 */
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fetch } from "undici";

/** The simulator that a bridge drives. */
type Simulated = {
  readonly url: string;
  readonly credentials: { readonly clientId: string; readonly clientSecret: string; readonly pixKey: string };
};

/** What a bank's client sent. */
export type Heard = {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The groups of the route's pattern, decoded. */
  readonly ids: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** As JSON; undefined where it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a bridge reads the client's fields one by one, and a wrong one fails its test
  readonly body: any;
  readonly raw: string;
};

/** The bank's answer: JSON, or nothing where `body` is left out. */
export type Answer = { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> };

/** What the simulator answered, where it was no fault. */
// biome-ignore lint/suspicious/noExplicitAny: as above, of the simulator's fields
export type Behind = { readonly status: number; readonly body: any };

export type Back = {
  readonly credentials: Simulated["credentials"];
  /** The address at which the bridge receives what the simulator notifies (`Dialect.notified`). */
  readonly callbackUrl: string;
  /** Calls the simulator's API Pix, a path such as `/v2/cob/…`. A fault of the simulator ends the client's call. */
  call(method: string, path: string, body?: unknown): Promise<Behind>;
  /** Posts a notification of the bank's; whether it arrives is the receiver's affair. */
  post(url: string, body: string, headers?: Record<string, string>): Promise<void>;
};

type Handle = (heard: Heard, back: Back) => Answer | Promise<Answer>;

export type Dialect = {
  /** A refusal for a call without the right credentials; null: it may pass. */
  refuses?(heard: Heard): Answer | null;
  /** By method and path; groups of a pattern are ids. The first that matches counts. */
  readonly routes: readonly (readonly [method: string, path: RegExp, handle: Handle])[];
  /** Translates what the simulator notifies (`{ pix: […] }`) and posts it (`Back.post`). */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  notified?(body: any, back: Back): Promise<void>;
};

export type Bridge = {
  readonly url: string;
  close(): Promise<void>;
};

const CALLBACKS = "/callbacks-of-the-simulator";

/** How a fault goes on to the client. */
class Fault extends Error {
  readonly play: (response: ServerResponse) => void;
  constructor(play: (response: ServerResponse) => void) {
    super("a fault of the simulator");
    this.play = play;
  }
}

export async function startBridge(simulated: Simulated, dialect: Dialect): Promise<Bridge> {
  const token = await fetchToken(simulated);
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      if (error instanceof Fault) return error.play(response);
      response.writeHead(599).end(JSON.stringify({ bridge: String(error) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const back: Back = {
    credentials: simulated.credentials,
    callbackUrl: `${url}${CALLBACKS}`,
    call: (method, path, body) => callSimulator(simulated.url, token, method, path, body),
    async post(to, body, headers = {}) {
      const sent = { "content-type": "application/json", ...headers };
      await fetch(to, { method: "POST", body, headers: sent }).catch(() => {});
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const heard = await hear(request);
    if (heard.path.startsWith(CALLBACKS)) {
      response.end();
      await dialect.notified?.(heard.body, back);
      return;
    }
    const refusal = dialect.refuses?.(heard) ?? null;
    const { status, body, headers } = refusal ?? (await serve(heard));
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  }

  async function serve(heard: Heard): Promise<Answer> {
    for (const [method, path, handle] of dialect.routes) {
      const ids = method === heard.method ? path.exec(heard.path) : null;
      if (ids !== null) return handle({ ...heard, ids: ids.slice(1).map(decodeURIComponent) }, back);
    }
    return { status: 404, body: { bridge: `no ${heard.method} ${heard.path}` } };
  }

  return {
    url,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function fetchToken({ url, credentials }: Simulated): Promise<string> {
  const { clientId, clientSecret } = credentials;
  const response = await fetch(`${url}/oauth/token`, {
    method: "POST",
    headers: {
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: "grant_type=client_credentials",
  });
  const { access_token } = (await response.json()) as { access_token?: string };
  assert.ok(access_token, "the simulator gives the bridge a token");
  return access_token;
}

async function callSimulator(
  url: string,
  token: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Behind> {
  const reset = new Fault((response) => response.destroy());
  const answered = await fetch(`${url}${path}`, {
    method,
    // A connection of its own: the simulator resets some, and none may be met that is just being closed.
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", connection: "close" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw reset;
  });
  const text = await answered.text().catch(() => {
    throw reset;
  });
  const { status } = answered;
  const type = answered.headers.get("content-type") ?? "application/json";
  const said = text === "" ? undefined : readJson(text);
  const isProxys = status === 404 && said !== undefined && "error" in said && !("nome" in said);
  if (status >= 500 || status === 429 || isProxys || (text !== "" && said === undefined)) {
    throw new Fault((response) => response.writeHead(status, { "content-type": type }).end(text));
  }
  return { status, body: said };
}

async function hear(request: IncomingMessage): Promise<Heard> {
  let raw = "";
  for await (const chunk of request.setEncoding("utf8")) raw += chunk;
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://bridge");
  const { method = "", headers } = request;
  return { method, path: pathname, ids: [], query: searchParams, headers, body: readJson(raw), raw };
}

function readJson(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** `"25.90"` of API Pix as 2590. */
export const centavosIn = (valor: string): number => Number(valor.replace(".", ""));

/** 2590 as `"25.90"`. */
export const valorOf = (centavos: number): string => {
  const digits = String(centavos).padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
};
