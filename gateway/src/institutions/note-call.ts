import type { PspEvent } from "../psp/bank.ts";
import { STALLED } from "../psp/outbound.ts";
import type { Health } from "./health.ts";

/** The route that creates charges: the breaker counts its calls by their share, by a rule of its own. */
const CREATIONS: readonly string[] = ["putCob", "putCobv"];
/** Reasons why a call did not leave that lie in this process: it stood still, or another one has taken its order over. */
const OWN_REASONS: readonly string[] = [STALLED, "claim_over"];
/** A conflict or "too many" leaves its call undecided, and still is an answer. */
const isAnswered = ({ outcome, httpStatus = 500 }: PspEvent): boolean =>
  outcome === "ok" || outcome === "refused" || httpStatus < 500;

/** Counts a call of an adapter for the health of its institution. */
export function noteCall(health: Pick<Health, "observe" | "time" | "fail">, event: PspEvent): void {
  if (event.event !== "psp_call" || OWN_REASONS.includes(event.reason ?? "")) return;
  if (!CREATIONS.includes(event.route ?? "")) health.observe(isAnswered(event));
  if (isAnswered(event)) health.time(event.durationMs ?? 0);
  else health.fail(event.httpStatus === undefined ? (event.reason ?? "unknown") : `http_${event.httpStatus}`);
}
