import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Context } from "../context.ts";
import { LIMITS } from "../lib/limits.ts";
import { limitConnections, limitPipelining } from "./connections.ts";
import { errorBody, overloaded } from "./errors.ts";
import { LOGIN_OVERLOADED } from "./scopes/login.ts";

/** Milliseconds between two log lines about refused calls. */
const LOG_EVERY = 1_000;

/**
 * Limits connections, and refuses excess calls before the server does anything else for them. At three times the load that
 * a process can serve, refusals that went through routing, hooks and token would use the CPU that admitted calls need
 * (docs/decisions/0017-admission.md). An accepted call is counted later, when it is authenticated and received whole
 * (http/route.ts).
 *
 * @param accountOf the account of an Authorization header that was verified before; null: not known.
 */
export function guard(
  server: Server,
  ctx: Pick<Context, "admission" | "clock" | "config" | "log" | "metrics" | "unread">,
  accountOf: (authorization: string | undefined) => string | null,
): void {
  const { admission, clock, log } = ctx;
  const mayConnect = limitConnections(server, ctx);
  const fitsPipeline = limitPipelining(ctx.metrics, () => ctx.unread.pipelined);
  const handlers = server.listeners("request") as ((request: IncomingMessage, response: ServerResponse) => void)[];
  server.removeAllListeners("request");
  let loggedAt = Number.NEGATIVE_INFINITY;
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!mayConnect(request, response) || !fitsPipeline(request, response)) return;
    // Health, metrics, operators and notifications of PSPs are always admitted.
    if (request.url?.startsWith("/v2/")) {
      const toPsp = request.method === "POST" && CHARGES.test(request.url);
      if (admission.refuses(accountOf(request.headers.authorization), toPsp)) {
        const now = performance.now();
        if (now - loggedAt > LOG_EVERY) {
          loggedAt = now;
          log.warn({ waiting: admission.waiting() }, "calls are refused: too many are waiting");
        }
        return refuse(request.url, response, clock.date());
      }
    }
    for (const handle of handlers) handle.call(server, request, response);
  });
  // Ignores an unknown `Expect` header: Node's own answer would not be the standard one, and would not be counted.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
}

const CHARGES = /^\/v2\/pix\/?(\?|$)/;
/** The login has an error body of its own. */
const AUTH = /^\/v2\/auth\/?(\?|$)/;
const REFUSAL = overloaded();
/** The standard body without its last two fields, the only ones that differ: a refusal builds nothing. */
const STANDARD = JSON.stringify({
  ...errorBody(REFUSAL, "", new Date(0)),
  timestamp: undefined,
  traceId: undefined,
}).slice(0, -1);
const OF_AUTH = JSON.stringify(LOGIN_OVERLOADED);

function refuse(url: string, response: ServerResponse, now: Date): void {
  // Like every other answer (http/server.ts).
  response.socket?.setTimeout(LIMITS.answerProgress);
  const traceId = randomUUID();
  const body = AUTH.test(url) ? OF_AUTH : `${STANDARD},"timestamp":"${now.toISOString()}","traceId":"${traceId}"}`;
  response
    .writeHead(REFUSAL.status, {
      ...REFUSAL.headers,
      "content-type": "application/json; charset=utf-8",
      "content-length": body.length,
      "x-request-id": traceId,
    })
    .end(body);
}
