import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Queries } from "./pool.ts";
import { sql } from "./sql.ts";

/** More than this between the clocks, milliseconds, and each would refuse the other's tokens. */
const MOST = LIMITS.tokenLeewaySeconds * 1_000;

/**
 * Whether this process's clock may be believed. The database's is the one that all processes share: who differs from it would
 * let charges expire that are open, take limits of the wrong day, and make tokens that live too long.
 */
export type ClockCheck = {
  /** False while the clocks differ too much, and from a jump of this clock on until they were compared again. Costs nothing. */
  isRight(): boolean;
  /** Milliseconds that this clock was ahead of the database's when they were last compared; behind it when negative. */
  readonly offset: number;
  /** Compares the clocks. What it finds is kept where the database does not answer, or too slowly to tell. */
  compare(): Promise<void>;
};

/** Of a process that must not compare: the clock of a test's world, and descriptions without a database. */
export const UNCHECKED_CLOCK: ClockCheck = { isRight: () => true, offset: 0, compare: async () => {} };

type Parts = {
  readonly db: Queries;
  readonly clock: Clock;
  readonly log: Pick<Logger, "info" | "error">;
  readonly metrics: Metrics;
  /** Milliseconds of a clock that nobody sets: a jump of the other one shows against it. */
  readonly steady: () => number;
};

/** Makes a check; nothing is believed before its first `compare`. */
export function createClockCheck({ db, clock, log, metrics, steady }: Parts): ClockCheck {
  let isRight = false;
  let offset = 0;
  let wasWrong = false;
  /** Between this clock and the steady one, when the clocks were last compared. */
  let between = 0;

  metrics.gauge({
    name: "pixgate_clock_offset_seconds",
    help: "What this process's clock is ahead of the database's, seconds; behind it when negative.",
    read: () => offset / 1_000,
  });
  const hasJumped = (): boolean => Math.abs(clock.now() - steady() - between) > MOST;

  function judge(right: boolean): void {
    if (!right && !wasWrong) {
      log.error(
        { offsetSeconds: offset / 1_000 },
        "this process's clock differs from the database's: it is out of service until they agree",
      );
    }
    if (right && wasWrong) log.info("this process's clock agrees with the database's again");
    wasWrong = !right;
    isRight = right;
  }

  return {
    isRight: () => isRight && !hasJumped(),
    get offset() {
      return offset;
    },
    async compare() {
      const before = clock.now();
      const { rows } = await db.query<{ at: Date }>(sql`select clock_timestamp() as at`);
      const after = clock.now();
      const at = rows[0]!.at.getTime();
      // The database read its clock between the two: an answer that took long says less.
      const [least, most] = [Math.min(before, after) - at, Math.max(before, after) - at];
      const isProven = least > MOST || most < -MOST;
      if (!isProven && (least < -MOST || most > MOST)) return;
      offset = (least + most) / 2;
      between = after - steady();
      judge(!isProven);
    },
  };
}
