import type { Context } from "../../context.ts";
import { sql } from "../../db/sql.ts";
import { LIMITS } from "../../lib/limits.ts";
import { keepReading } from "../keep-reading.ts";

/** A tariff that was reported longer ago says nothing of the next payout, milliseconds. */
const REPORTED_WITHIN = 30 * 86_400_000;

/** What an institution charged for the latest payout whose tariff it reported, centavos; null: it has reported none lately. */
export type LatestTariff = (institutionId: string) => Promise<number | null>;

/** Makes the function that reads it. What it answers is at most `LIMITS.payoutTariff` old: it only orders institutions. */
export function createLatestTariff({ db, clock }: Pick<Context, "db" | "clock">): LatestTariff {
  const kept = new Map<string, () => Promise<number | null>>();
  const readLatest = async (institutionId: string): Promise<number | null> => {
    const since = new Date(clock.now() - REPORTED_WITHIN);
    const { rows } = await db.query<{ amount: number }>(sql`
      select amount from bank_tariffs
      where institution_id = ${institutionId} and kind = 'sent' and occurred_at >= ${since}
      order by occurred_at desc limit 1`);
    return rows[0]?.amount ?? null;
  };
  return (institutionId) => {
    let read = kept.get(institutionId);
    if (read === undefined) {
      read = keepReading(clock, LIMITS.payoutTariff, () => readLatest(institutionId));
      kept.set(institutionId, read);
    }
    return read();
  };
}
