/**
 * The only module that imports OpenTelemetry: samples spans by their trace's id, and sends them in batches over OTLP/HTTP.
 * The library itself reads the exporter's headers, time-out, compression and certificates (OTEL_EXPORTER_OTLP_*).
 */

import { DiagLogLevel, diag, ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from "@opentelemetry/api";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  RandomIdGenerator,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { EndedSpan, SpanSink } from "./tracing.ts";

type OtlpOptions = {
  /** The whole address that spans are sent to. */
  readonly url: string;
  readonly protocol: "http/protobuf" | "http/json";
  /** Part of all traces that is kept, 0 to 1. */
  readonly ratio: number;
  /** Milliseconds that spans are gathered. */
  readonly delayMs: number;
  /** Most spans that wait to be sent; further ones are dropped. */
  readonly queue: number;
  /** Unix milliseconds. */
  readonly now: () => number;
};

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;
/** A collector that is down must not fill the log: at most one line in this time, milliseconds. */
const COMPLAIN_EVERY = 60_000;
/** The wall clock may move this far from the process's own clock before spans follow it, milliseconds. */
const DRIFT = 20;

/** Makes the sink; calls `complain`, once a minute at most, when spans could not be sent. */
export function createOtlpSink(options: OtlpOptions, complain: (message: string) => void): SpanSink {
  let complainedAt = Number.NEGATIVE_INFINITY;
  const say = (message: string) => {
    if (performance.now() - complainedAt < COMPLAIN_EVERY) return;
    complainedAt = performance.now();
    complain(String(message).slice(0, 300));
  };
  diag.setLogger(
    { error: say, warn: say, info: () => {}, debug: () => {}, verbose: () => {} },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );

  const random = new RandomIdGenerator();
  // tracing.ts has chosen the ids; spans of the SDK are created after they have ended, one at a time.
  let next = { traceId: "", spanId: "" };
  const sampler = new TraceIdRatioBasedSampler(options.ratio);
  const exporter = new (options.protocol === "http/json" ? JsonExporter : ProtobufExporter)({ url: options.url });
  const provider = new TracerProvider({
    sampler,
    idGenerator: { generateTraceId: () => next.traceId, generateSpanId: () => next.spanId },
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "pixgate" }))
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes({ "process.pid": process.pid })),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: options.delayMs,
        maxQueueSize: options.queue,
        maxExportBatchSize: Math.min(512, options.queue),
      }),
    ],
  });
  const tracer = provider.getTracer("pixgate");
  // One offset for all: a span must not begin before the one that contains it.
  let offset = options.now() - performance.now();

  function write(span: EndedSpan): void {
    const { traceId, spanId, parentSpanId, kind, name, start, end, attributes, links, failed } = span;
    next = { traceId, spanId };
    const drifted = options.now() - performance.now();
    if (Math.abs(drifted - offset) > DRIFT) offset = drifted;
    const parent =
      parentSpanId === null
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId: parentSpanId, traceFlags: TraceFlags.SAMPLED });
    const made = tracer.startSpan(
      name,
      {
        kind: KINDS[kind],
        startTime: start + offset,
        attributes: { ...attributes },
        links: links.map((context) => ({ context: { ...context, traceFlags: TraceFlags.SAMPLED } })),
      },
      parent,
    );
    if (failed) made.setStatus({ code: SpanStatusCode.ERROR });
    made.end(end + offset);
  }

  return {
    keeps: (traceId) => sampler.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED,
    write,
    newTraceId: () => random.generateTraceId(),
    newSpanId: () => random.generateSpanId(),
    close: () => provider.shutdown().catch((error: unknown) => say(String(error))),
  };
}
