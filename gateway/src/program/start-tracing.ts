import type { Logger } from "pino";
import { systemClock } from "../context.ts";
import { ConfigError } from "../lib/config-error.ts";
import { within } from "../lib/within.ts";
import type { Config } from "../settings/config.ts";
import { createTracing, NO_TRACING, type Tracing } from "../telemetry/tracing.ts";
import type { Cleanup } from "./cleanup.ts";

/** Loads the library only if it is needed: it costs half a second of a start, and 40 MB. */
export async function startTracing({ traces }: Config, log: Logger, cleanup: Cleanup): Promise<Tracing> {
  if (traces === null) return NO_TRACING;
  const { createOtlpSink } = await import("../telemetry/otlp.ts").catch((error: unknown) => {
    if ((error as { code?: string }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new ConfigError(
      "traces are on (OTEL_EXPORTER_OTLP_ENDPOINT) and their packages are not installed: add --workspace @pixgate/traces to npm ci, or --build-arg TRACES=yes to the image's build; OTEL_TRACES_EXPORTER=none switches them off",
    );
  });
  const complain = (message: string) => log.warn({ reason: message }, "spans cannot be sent");
  const tracing = createTracing(createOtlpSink({ ...traces, now: systemClock.now }, complain));
  cleanup.add(() => within(1_000, tracing.close()));
  return tracing;
}
