import type { Metrics } from "../telemetry/metrics.ts";

/**
 * Counts the merchants' calls that this process works on, and refuses further ones when they are too many. Each call
 * counts for a tenant: its account, or for a login the network of its client.
 */
export type Admission = {
  waiting(): number;
  /** True: `enter` would refuse a call now. A refusal is counted. */
  refuses(tenant: string | null, toPsp: boolean): boolean;
  /**
   * Admits a call, which must be authenticated and received whole, until the returned function is called; null: refuse it.
   * The function may be called again, without effect.
   *
   * @param toPsp the call will wait for a PSP or a receiver too: those have a limit of their own.
   */
  enter(tenant: string, toPsp: boolean): (() => void) | null;
  /**
   * Runs work that waits for a PSP, a receiver or another call. A call that waits uses no CPU here, so a slow PSP must not
   * count as too much work.
   */
  outside<T>(tenant: string, work: Promise<T>): Promise<T>;
};

/** Mean wait at which a process counts as slow, and the interval over which it is measured, milliseconds. */
const PATIENCE = 3_000;
const INTERVAL = 500;
/** So many calls may wait however slow the process is. */
const FEW = 256;
/** Beyond those, for tenants that have few calls. */
const SPARE = 128;
/**
 * A tenant may have this many times the slots that are free. One that floods alone gets 4/5 of all, two get 4/9 each, and
 * there are always some left for the next tenant; nobody has to know beforehand who will want one.
 */
export const SHARE = 4;

/** What is counted in all and of each tenant: calls, or bytes. */
export function createTally() {
  const tenants = new Map<string, number>();
  let all = 0;
  return {
    all: () => all,
    of: (tenant: string) => tenants.get(tenant) ?? 0,
    /** How many tenants have some, this one included. */
    tenantsWith: (tenant: string) => tenants.size + (tenants.has(tenant) ? 0 : 1),
    add(tenant: string, by: number) {
      all += by;
      const count = (tenants.get(tenant) ?? 0) + by;
      if (count === 0) tenants.delete(tenant);
      else tenants.set(tenant, count);
    },
  };
}

/** Whether calls wait for more than `PATIENCE` on the mean: the calls that waited over those answered (Little's law). */
function createPace(now: () => number, waiting: () => number) {
  // Of this interval: when it began, calls times milliseconds that they waited, and calls answered.
  let began = now();
  let waited = 0;
  let answered = 0;
  let measured = began;
  let slow = false;
  return {
    isSlow: () => slow,
    countAnswer() {
      answered += 1;
    },
    /** To be called before the number of waiting calls changes. */
    measure() {
      const at = now();
      waited += waiting() * (at - measured);
      measured = at;
      if (at - began < INTERVAL) return;
      slow = waited / Math.max(1, answered) > PATIENCE;
      [began, waited, answered] = [at, 0, 0];
    },
  };
}

/** Shows how many calls wait. @returns counts a refusal. */
function createMeters(metrics: Metrics, waiting: () => number): () => void {
  metrics.gauge({
    name: "pixgate_http_waiting",
    help: "Merchants' calls that wait for this process, those that wait for a PSP left out.",
    read: waiting,
  });
  const refused = metrics.counter({
    name: "pixgate_http_refused_total",
    help: "Merchants' calls refused with 503 `OVERLOADED`, since too many were waiting.",
    labels: [],
  });
  return () => refused.add([]);
}

/**
 * Refuses calls when `most` wait, and when they wait for more than three seconds on the mean: one machine answers a
 * thousand calls in three quarters of a second, and a database in trouble ten seconds, by when no caller waits for the answer any
 * more. Calls for PSPs are refused, too, when `most` calls wait for those. No tenant gets more than its share of either
 * (`SHARE`).
 *
 * @param options.now milliseconds, rising.
 */
export function createAdmission(options: {
  readonly most: number;
  readonly metrics: Metrics;
  readonly now: () => number;
}): Admission {
  const { most, metrics } = options;
  const here = createTally();
  /** Calls that wait for a PSP, for a connection to one, or for a receiver. */
  const away = createTally();
  /** Spare slots in use. */
  let spare = 0;
  const pace = createPace(options.now, here.all);
  const countRefusal = createMeters(metrics, here.all);

  function change(tenant: string, by: 1 | -1): void {
    pace.measure();
    here.add(tenant, by);
  }

  type Verdict = "full" | "free" | "spare";
  function judge(tenant: string, toPsp: boolean): Verdict {
    if (here.all() >= most) return "full";
    if (toPsp && away.of(tenant) >= SHARE * (most - away.all())) return "full";
    const mine = here.of(tenant);
    if (mine < SHARE * ((pace.isSlow() ? FEW : most) - here.all())) return "free";
    // One tenant's flood made the process slow: the others divide a few spare slots.
    return spare < SPARE && mine < SPARE / here.tenantsWith(tenant) ? "spare" : "full";
  }

  return {
    waiting: here.all,
    refuses(tenant, toPsp) {
      pace.measure();
      const isFull = tenant === null ? here.all() >= most : judge(tenant, toPsp) === "full";
      if (isFull) countRefusal();
      return isFull;
    },
    enter(tenant, toPsp) {
      pace.measure();
      const verdict = judge(tenant, toPsp);
      if (verdict === "full") {
        countRefusal();
        return null;
      }
      if (verdict === "spare") spare += 1;
      change(tenant, 1);
      let left = false;
      return () => {
        if (left) return;
        left = true;
        if (verdict === "spare") spare -= 1;
        pace.countAnswer();
        change(tenant, -1);
      };
    },
    async outside(tenant, work) {
      change(tenant, -1);
      away.add(tenant, 1);
      try {
        return await work;
      } finally {
        away.add(tenant, -1);
        change(tenant, 1);
      }
    },
  };
}
