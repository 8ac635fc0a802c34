import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { type Outage, readOutages } from "./health-history.ts";
import { quantileOf } from "./latency.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Row = {
  readonly institutionId: string;
  readonly answered: number;
  readonly unanswered: number;
  readonly times: readonly number[];
};
type Active = Omit<Row, "times"> & {
  /** Its part, %, of all institutions' answered calls to create a charge; null: there were none. */
  readonly share: number | null;
  /** Answers to calls of every kind. */
  readonly answers: number;
  /** The time within which half of them came, and 95 %, ms; null without answers. */
  readonly p50: number | null;
  readonly p95: number | null;
};

/**
 * How all institutions answered: calls and the time of answers in the last hour, and the outages of the last day, newest
 * first. Counts are kept in slots of five minutes, so that the hour is exact to five minutes.
 */
export async function readActivity({
  db,
  clock,
}: Pick<Context, "db" | "clock">): Promise<{ active: Active[]; outages: (Outage & { institutionId: string })[] }> {
  const now = clock.now();
  const [{ rows }, outages] = await Promise.all([
    db.query<Row>(sql`
      select institution_id as "institutionId", sum(charges_answered)::integer as answered,
        sum(charges_unanswered)::integer as unanswered,
        array[sum(answers_50ms), sum(answers_100ms), sum(answers_250ms), sum(answers_500ms), sum(answers_1000ms),
          sum(answers_2500ms), sum(answers_5000ms), sum(answers_slower)]::integer[] as times
      from institution_health where slot_at > ${new Date(now - HOUR_MS)} and slot_at <= ${new Date(now)}
      group by institution_id`),
    readOutages({ db }, new Date(now - DAY_MS), new Date(now)),
  ]);
  const all = rows.reduce((sum, { answered }) => sum + answered, 0);
  const active = rows.map(({ times, ...row }) => ({
    ...row,
    share: all === 0 ? null : Math.round((row.answered / all) * 100),
    answers: times.reduce((sum, count) => sum + count, 0),
    p50: quantileOf(times, 0.5),
    p95: quantileOf(times, 0.95),
  }));
  return { active, outages };
}
