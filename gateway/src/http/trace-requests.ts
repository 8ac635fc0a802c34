import type { FastifyInstance } from "fastify";
import type { Scope, Tracing } from "../telemetry/tracing.ts";
import { perRequest } from "./per-request.ts";

/** Machines poll these every few seconds; nobody searches for their spans. */
const NOT_TRACED = new Set(["/healthz", "/readyz", "/metrics"]);

/** A span for each request, in which its handler runs. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  const scopes = perRequest<Scope>("span");

  app.addHook("onRequest", (request, _reply, done) => {
    const { traceparent } = request.headers;
    if (!NOT_TRACED.has(request.routeOptions.url ?? "")) {
      scopes.set(request, tracing.open(request.id, typeof traceparent === "string" ? traceparent : undefined));
    }
    done();
  });
  // The last hook before the handler, which runs inside `done`. In an earlier hook, reading the body would lose the scope.
  app.addHook("preHandler", (request, _reply, done) => {
    const scope = scopes.get(request);
    if (scope === undefined) done();
    else tracing.enter(scope, done);
  });
  app.addHook("onResponse", (request, reply, done) => {
    const scope = scopes.get(request);
    if (scope === undefined) return done();
    // The route's pattern, not the path: paths contain references and secrets.
    const route = request.routeOptions.url ?? "unknown";
    tracing.shut(scope, {
      name: `${request.method} ${route}`,
      kind: "server",
      attributes: {
        "http.request.method": request.method,
        "http.route": route,
        "http.response.status_code": reply.statusCode,
      },
      failed: reply.statusCode >= 500,
    });
    done();
  });
}
