import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";

/** Shows which disputes nobody has answered: how many, and how long the most urgent one still can be. */
export function createDisputeMeters({ db, metrics, clock }: Pick<Context, "db" | "metrics" | "clock">): void {
  const unanswered = async (): Promise<{ count: number; next: Date | null }> => {
    const { rows } = await db.query<{ count: number; next: Date | null }>(sql`
      select count(*) as count, min(respond_by) as next from balance_blocks
      where status = 'awaiting_response' and respond_by > ${clock.date()}`);
    return rows[0]!;
  };
  metrics.gauge({
    name: "pixgate_disputes_unanswered",
    help: "Balance blocks that a merchant can still answer and has not.",
    labels: [],
    read: async () => [[[], (await unanswered()).count]],
  });
  metrics.gauge({
    name: "pixgate_dispute_deadline_seconds",
    help: "Time until the first deadline of a dispute that nobody has answered, seconds; none: no series.",
    labels: [],
    read: async () => {
      const { next } = await unanswered();
      return next === null ? [] : [[[], (next.getTime() - clock.now()) / 1000]];
    },
  });
}
