import type { Context } from "../../context.ts";
import { sql } from "../../db/sql.ts";
import { LIMITS } from "../../lib/limits.ts";

/** A tariff that was reported longer ago says nothing of the next payout, milliseconds. */
const REPORTED_WITHIN = 30 * 86_400_000;

/** What an institution charged for the latest payout whose tariff it reported, centavos; null: it has reported none lately. */
export type LatestTariff = (institutionId: string) => Promise<number | null>;

/** Makes the function that reads it. What it answers is at most `LIMITS.payoutTariff` old: it only orders institutions. */
export function createLatestTariff({ db, clock }: Pick<Context, "db" | "clock">): LatestTariff {
  const known = new Map<string, { readonly at: number; readonly tariff: number | null }>();
  return async (institutionId) => {
    const now = clock.now();
    const before = known.get(institutionId);
    if (before !== undefined && Math.abs(now - before.at) < LIMITS.payoutTariff) return before.tariff;
    const { rows } = await db.query<{ amount: number }>(sql`
      select amount from bank_tariffs
      where institution_id = ${institutionId} and kind = 'sent' and occurred_at >= ${new Date(now - REPORTED_WITHIN)}
      order by occurred_at desc limit 1`);
    const tariff = rows[0]?.amount ?? null;
    known.set(institutionId, { at: now, tariff });
    return tariff;
  };
}
