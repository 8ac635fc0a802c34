import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { Raw } from "./answer.ts";
import { booksMeters } from "./books-meters.ts";
import { joinCalls } from "./join-calls.ts";
import type { PublicRoutes } from "./scopes/public.ts";

/** Most rows that a gauge counts, so that a scrape stays cheap. */
const MOST = 100_000;

/** Counts answers by the route's pattern. Never by the path, which contains ids and references. */
export function createHttpMeters(metrics: Metrics) {
  const requests = metrics.counter({
    name: "pixgate_http_requests_total",
    help: "Answered HTTP requests.",
    labels: ["method", "route", "status"],
  });
  const times = metrics.histogram({
    name: "pixgate_http_request_seconds",
    help: "Time from a request's head to the end of its answer, seconds.",
    labels: ["method", "route"],
  });
  return (method: string, route: string, status: number, ms: number): void => {
    requests.add([method, route, status]);
    times.observe([method, route], ms / 1000);
  };
}

/** `GET /metrics`, for Prometheus. */
export function metricsRoute(route: PublicRoutes, ctx: Context): void {
  const { metrics } = ctx;
  const waiting = async (query: ReturnType<typeof sql>): Promise<number> =>
    (await ctx.db.query<{ waiting: number }>(query)).rows[0]?.waiting ?? 0;
  // A cluster cannot read rows without columns from all shards.
  metrics.gauge({
    name: "pixgate_inbox_pending",
    help: `Notifications of PSPs that are not applied yet; counted up to ${MOST}.`,
    read: () =>
      waiting(sql`
        select count(*)::integer as waiting from (select account_id from inbox where status = 'pending' limit ${MOST}) as pending`),
  });
  metrics.gauge({
    name: "pixgate_deliveries_pending",
    help: `Webhook deliveries that are not finished; counted up to ${MOST}.`,
    read: () =>
      waiting(sql`
        select count(*)::integer as waiting from (select account_id from deliveries where status = 'pending' limit ${MOST}) as pending`),
  });
  metrics.gauge({
    name: "pixgate_audit_findings_open",
    help: `Places where the auditor found the books broken, and nobody has acted yet; counted up to ${MOST}.`,
    read: () =>
      waiting(sql`
        select count(*)::integer as waiting from (select account_id from audit_findings where status = 'open' limit ${MOST}) as found`),
  });
  metrics.gauge({
    name: "pixgate_audit_age_seconds",
    help: "Time since the auditor last checked what had been booked, seconds; 0 before its first check.",
    read: async () => {
      const { rows } = await ctx.db.query<{ checked_at: Date | null }>(sql`
        select checked_at from audits where mode = 'fresh'`);
      const at = rows[0]?.checked_at;
      return at ? (ctx.clock.now() - at.getTime()) / 1000 : 0;
    },
  });
  booksMeters(ctx);
  processMeters(metrics);

  // Concurrent scrapes share one rendering.
  const render = joinCalls(async () =>
    Buffer.from(await metrics.render((err, metric) => ctx.log.warn({ err, metric }, "a metric could not be read"))),
  );
  route({
    method: "GET",
    path: "/metrics",
    operationId: "readMetrics",
    work: "state",
    summary: "The metrics of this process, for Prometheus",
    handle: async () => new Raw("text/plain; version=0.0.4; charset=utf-8", await render()),
  });
}

function processMeters(metrics: Metrics): void {
  const gauge = (name: string, help: string, read: () => number, type?: "counter") =>
    metrics.gauge({ name, help, read, ...(type && { type }) });
  gauge("process_resident_memory_bytes", "Memory of this process.", () => process.memoryUsage.rss());
  gauge("nodejs_heap_used_bytes", "Used heap of V8.", () => process.memoryUsage().heapUsed);
  gauge("process_uptime_seconds", "Time since this process has started, seconds.", () => process.uptime());
  const cpu = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  };
  gauge("process_cpu_seconds_total", "CPU time of this process, user and system, seconds.", cpu, "counter");
}
