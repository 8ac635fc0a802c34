import type { PspEvent } from "../psp/bank.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Tracing } from "../telemetry/tracing.ts";

/** Counts the calls of a provider's adapters; each call becomes a span of its cause. */
export function createPspMeters(
  metrics: Metrics,
  tracing: Tracing,
): (provider: string, event: PspEvent, institutionId: string) => void {
  const calls = metrics.counter({
    name: "pixgate_psp_calls_total",
    help: "Calls to PSPs by route of the API Pix and outcome: ok, refused, unsent, unknown.",
    labels: ["provider", "institution", "route", "outcome"],
  });
  const times = metrics.histogram({
    name: "pixgate_psp_call_seconds",
    help: "Time of a call to a PSP, its token included, seconds.",
    labels: ["provider", "institution", "route"],
  });
  const tokens = metrics.counter({
    name: "pixgate_psp_tokens_total",
    help: "Access tokens requested from PSPs, by outcome: token, none.",
    labels: ["provider", "institution", "outcome"],
  });
  return (provider, { event, route = "", outcome = "", httpStatus, durationMs = 0 }, institutionId) => {
    if (event === "psp_token") tokens.add([provider, institutionId, outcome]);
    if (event !== "psp_call") return;
    calls.add([provider, institutionId, route, outcome]);
    times.observe([provider, institutionId, route], durationMs / 1000);
    if (!tracing.on) return;
    const end = performance.now();
    const scope = tracing.current();
    tracing.past(scope, {
      name: `PSP ${route}`,
      kind: "client",
      attributes: {
        "pixgate.provider": provider,
        "pixgate.institution_id": institutionId,
        "pixgate.outcome": outcome,
        ...(httpStatus !== undefined && { "http.response.status_code": httpStatus }),
      },
      // Adapters count whole milliseconds; the span must not begin before its cause.
      start: Math.max(end - durationMs, scope?.start ?? 0),
      end,
      failed: outcome === "unsent" || outcome === "unknown",
    });
  };
}
