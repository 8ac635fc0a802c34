import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import type { Logger } from "pino";
import { Type } from "typebox";
import type { Context } from "../context.ts";
import { OverloadedError } from "../db/batch.ts";
import { isTransient, levelOf } from "../db/pool.ts";
import { LIMITS } from "../lib/limits.ts";
import { noteRefusal } from "./caller-of.ts";
import { AnswerObject, addComponents, allComponents, sharedCompilers } from "./contract.ts";
import { ApiError, databaseUnavailable, errorBody, invalid, overloaded } from "./errors.ts";
import { clientAddress } from "./ip.ts";
import { createHttpMeters } from "./metrics-route.ts";
import { dropUnprovenHops } from "./proxy-secret.ts";
import { notJson, takeJson } from "./take-json.ts";
import { traceRequests } from "./trace-requests.ts";

/** Statuses of answers to callers who were not admitted. */
const STRANGERS: ReadonlySet<number> = new Set([401, 403, 429]);

// Registered for the routes' error schemas, which refer to it by name.
AnswerObject("Error", "The standard error body.", {
  statusCode: Type.Integer({ minimum: 400, maximum: 599, description: "HTTP status." }),
  error: Type.String({ description: "Short name of the status." }),
  message: Type.String({ description: "What is wrong, for people." }),
  details: Type.Object(
    {
      code: Type.String({ description: "Machine code; the list is in the description of each answer." }),
      issues: Type.Optional(
        Type.Array(
          Type.Object({
            path: Type.String({ description: "The field, such as `customer.email` or `split[1].amount`." }),
            message: Type.String({ description: "The rule it breaks." }),
          }),
          { description: "Which fields break which rule, 20 at most." },
        ),
      ),
      truncated: Type.Optional(
        Type.Boolean({
          description: "Whether there may be more issues than are listed: the rest of the body was not read.",
        }),
      ),
    },
    { additionalProperties: true, description: "The machine code and what belongs to it." },
  ),
  timestamp: Type.String({ format: "date-time", description: "When it happened." }),
  traceId: Type.String({ description: "Equals the X-Request-Id header; finds the log line." }),
});

type Times = Readonly<Record<"requestHead" | "requestWhole" | "requestCheck" | "answerProgress", number>>;
type Serving = Pick<Context, "clock" | "clockCheck" | "config" | "ids" | "log" | "metrics" | "tracing">;
type Refuse = (refusal: ApiError, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/**
 * A server without routes but with our rules: strict JSON, the standard error body, a trace id on every answer, 405 where
 * the path exists with other methods.
 */
export function createServer(ctx: Serving, times: Times = LIMITS): FastifyInstance {
  const refuse: Refuse = (refusal, request, reply) => {
    noteRefusal(request, refusal.code);
    return reply
      .code(refusal.status)
      .headers(refusal.status === 401 ? { "www-authenticate": "Bearer", ...refusal.headers } : refusal.headers)
      .header("content-type", "application/json; charset=utf-8")
      .serializer(JSON.stringify)
      .send(errorBody(refusal, request.id, ctx.clock.date()));
  };

  const app = createFastify(ctx, times, refuse);
  addComponents(app, allComponents());
  const { validator, serializer } = sharedCompilers();
  app.setValidatorCompiler(validator);
  app.setSerializerCompiler(serializer);
  takeJson(app);

  dropUnprovenHops(app, ctx.config.proxySecret);
  // Hooks of every request use callbacks, since a promise costs more than the hook's work (docs/performance/charge.md).
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    done();
  });
  // Node counts every byte that leaves as progress, and restores its keep-alive timeout after the answer. A call within a
  // round of the console has no connection of its own.
  app.addHook("onSend", ({ raw: { socket } }, _reply, _payload, done) => {
    if ("setTimeout" in socket) socket.setTimeout(times.answerProgress);
    done();
  });
  refuseWhileStopping(app);
  refuseByWrongClock(app, ctx.clockCheck);
  reportAnswers(app, ctx);
  if (ctx.tracing.on) traceRequests(app, ctx.tracing);
  refuseUnknownRoutes(app);

  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = toApiError(error, request);
    if (refusal.status >= 500 && !(error instanceof ApiError)) {
      request.log[levelOf(error)]({ err: error }, "a request failed");
    }
    return refuse(refusal, request, reply);
  });
  return app;
}

