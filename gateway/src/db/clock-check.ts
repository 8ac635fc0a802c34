import type { Logger } from "pino";
import type { Clock } from "../lib/clock.ts";
import { LIMITS } from "../lib/limits.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Queries } from "./pool.ts";
import { sql } from "./sql.ts";

/** With a larger difference of clocks, milliseconds, each process would refuse the other's tokens. */
const MOST = LIMITS.tokenLeewaySeconds * 1_000;

/**
 * Whether this process's clock is right. The reference is the database's clock, which all processes share: with another
 * clock a process would expire open charges, use limits of the wrong day, and make tokens that live too long.
 */
export type ClockCheck = {
  /**
   * False while the clocks differ too much, and after a jump of this clock until they are compared again. Costs nothing.
   */
  isRight(): boolean;
  /** Milliseconds by which this clock was ahead of the database's (negative: behind) at the last comparison. */
  readonly offset: number;
  /** Compares the clocks. Keeps the last result if the database does not answer, or too slowly. */
  compare(): Promise<void>;
};

/** For a process that must not compare: a test with its own clock, or descriptions without a database. */
export const UNCHECKED_CLOCK: ClockCheck = { isRight: () => true, offset: 0, compare: async () => {} };

type Parts = {
  readonly db: Queries;
  readonly clock: Clock;
  readonly log: Pick<Logger, "info" | "error">;
  readonly metrics: Pick<Metrics, "gauge">;
  /** Milliseconds of a clock that cannot be set: a jump of the other clock shows as a difference to it. */
  readonly steady: () => number;
};

/** Makes a check. The clock counts as wrong until the first `compare`. */
export function createClockCheck({ db, clock, log, metrics, steady }: Parts): ClockCheck {
  let isRight = false;
  let offset = 0;
  let wasWrong = false;
  /** Difference of this clock and the steady one at the last comparison. */
  let between = 0;

  metrics.gauge({
    name: "pixgate_clock_offset_seconds",
    help: "What this process's clock is ahead of the database's, seconds; behind it when negative.",
    read: () => offset / 1_000,
  });
  const hasJumped = (): boolean => Math.abs(clock.now() - steady() - between) > MOST;

  function setRight(right: boolean): void {
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
      // The database read its clock between the two: the longer the answer took, the wider the range.
      const [least, most] = [Math.min(before, after) - at, Math.max(before, after) - at];
      const isProven = least > MOST || most < -MOST;
      if (!isProven && (least < -MOST || most > MOST)) return;
      offset = (least + most) / 2;
      between = after - steady();
      setRight(!isProven);
    },
  };
}
