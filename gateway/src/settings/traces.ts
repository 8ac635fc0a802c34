import { ConfigError } from "../lib/config-error.ts";
import { readCount, readUrl, readWord } from "./setting.ts";

/** Where spans go. */
export type Traces = {
  readonly url: string;
  readonly protocol: "http/protobuf" | "http/json";
  /** The part of all traces that is kept, 0 to 1. */
  readonly ratio: number;
  /** How long spans are gathered before they are sent, milliseconds, and how many may wait. */
  readonly delayMs: number;
  readonly queue: number;
};

/** The standard names (OpenTelemetry, environment variables). A value that cannot be obeyed is refused, not ignored. */
export function readTraces(env: NodeJS.ProcessEnv): Traces | null {
  const readNamed = (name: string) =>
    [`OTEL_EXPORTER_OTLP_TRACES_${name}`, `OTEL_EXPORTER_OTLP_${name}`].find((candidate) => env[candidate]);
  const exporter = readWord(env, "OTEL_TRACES_EXPORTER", ["otlp", "none"]);
  const isDisabled = readWord({ OTEL_SDK_DISABLED: env.OTEL_SDK_DISABLED?.toLowerCase() }, "OTEL_SDK_DISABLED", [
    "true",
    "false",
  ]);
  // All are read, so that a wrong one is refused before the day on which tracing is turned on.
  const traces = {
    url:
      readUrl(env, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") ??
      `${readUrl(env, "OTEL_EXPORTER_OTLP_ENDPOINT") ?? "http://localhost:4318"}/v1/traces`,
    protocol:
      readWord(env, readNamed("PROTOCOL") ?? "OTEL_EXPORTER_OTLP_PROTOCOL", ["http/protobuf", "http/json"]) ??
      ("http/protobuf" as const),
    ratio: readSampler(env),
    delayMs: readCount(env, "OTEL_BSP_SCHEDULE_DELAY", 5_000),
    queue: readCount(env, "OTEL_BSP_MAX_QUEUE_SIZE", 2_048),
  };
  const isWanted = (exporter ?? (readNamed("ENDPOINT") === undefined ? "none" : "otlp")) === "otlp";
  return isWanted && isDisabled !== "true" ? traces : null;
}

/**
 * The part that is kept. A span never has a parent outside this program, so samplers that consult a parent behave like
 * those that do not.
 */
function readSampler(env: NodeJS.ProcessEnv): number {
  const name = env.OTEL_TRACES_SAMPLER || "parentbased_always_on";
  const kind = name.replace(/^parentbased_/, "");
  const ratio = Number(env.OTEL_TRACES_SAMPLER_ARG || "1");
  if (!(ratio >= 0 && ratio <= 1 && /\d/.test(env.OTEL_TRACES_SAMPLER_ARG || "1"))) {
    throw new ConfigError(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "${env.OTEL_TRACES_SAMPLER_ARG}"`);
  }
  if (kind === "always_on") return 1;
  if (kind === "always_off") return 0;
  if (kind === "traceidratio") return ratio;
  throw new ConfigError(`OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio, not "${name}"`);
}