function createFastify(ctx: Serving, times: Times, refuse: Refuse): FastifyInstance {
  return Fastify({
    // Everything that is used of it exists; Fastify's type wants its own copy of pino's.
    loggerInstance: ctx.log as Logger as never,
    // `reportAnswers` below writes one line for each answer.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "traceId" }),
    bodyLimit: LIMITS.bodyBytes,
    // Ids begin with the time: the request log is read and deleted by them (request-log/list.ts).
    genReqId: () => ctx.ids.uuid(),
    trustProxy: false,
    // The maximum of a request's head; a route's schema limits its parameters.
    routerOptions: { maxParamLength: 16 * 1024, ignoreTrailingSlash: true },
    // A path that cannot be decoded reaches no route and no hook. It may be a mistyped secret, so it is treated as one.
    frameworkErrors: (error, request, reply) => {
      const headers = { "x-request-id": request.id, "cache-control": "no-store", "referrer-policy": "no-referrer" };
      refuse(toApiError(error, request), request, reply.headers(headers));
    },
    // A request that node's parser refuses reaches only this handler.
    clientErrorHandler: (error, socket) => answerBroken(error, socket, ctx),
    // Node's answer to requests during a stop is not the standard one; `refuseWhileStopping` answers them.
    return503OnClosing: false,
    requestTimeout: times.requestWhole,
    http: { headersTimeout: times.requestHead, connectionsCheckingInterval: times.requestCheck },
    forceCloseConnections: "idle",
  }) as unknown as FastifyInstance;
}

/**
 * Refuses requests over connections that were open before the stop: nothing has been done, and another process may answer.
 */
function refuseWhileStopping(app: FastifyInstance): void {
  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
  });
  app.addHook("onRequest", (_request, _reply, done) => {
    if (!closing) return done();
    throw new ApiError("OVERLOADED", "The gateway is stopping.", { retryable: true }, { "retry-after": "1" });
  });
}

/** Routes about the process itself. */
const OF_ITSELF: ReadonlySet<string | undefined> = new Set(["/healthz", "/readyz", "/metrics"]);

/**
 * Refuses calls while the clock is wrong, because it decides what is due, over or allowed: another process answers, or this
 * one a moment later.
 */
function refuseByWrongClock(app: FastifyInstance, clockCheck: Serving["clockCheck"]): void {
  app.addHook("onRequest", (request, _reply, done) => {
    if (clockCheck.isRight() || OF_ITSELF.has(request.routeOptions.url)) return done();
    throw new ApiError("OVERLOADED", "The gateway's clock is wrong.", { retryable: true }, { "retry-after": "1" });
  });
}

/** 404 for a path without a route; 405 with the allowed methods where the path has others. */
function refuseUnknownRoutes(app: FastifyInstance): void {
  const patterns: { method: string; pattern: RegExp }[] = [];
  app.addHook("onRoute", ({ method, url }) => {
    const text = url.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:[A-Za-z]+/g, "[^/]+");
    const pattern = new RegExp(`^${text.endsWith("\\*") ? `${NOT_EXACT}${text.slice(0, -2)}.*` : text}/?$`);
    for (const name of [method].flat()) patterns.push({ method: name, pattern });
  });
  const refuseRoute = ({ url }: FastifyRequest): never => {
    const path = url.split("?", 1)[0] as string;
    const allowed = [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))];
    if (allowed.length === 0 || path.endsWith("/")) throw new ApiError("ROUTE_NOT_FOUND");
    throw new ApiError("METHOD_NOT_ALLOWED", undefined, { allowed }, { allow: allowed.join(", ") });
  };
  app.setNotFoundHandler(refuseRoute);
  // Before the body is read: a wrong route is reported before a wrong body.
  app.addHook("onRequest", (request, _reply, done) => {
    if (request.is404 || endsEmpty(request) || onlyByWildcard(request)) refuseRoute(request);
    done();
  });
}

