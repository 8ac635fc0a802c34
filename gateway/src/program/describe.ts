/** Describes the routes without a database: they are registered and never called. */
import type { FastifyInstance } from "fastify";
import pino from "pino";
import { type Context, createHints, systemClock } from "../context.ts";
import { ONE_SERVER } from "../db/shards.ts";
import { createAdmission } from "../http/admission.ts";
import { type ListedRoute, listRoutes } from "../http/route.ts";
import type { Config } from "../settings/config.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { NO_TRACING } from "../telemetry/tracing.ts";
import { type AppParts, createApp, describe } from "./app.ts";

/** The published documents (`main.ts openapi`). */
export async function describeApi(config: Config): Promise<Awaited<ReturnType<typeof describe>>> {
  return withRoutes(config, describe);
}

/** Every route with its properties. */
export const describeRoutes = (config: Config): Promise<readonly ListedRoute[]> => withRoutes(config, listRoutes);

async function withRoutes<T>(config: Config, read: (app: FastifyInstance) => T | Promise<T>): Promise<T> {
  const metrics = createMetrics();
  const ctx = {
    config,
    // Nothing is stored; this only says how accounts would be spread.
    db: { shards: ONE_SERVER } as Context["db"],
    clock: systemClock,
    log: pino({ level: "silent" }),
    hints: createHints(),
    metrics,
    admission: createAdmission({ most: config.callsWaiting, metrics, now: () => performance.now() }),
    tracing: NO_TRACING,
  } as Partial<Context>;
  const app = await createApp(ctx as Context, {} as AppParts);
  try {
    return await read(app);
  } finally {
    await app.close();
  }
}
