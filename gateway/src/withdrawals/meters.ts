import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { COULD_LEAVE_SINCE, waitsForNobodyAt } from "./show.ts";

/**
 * Metric: for each institution, how long its oldest withdrawal has had no outcome. A withdrawal that waits for a person (an
 * approval here or at the institution, a brake, a suspension) or for a new key's time does not count. Its age begins when
 * such a wait ends, except for a suspension.
 */
export function createPayoutMeters({ db, metrics, clock }: Pick<Context, "db" | "metrics" | "clock">): void {
  metrics.gauge({
    name: "pixgate_payout_oldest_pending_seconds",
    help: "Age of the oldest withdrawal without an end that waits for no person, by institution, seconds.",
    labels: ["institution", "name"],
    read: async () => {
      const { rows } = await db.query<{ institution_id: string; name: string; at: Date | null }>(sql`
        select i.institution_id, i.name, w.at from institutions i left join (
          select w.institution_id, min(${COULD_LEAVE_SINCE}) as at from withdrawals w
          where w.transaction_status = 'pending' and ${waitsForNobodyAt(clock.date())} group by w.institution_id
        ) w on w.institution_id = i.institution_id where i.status <> 'retired' or w.at is not null`);
      return rows.map(({ institution_id: id, name, at }) => {
        const age = at === null ? 0 : Math.max(0, (clock.now() - at.getTime()) / 1000);
        return [[id, name], age] as const;
      });
    },
  });
}