/** Below these prefixes a path is matched exactly. Banks append slashes to the address of their notifications. */
const EXACT = ["/v2/", "/operator/v1/", "/console/api/"];
/** In a pattern: none of these prefixes follows. */
const NOT_EXACT = `(?!${EXACT.join("|")})`;

/**
 * A path with a slash at its end names an object with an empty id, not the list: an empty variable in a merchant's program
 * must not read everything.
 */
function endsEmpty(request: FastifyRequest): boolean {
  const path = request.url.split("?", 1)[0] as string;
  if (!path.endsWith("/")) return false;
  // Judged by the route: the request may name the path in full (`http://…/v2/`) or percent-encoded.
  const { url } = request.routeOptions;
  return EXACT.some((prefix) => url?.startsWith(prefix));
}

/** A path of these prefixes that only the console's `/console/*` matches has no route. */
function onlyByWildcard({ url, params }: FastifyRequest): boolean {
  return "*" in (params as object) && EXACT.some((prefix) => url.startsWith(prefix));
}

/**
 * The reason phrases of the answers below. An import of a value of `node:http` loads everything that Node exports there, its own
 * fetch and WebSocket among them: 0.1 s of a start's CPU and 14 MB.
 */
const REASONS: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};

/** The standard body for a request that is not HTTP, whose head is too large, or that never ends. */
function answerBroken(error: { code?: string }, socket: Socket, { clock, log }: Pick<Context, "clock" | "log">): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const codes = { HPE_HEADER_OVERFLOW: "HEADERS_TOO_LARGE", ERR_HTTP_REQUEST_TIMEOUT: "REQUEST_TIMEOUT" } as const;
  const code = codes[error.code as keyof typeof codes];
  const refusal = code ? new ApiError(code) : invalid("request", "is not HTTP");
  const traceId = randomUUID();
  const body = JSON.stringify(errorBody(refusal, traceId, clock.date()));
  log.info({ traceId, status: refusal.status, cause: error.code }, "answered");
  const head = [
    `HTTP/1.1 ${refusal.status} ${REASONS[refusal.status]}`,
    "content-type: application/json; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${traceId}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}

function toApiError(error: FastifyError | Error, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof OverloadedError) {
    return overloaded();
  }
  if (isTransient(error)) return databaseUnavailable();
  const { code, statusCode } = error as FastifyError;
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") return new ApiError("PAYLOAD_TOO_LARGE");
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return notJson(request);
  if (code === "FST_ERR_BAD_URL") return invalid("path", "is not percent-encoded UTF-8");
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return invalid("request", "is not well-formed");
  return new ApiError("INTERNAL_ERROR");
}

/** Counts every answer, and logs it. Refusals are logged at the default level, so that a traceId finds its line. */
function reportAnswers(app: FastifyInstance, ctx: Pick<Context, "config" | "metrics">): void {
  const count = createHttpMeters(ctx.metrics);
  app.addHook("onResponse", (request, reply, done) => {
    // The route's pattern, not the path: paths contain references and secrets.
    const route = request.routeOptions.url ?? "unknown";
    const line = {
      method: request.method,
      route,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      // The address of a caller who was not admitted, to find a stranger by.
      ...(STRANGERS.has(reply.statusCode) && { address: clientAddress(request, ctx.config.trustedProxies) }),
    };
    count(request.method, route, reply.statusCode, reply.elapsedTime);
    // Refusals have a line at the default level, which a traceId finds.
    if (reply.statusCode >= 500) request.log.warn(line, "answered");
    else if (reply.statusCode >= 400) request.log.info(line, "answered");
    else request.log.debug(line, "answered");
    done();
  });
}
