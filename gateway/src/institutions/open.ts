import type { Context } from "../context.ts";
import { BANKS } from "../psp/catalogue.ts";
import { permittedAddresses } from "./addresses.ts";
import { createPspMeters } from "./meters.ts";
import { createPsps } from "./registry.ts";

/** The institutions with their adapters. Their calls are counted and logged, as are changes of their health. */
export function openInstitutions(
  parts: Pick<Context, "config" | "db" | "peers" | "clock" | "keys" | "ids" | "metrics" | "tracing" | "log">,
): Context["psps"] {
  const { metrics, tracing, log } = parts;
  const countCall = createPspMeters(metrics, tracing);
  return createPsps({
    ...parts,
    permits: permittedAddresses(parts.config),
    banks: BANKS,
    onCall: (provider, event, institutionId) => {
      countCall(provider, event, institutionId);
      log.debug({ ...event, institutionId }, "psp");
    },
    onBroken: (institution, error) => log.error({ err: error, ...institution }, "an institution cannot be used"),
    onHealth: (institution, state) => log.warn({ ...institution, state }, "an institution's health changed"),
  });
}
