import type { Context } from "../context.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { createHealthNotes } from "./health-history.ts";
import type { Psps } from "./registry.ts";

/**
 * Makes the function that probes every institution when that is due, drained ones too: every process notices an outage, and
 * what waits there leaves when it ends. It records how each active one answers.
 *
 * @returns a loop's batch.
 */
export function createInstitutionWatch(ctx: Pick<Context, "psps" | "db" | "clock">): () => Promise<boolean> {
  const note = createHealthNotes(ctx);
  return async () => {
    const institutions = await ctx.psps.all();
    for (const { health } of institutions) health.watch();
    await note(institutions);
    return false;
  };
}

/** Metrics: which institutions answer, as this process sees them. */
export function createInstitutionMeters(metrics: Metrics, psps: Psps): void {
  const labels = ["institution", "name"];
  metrics.gauge({
    name: "pixgate_institution_up",
    help: "1 where an active institution answers, 0 where it is down; as this process sees it.",
    labels,
    read: async () =>
      (await psps.all())
        .filter(({ status }) => status === "active")
        .map(({ institutionId, name, health }) => [[institutionId, name], health.state === "down" ? 0 : 1]),
  });
  metrics.gauge({
    name: "pixgate_institution_last_success_seconds",
    help: "When an active institution last answered a call of this process, Unix time; missing before its first answer.",
    labels,
    read: async () =>
      (await psps.all()).flatMap(({ institutionId, name, status, health: { answeredAt } }) =>
        status !== "active" || answeredAt === null ? [] : [[[institutionId, name], answeredAt / 1000] as const],
      ),
  });
}
