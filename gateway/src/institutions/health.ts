import type { Clock } from "../lib/clock.ts";

/** Outcomes that count: the last ones, and none older than this. */
const WINDOW = 20;
const WINDOW_MS = 10_000;
/** Down: at least so many failures in the window, and at least half of it. */
const FAILURES = 5;
/** Pause before a down institution is queried again: a second, doubling while it stays down. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 8_000;

/**
 * - `up`: calls go there.
 * - `down`: it does not answer usefully. No charge goes there while another institution can take it.
 * - `trying`: a question of ours was answered again; one charge at a time goes there until one is answered too.
 */
export type HealthState = "up" | "down" | "trying";

/**
 * How an institution takes charges, as this process sees it (a circuit breaker). Only creations count: at a bank
 * whose writes hang, reads may work well. An answer is a sign of life, a refusal too; silence is a failure.
 */
export type Health = {
  readonly state: HealthState;
  /** Since when it has been in this state, ms. */
  readonly since: number;
  /**
   * Asks for a charge to be sent there. `yes` takes a place (of the capacity, or the one of a trial). Asking while it
   * is down may begin a probe in the background, so that recovery is noticed where there is traffic.
   */
  admit(): "yes" | "down" | "at_capacity";
  /** A creation that was admitted came to its end, or was given up. */
  record(answered: boolean): void;
};

export function createHealth(options: {
  readonly clock: Clock;
  /** Charges a second; null: no limit. A second's worth may go at once. Counted in this process. */
  readonly capacityPerSecond: number | null;
  /** A harmless question to the institution; true when it was answered. */
  readonly probe: () => Promise<boolean>;
  readonly onChange?: (state: HealthState) => void;
}): Health {
  const { clock, capacityPerSecond, probe, onChange } = options;
  let state: HealthState = "up";
  let since = clock.now();
  let outcomes: { at: number; answered: boolean }[] = [];
  let pause = FIRST_PAUSE;
  let probeAt = 0;
  let probing = false;
  /** The trial under way began then; one that never ends is forgotten after the longest pause. */
  let trialAt: number | null = null;
  const bucket = { level: capacityPerSecond ?? 0, at: clock.now() };

  function move(to: HealthState): void {
    if (state === to) return;
    state = to;
    since = clock.now();
    outcomes = [];
    trialAt = null;
    onChange?.(to);
  }

  function goDown(): void {
    // Down again out of a trial: wait longer than the last time.
    pause = state === "up" ? FIRST_PAUSE : Math.min(pause * 2, LONGEST_PAUSE);
    probeAt = clock.now() + pause;
    move("down");
  }

  async function runProbe(): Promise<void> {
    probing = true;
    const answered = await probe().catch(() => false);
    probing = false;
    if (state !== "down") return;
    if (answered) return move("trying");
    pause = Math.min(pause * 2, LONGEST_PAUSE);
    probeAt = clock.now() + pause;
  }

  function takePlace(): boolean {
    if (capacityPerSecond === null) return true;
    const now = clock.now();
    bucket.level = Math.min(capacityPerSecond, bucket.level + ((now - bucket.at) / 1000) * capacityPerSecond);
    bucket.at = now;
    if (bucket.level < 1) return false;
    bucket.level -= 1;
    return true;
  }

  return {
    get state() {
      return state;
    },
    get since() {
      return since;
    },
    admit() {
      const now = clock.now();
      if (state === "down") {
        if (!probing && now >= probeAt) void runProbe();
        return "down";
      }
      if (state === "trying") {
        if (trialAt !== null && now - trialAt < LONGEST_PAUSE) return "down";
        trialAt = now;
      }
      return takePlace() ? "yes" : "at_capacity";
    },
    record(answered) {
      const now = clock.now();
      // Creations that began before it went down change nothing any more.
      if (state === "down") return;
      if (state === "trying") {
        if (trialAt === null) return;
        return answered ? move("up") : goDown();
      }
      outcomes = [...outcomes, { at: now, answered }].slice(-WINDOW).filter((one) => now - one.at < WINDOW_MS);
      const failures = outcomes.filter((one) => !one.answered).length;
      if (failures >= FAILURES && failures * 2 >= outcomes.length) goDown();
    },
  };
}
