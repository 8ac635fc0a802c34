import { ApiError } from "../http/errors.ts";
import type { Outcome } from "../psp/outcome.ts";
import { NOT_PLAYED, WRONG_CONTROL_URL } from "../psp/reason.ts";

/** The answer where the simulator's control API gave no useful one, or a bank's own sandbox. */
export function simulatorUnavailable(outcome: Outcome<unknown>): ApiError {
  if (outcome.kind === "unsent" && outcome.reason === NOT_PLAYED) {
    const message =
      "The sandbox of this bank only pays a charge of which nothing else is said: its amount, by a payer of the bank's own.";
    return new ApiError("PSP_UNAVAILABLE", message);
  }
  if (outcome.kind === "unknown" && outcome.reason === WRONG_CONTROL_URL) {
    const message =
      "The institution's controlUrl is wrong: what answers there is not the simulator's control API. Its address ends in /control.";
    return new ApiError("PSP_UNAVAILABLE", message);
  }
  return new ApiError("PSP_UNAVAILABLE", "The simulator did not answer.", { retryable: true }, { "retry-after": "2" });
}
