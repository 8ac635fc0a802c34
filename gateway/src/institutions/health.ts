import type { Peers } from "../db/peers.ts";
import type { Clock } from "../lib/clock.ts";
import { bucketOf, NO_TIMES } from "./latency.ts";
import { createBucket, paceWithin } from "./pace.ts";

/** The outcomes that count: this many, and none older than this. */
const WINDOW = 20;
const WINDOW_MS = 10_000;
/**
 * Down: at least this many failures in the window, and at least half of it; also after this many in a row, however far
 * apart. At a bank whose writes hang, reads may work well, and a shop may sell once a minute.
 */
const FAILURES = 5;
/**
 * While the creations of another account are answered, and for this long after, the failures of one account alone do not take it
 * down: something in its own requests may be why. Not longer: at a bank whose writes hang, all charges of a busy account wait for
 * their time-out until then, if no other account sells. Milliseconds.
 */
const OTHERS_MS = 60_000;
/**
 * Also down after this many failures in a row of calls other than creations: at night there are no creations. An
 * institution that was not called for a while is probed, so that an outage is noticed without traffic.
 */
const FAILURES_IN_A_ROW = 3;
const IDLE_MS = 15_000;
/**
 * How long an institution that answers, but gets no charge, stays `trying`; then it is up. Another outage takes it down as fast
 * as the first.
 */
const QUIET_MS = 60_000;
/** Pause between two probes of an institution whose last call failed, including a creation. */
const SUSPECT_MS = 2_000;
/** Pause before a down institution is probed again: one second, doubling while it stays down. */
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 8_000;

/**
 * - `up`: calls are sent there.
 * - `down`: it does not answer usefully. No charge is sent there while another institution can take it.
 * - `trying`: a probe was answered; one charge at a time is sent there until one is answered too, or until no charge has come
 *   for a minute in which other calls were answered. A bank that issues no charges is never tried: there an answered probe
 *   alone shows that it is up.
 */
export type HealthState = "up" | "down" | "trying";

/**
 * How an institution answers, as this process sees it (a circuit breaker). Creations count by the share that fails, and as
 * a row of failures that only an answered creation ends. All other calls count as a row that any answer ends. A refusal is
 * an answer too; only silence is a failure.
 */
export type Health = {
  readonly state: HealthState;
  /** Since when it has been in this state, Unix milliseconds. */
  readonly since: number;
  /** When it last answered a call of this process, Unix milliseconds; null: never. */
  readonly answeredAt: number | null;
  /** How many creations this process has counted, by their end; it goes on counting in this object. */
  readonly creations: Creations;
  /**
   * How many of its answers came within each bound of `LATENCY_BOUNDS`; the last number counts slower ones. It goes on
   * counting in this object.
   */
  readonly times: readonly number[];
  /**
   * Whether a charge may be sent there. `yes` takes a slot of the capacity, or the slot of a trial. While it is down, this
   * may begin a probe in the background, so that traffic notices its recovery.
   *
   * @param accountId whose charge it is: where several accounts use the capacity, none may take all of it.
   */
  admit(accountId?: string): "yes" | "down" | "at_capacity";
  /**
   * Records the end of an admitted creation; false: it was not answered, or given up.
   *
   * @param beganAt when its first request was made, Unix milliseconds. One that began before the trial does not decide it. Left
   * out: now.
   */
  record(answered: boolean, beganAt?: number, accountId?: string): void;
  /** Records the end of any other call: a payout, a poll, a probe. */
  observe(answered: boolean): void;
  /** Records how long an answer took, of any call, ms. */
  time(ms: number): void;
  /** Records why a call had no answer, by a short code. */
  fail(reason: string): void;
  /** The last call of this process that had no answer; null: none. */
  lastFailure(): Failure | null;
  /** Probes it in the background if a probe is due: it is down, its last call failed, or it was not called for a while. */
  watch(): void;
};

/** A call without an answer: when it ended, Unix milliseconds, and why, by a short code. */
type Failure = { readonly at: number; readonly reason: string };

/** Creations that ended with an answer, a refusal too, and those that ended without one. */
export type Creations = { readonly answered: number; readonly unanswered: number };

