/** A real HTTP server that plays a PSP, with the answers that the test sets. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { ApiPixSettings } from "../../src/psp/api-pix/config.ts";

export type Heard = {
  readonly method: string;
  /** Including the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

/** JSON, raw text, or a function that writes the response. */
export type Said =
  | { readonly status?: number; readonly json: unknown }
  | { readonly status?: number; readonly text: string; readonly type?: string }
  | ((response: ServerResponse, request: IncomingMessage) => void);

type WireServer = {
  readonly origin: string;
  /** Calls of the API, in order. */
  readonly heard: Heard[];
  /** Calls of the token endpoint, in order. */
  readonly tokenCalls: Heard[];
  /** The API's answer to the nth call (from 0); tests replace it as they go. */
  answer: (heard: Heard, n: number) => Said;
  /** The token endpoint's answer to the nth call (from 0). */
  token: (heard: Heard, n: number) => Said;
  /** Settings of an adapter that calls this server. */
  readonly settings: ApiPixSettings;
};

export async function startWireServer(t: TestContext): Promise<WireServer> {
  const heard: Heard[] = [];
  const tokenCalls: Heard[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const call = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
      const isToken = call.path.startsWith("/oauth/token");
      const calls = isToken ? tokenCalls : heard;
      calls.push(call);
      const said = (isToken ? wire.token : wire.answer)(call, calls.length - 1);
      if (typeof said === "function") said(response, request);
      else if ("json" in said) {
        response.writeHead(said.status ?? 200, { "content-type": "application/json" }).end(JSON.stringify(said.json));
      } else response.writeHead(said.status ?? 200, { "content-type": said.type ?? "text/html" }).end(said.text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const wire: WireServer = {
    origin,
    heard,
    tokenCalls,
    answer: () => ({ status: 500, text: "no answer was scripted" }),
    token: (_heard, n) => ({ json: { access_token: `token-${n}`, token_type: "Bearer", expires_in: 3600 } }),
    settings: {
      baseUrl: `${origin}/v2`,
      tokenUrl: `${origin}/oauth/token`,
      clientId: "client",
      clientSecret: "s3cr3t",
      pixKey: "6f1b1c2e-8c3b-4a57-9a54-2d1d6f0b9a11",
      timeoutMs: 30_000,
      tokenTimeoutMs: 30_000,
    },
  };
  return wire;
}
