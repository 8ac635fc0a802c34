import type { Context } from "../../context.ts";
import { sql } from "../../db/sql.ts";

/** Metrics of unanswered disputes: how many, and the time left for the most urgent one. */
export function createDisputeMeters({ db, metrics, clock }: Pick<Context, "db" | "metrics" | "clock">): void {
  const unanswered = async () => {
    const { rows } = await db.query<{ type: string; count: number; next: Date }>(sql`
      select block_type as type, count(*) as count, min(respond_by) as next from balance_blocks
      where status = 'awaiting_response' and respond_by > ${clock.date()} group by block_type`);
    return rows;
  };
  metrics.gauge({
    name: "pixgate_disputes_unanswered",
    help: "Balance blocks that a merchant can still answer and has not.",
    labels: [],
    read: async () => (await unanswered()).reduce((sum, { count }) => sum + count, 0),
  });
  metrics.gauge({
    name: "pixgate_dispute_deadline_seconds",
    help: "Time until the first deadline of a dispute that nobody has answered, seconds; none: no series.",
    // Without labels, a gauge without a value shows 0, which would mean that a deadline ends now.
    labels: ["type"],
    read: async () =>
      (await unanswered()).map(({ type, next }) => [[type], (next.getTime() - clock.now()) / 1000] as const),
  });
}