/** What a breaker needs of its institution. */
type HealthOptions = {
  readonly clock: Clock;
  /**
   * Charges a second of all processes together; null: no limit. A second's worth may be sent at once, and one from each
   * process.
   */
  readonly capacityPerSecond: number | null;
  /** Whether charges are created there; left out: they are. */
  readonly issuesCharges?: boolean;
  /** Charges that the bank's own rules allow in a minute, where no capacity is set; left out: no limit is known. */
  readonly perMinute?: number | undefined;
  /** The same in a second. */
  readonly perSecond?: number | undefined;
  readonly peers?: Peers;
  /** A harmless query to the institution; true when it was answered. Its call is observed like any other. */
  readonly probe: () => Promise<boolean>;
  readonly onChange?: (state: HealthState) => void;
};

export function createHealth(options: HealthOptions): Health {
  const { clock, peers, probe, onChange, issuesCharges = true } = options;
  let [state, since]: [HealthState, number] = ["up", clock.now()];
  const trials = createTrials(clock);
  const calls = createCalls(clock);
  const creations = createWindow(clock);
  const probes = createProbes(clock, probe);
  const slots = createBucket(clock, paceOf(options), peers);

  function move(to: HealthState): void {
    if (state === to) return;
    [state, since] = [to, clock.now()];
    creations.forget();
    trials.forget();
    onChange?.(to);
  }

  function goDown(): void {
    // Down again after a trial: wait longer than the last time.
    probes.putOff(state === "up" ? "first" : "longer");
    move("down");
  }

  async function runProbe(): Promise<void> {
    const answered = await probes.run();
    if (state !== "down") return;
    if (answered) move(issuesCharges ? "trying" : "up");
    else probes.putOff("longer");
  }

  return {
    get state() {
      return state;
    },
    get since() {
      return since;
    },
    get answeredAt() {
      return calls.answeredAt;
    },
    ...calls.counts,
    observe(answered) {
      calls.note(answered);
      if (state !== "down" && calls.failuresInARow >= FAILURES_IN_A_ROW) goDown();
    },
    watch() {
      if (state === "trying" && isUntried(calls, since, trials.at, clock.now())) move("up");
      if (!probes.isRunning && (state === "down" ? probes.isDue : calls.isProbeDue())) void runProbe();
    },
    admit(accountId = "") {
      const mayTry = trials.ask(accountId);
      if (state === "down") {
        if (!probes.isRunning && probes.isDue) void runProbe();
        return "down";
      }
      if (state === "trying" && !mayTry) return "down";
      if (!slots.take(accountId)) return "at_capacity";
      if (state === "trying") trials.begin();
      return "yes";
    },
    record(answered, beganAt = clock.now(), accountId = "") {
      calls.note(answered, { isCreation: true });
      if (answered) creations.noteAnswer(accountId);
      // In an outage hundreds may still be under way that began before it.
      if (state === "trying" && trials.at !== null && beganAt >= trials.at)
        return trials.end(answered, accountId) ? move("up") : goDown();
      if (state === "up" && creations.failTooOften(answered, accountId)) goDown();
    },
  };
}

/** Charges by which an institution that answers again is tried, one at a time. */
function createTrials(clock: Clock) {
  /** When the present trial began. A trial that never ends is dropped after the longest pause. */
  let at: number | null = null;
  /** The account whose trial failed last: the next trial is another account's, if one asks. */
  let failedOf: string | null = null;
  const asked = createLastTwo();
  return {
    get at() {
      return at;
    },
    forget(): void {
      at = null;
    },
    /** Whether the charge of an account may be the next one. */
    ask(accountId: string): boolean {
      const now = clock.now();
      asked.note(accountId, now);
      if (at !== null && now - at < LONGEST_PAUSE) return false;
      return failedOf !== accountId || now - asked.beside(accountId) >= QUIET_MS;
    },
    begin(): void {
      at = clock.now();
    },
    /** Ends the trial. @returns whether it was answered. */
    end(answered: boolean, accountId: string): boolean {
      failedOf = answered ? null : accountId;
      return answered;
    },
  };
}

