import type { Context } from "../../context.ts";
import { sql } from "../../db/sql.ts";

/** Shows which disputes nobody has answered: how many, and how long the most urgent one still can be. */
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
    // A gauge without labels shows 0 where it has no value: the deadline would be now.
    labels: ["type"],
    read: async () =>
      (await unanswered()).map(({ type, next }) => [[type], (next.getTime() - clock.now()) / 1000] as const),
  });
}
