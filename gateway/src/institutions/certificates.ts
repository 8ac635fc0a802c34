import { evidence } from "../cases/case.ts";
import { writeCases } from "../cases/write.ts";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Institution, Psps } from "./registry.ts";

/**
 * This long before its end, a client certificate becomes a case and a warning in the log; banks need days to issue a new
 * one.
 */
const NOTICE = 30 * 86_400_000;
const REMIND = 86_400_000;

/** Shows when the client certificates end, and in how many days. */
export function createCertificateMeter(metrics: Metrics, psps: Psps, now: () => number): void {
  metrics.gauge({
    name: "pixgate_institution_certificate_days",
    help: "Days until the client certificate for an institution ends; negative: it has ended.",
    labels: ["institution", "name"],
    read: async () =>
      (await watched(psps)).map((institution) => [
        [institution.institutionId, institution.name],
        (institution.certificateExpiresAt.getTime() - now()) / 86_400_000,
      ]),
  });
  metrics.gauge({
    name: "pixgate_institution_certificate_end_seconds",
    help: "When the client certificate for an institution ends, Unix time.",
    labels: ["institution", "name"],
    read: async () =>
      (await watched(psps)).map((institution) => [
        [institution.institutionId, institution.name],
        institution.certificateExpiresAt.getTime() / 1000,
      ]),
  });
}

/**
 * Opens a case for each certificate that ends soon or has ended, and closes it when the certificate was exchanged. Warns of
 * each once a day. A loop's batch: never more to do.
 */
export function createCertificateWatch(
  ctx: Pick<Context, "db" | "ids" | "psps" | "clock" | "log">,
  houseId: string,
): () => Promise<boolean> {
  const warnedAt = new Map<string, number>();
  return async () => {
    const now = ctx.clock.now();
    const ending = (await watched(ctx.psps)).filter(
      (institution) => institution.certificateExpiresAt.getTime() - now <= NOTICE,
    );
    await keepCases(ctx, houseId, ending);
    for (const { institutionId, name, certificateExpiresAt } of ending) {
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

/** Keeps one open case for each certificate that ends soon, and none for others. Writes only changes. */
async function keepCases(
  ctx: Pick<Context, "db" | "ids" | "clock">,
  houseId: string,
  ending: readonly Watched[],
): Promise<void> {
  const kind = "certificate_expiring";
  const { rows } = await ctx.db.query<{ object_id: string; deadline: Date }>(sql`
    select object_id, deadline from cases where account_id = ${houseId} and kind = ${kind} and status = 'open'`);
  const deadlines = new Map(rows.map(({ object_id, deadline }) => [object_id, deadline.getTime()]));
  const fresh = ending.filter(
    (institution) => deadlines.get(institution.institutionId) !== institution.certificateExpiresAt.getTime(),
  );
  const current = new Set(ending.map(({ institutionId }) => institutionId));
  const gone = [...deadlines.keys()].filter((institutionId) => !current.has(institutionId));
  if (fresh.length === 0 && gone.length === 0) return;
  const ids = { now: ctx.clock.date(), newId: () => ctx.ids.uuid() };
  const open = fresh.map(({ institutionId, certificateExpiresAt: deadline }) => ({
    ...({ accountId: houseId, kind, objectId: institutionId, institutionId, amount: null, deadline } as const),
    evidence: evidence({
      says: "The institution refuses every call once our client certificate has ended. Ask it for a new one now.",
      source: "gateway",
      data: { expiresAt: deadline.toISOString() },
    }),
  }));
  const close = gone.map((objectId) => ({ accountId: houseId, kind, objectId }) as const);
  await ctx.db.transaction((tx) => writeCases(tx, { open, close }, ids));
}

type Watched = Institution & { readonly certificateExpiresAt: Date };

async function watched(psps: Psps): Promise<Watched[]> {
  return (await psps.all()).filter((institution): institution is Watched => institution.certificateExpiresAt !== null);
}