/** The outcomes of the last creations. */
function createWindow(clock: Clock) {
  let ends: { at: number; answered: boolean; by: string }[] = [];
  /** The accounts of the failures since the last answer. */
  let row: string[] = [];
  const answers = createLastTwo();
  /** Whether only this account fails, while those of others are answered. */
  function isItsOwn(by: string): boolean {
    const others = ends.filter((end) => end.by !== by);
    const failed = others.filter((end) => !end.answered).length;
    const fail = failed * 2 >= Math.max(1, others.length) || row.some((account) => account !== by);
    return !fail && clock.now() - answers.beside(by) < OTHERS_MS;
  }
  return {
    forget(): void {
      ends = [];
      row = [];
    },
    noteAnswer: (by: string): void => answers.note(by, clock.now()),
    /** Adds an outcome; true when too many of the last ones failed. */
    failTooOften(answered: boolean, by: string): boolean {
      const now = clock.now();
      ends = [...ends, { at: now, answered, by }].slice(-WINDOW).filter(({ at }) => now - at < WINDOW_MS);
      const failures = ends.filter((end) => !end.answered).length;
      row = answered ? [] : [...row, by].slice(-WINDOW);
      const isOften = row.length >= FAILURES || (failures >= FAILURES && failures * 2 >= ends.length);
      return !answered && isOften && !isItsOwn(by);
    },
  };
}

/** Remembers when each of the last two accounts did something. */
function createLastTwo() {
  const never = { by: "", at: Number.NEGATIVE_INFINITY };
  let [last, before] = [never, never];
  return {
    note(by: string, at: number): void {
      if (last.by !== by) before = last;
      last = { by, at };
    },
    /** When the other one of the two did it. */
    beside: (by: string): number => (last.by === by ? before.at : last.at),
  };
}

/** Probes of a down institution: one at a time, after a pause that doubles while it stays down. */
function createProbes(clock: Clock, probe: HealthOptions["probe"]) {
  let pause = FIRST_PAUSE;
  let [dueAt, isRunning] = [0, false];
  return {
    get isRunning() {
      return isRunning;
    },
    get isDue() {
      return clock.now() >= dueAt;
    },
    putOff(by: "first" | "longer"): void {
      pause = by === "first" ? FIRST_PAUSE : Math.min(pause * 2, LONGEST_PAUSE);
      dueAt = clock.now() + pause;
    },
    /** @returns whether it was answered. */
    async run(): Promise<boolean> {
      isRunning = true;
      const answered = await probe().catch(() => false);
      isRunning = false;
      return answered;
    },
  };
}

/** The outcomes of all calls to an institution: when it last answered, and how many failed since. */
function createCalls(clock: Clock) {
  let answeredAt: number | null = null;
  let failuresInARow = 0;
  let endedAt = clock.now();
  /** Any call counts: a charge that fails every few seconds must not keep a dead institution from being probed. */
  let isSuspect = false;
  const creations = { answered: 0, unanswered: 0 };
  const times = [...NO_TIMES];
  const time = (ms: number): void => {
    times[bucketOf(ms)]! += 1;
  };
  let failure: Failure | null = null;
  const fail = (reason: string): void => {
    failure = { at: clock.now(), reason };
  };
  return {
    counts: { creations, times, time, fail, lastFailure: () => failure },
    get answeredAt() {
      return answeredAt;
    },
    get failuresInARow() {
      return failuresInARow;
    },
    /** A failed creation counts elsewhere, by its share. */
    note(answered: boolean, { isCreation = false } = {}): void {
      const now = clock.now();
      if (!isCreation || answered) endedAt = now;
      if (answered) answeredAt = now;
      if (isCreation) creations[answered ? "answered" : "unanswered"] += 1;
      isSuspect = !answered;
      failuresInARow = answered ? 0 : failuresInARow + (isCreation ? 0 : 1);
    },
    isProbeDue(): boolean {
      const quiet = clock.now() - endedAt;
      return quiet >= IDLE_MS || (isSuspect && quiet >= SUSPECT_MS);
    },
  };
}

/** Whether an institution has answered for a while in which no charge was sent there. */
const isUntried = (
  { answeredAt, failuresInARow }: Pick<ReturnType<typeof createCalls>, "answeredAt" | "failuresInARow">,
  since: number,
  trialAt: number | null,
  now: number,
): boolean =>
  now - since >= QUIET_MS &&
  (trialAt === null || now - trialAt >= LONGEST_PAUSE) &&
  failuresInARow === 0 &&
  (answeredAt ?? 0) > since;

/** The pace of charges: a set capacity, of which a second's worth may come at once, otherwise the bank's own limits. */
const paceOf = ({ capacityPerSecond: most, ...allowed }: HealthOptions) =>
  most === null ? paceWithin(allowed) : { perSecond: most, atOnce: most };
