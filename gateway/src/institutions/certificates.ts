import type { Context } from "../context.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { Institution, Psps } from "./registry.ts";

/** How long before its end the log warns of a client certificate; banks need days to issue a new one. */
const NOTICE = 30 * 86_400_000;
const REMIND = 86_400_000;

/** Shows when the client certificates end, and in how many days. */
export function createCertificateMeter(metrics: Metrics, psps: Psps, now: () => number): void {
  metrics.gauge({
    name: "pixgate_institution_certificate_days",
    help: "Days until the client certificate for an institution ends; negative: it has ended.",
    labels: ["institution", "name"],
    read: async () =>
      (await watched(psps)).map((one) => [
        [one.institutionId, one.name],
        (one.certificateExpiresAt.getTime() - now()) / 86_400_000,
      ]),
  });
  metrics.gauge({
    name: "pixgate_institution_certificate_end_seconds",
    help: "When the client certificate for an institution ends, Unix time.",
    labels: ["institution", "name"],
    read: async () =>
      (await watched(psps)).map((one) => [[one.institutionId, one.name], one.certificateExpiresAt.getTime() / 1000]),
  });
}

/** Warns once a day of each certificate that ends soon, or has ended. A loop's batch: never more to do. */
export function createCertificateWatch(ctx: Pick<Context, "psps" | "clock" | "log">): () => Promise<boolean> {
  const warnedAt = new Map<string, number>();
  return async () => {
    const now = ctx.clock.now();
    for (const { institutionId, name, certificateExpiresAt } of await watched(ctx.psps)) {
      if (certificateExpiresAt.getTime() - now > NOTICE) continue;
      if (now - (warnedAt.get(institutionId) ?? Number.NEGATIVE_INFINITY) < REMIND) continue;
      warnedAt.set(institutionId, now);
      const ended = certificateExpiresAt.getTime() <= now;
      ctx.log.warn(
        { institutionId, name, certificateExpiresAt },
        ended ? "an institution's client certificate has ended" : "an institution's client certificate ends soon",
      );
    }
    return false;
  };
}

type Watched = Institution & { readonly certificateExpiresAt: Date };

async function watched(psps: Psps): Promise<Watched[]> {
  return (await psps.all()).filter((one): one is Watched => one.certificateExpiresAt !== null);
}
