import type { Metrics } from "../telemetry/metrics.ts";

/**
 * Limits the merchants' calls that this process works on at one time. Each call counts for a tenant: its account, or for a
 * login the network of its client.
 *
 * A call is in one of four states:
 * - **Before admission**: the head of its request has arrived. `guard` refuses it here already if it would get no slot now,
 *   before any other work is done for it. It holds no slot while its client still sends the body.
 * - **Working**: it is authenticated and received whole, and `enter` has given it a slot. The slot is free again when the
 *   call is answered or its client is gone.
 * - **Outside**: it waits for a PSP, a receiver or another call (`outside`). It uses no CPU here, so its slot is free
 *   meanwhile; but calls outside have a limit of their own.
 * - **Refused**: 503 with `Retry-After`; nothing was done.
 *
 * A call is refused in these cases: 1. `most` calls are working: the process has no slot left. 2. The process is slow (three
 * seconds on the mean, by Little's law): then only `FEW` calls may work. One tenant's flood may have caused that, so tenants
 * with few calls share `SPARE` further slots. 3. Its tenant already has `SHARE` times as many slots as are free. A tenant that
 * floods alone gets 4/5 of all, two get 4/9 each, and some are always free for the next tenant. 4. It needs a PSP, and its
 * tenant already has `SHARE` times as many calls outside as are still free there.
 */
export type Admission = {
  waiting(): number;
  /** True: `enter` would refuse a call now. Counts the refusal. */
  refuses(tenant: string | null, toPsp: boolean): boolean;
  /**
   * Admits a call, which must be authenticated and received whole, until the returned function is called; null: refuse it.
   * Calling the function again has no effect.
   *
   * @param toPsp the call will also wait for a PSP or a receiver, which has a limit of its own.
   */
  enter(tenant: string, toPsp: boolean): (() => void) | null;
  /**
   * Runs work that waits for a PSP, a receiver or another call. A waiting call uses no CPU here, so a slow PSP must not
   * make the process look busy.
   */
  outside<T>(tenant: string, work: Promise<T>): Promise<T>;
};

/** Mean wait from which a process counts as slow, and the interval over which it is measured, milliseconds. */
const PATIENCE = 3_000;
const INTERVAL = 500;
/** Calls that may be worked on however slow the process is. */
const FEW = 256;
/** Further slots in a slow process, for tenants with few calls. */
const SPARE = 128;
/**
 * A tenant may have this many times the slots that are free. A tenant that floods alone gets 4/5 of all, two get 4/9 each,
 * and some are always left for the next tenant, without knowing in advance who it will be.
 */
export const SHARE = 4;

/** A count in total and for each tenant: of calls, or of bytes. */
export function createTally() {
  const tenants = new Map<string, number>();
  let all = 0;
  return {
    all: () => all,
    of: (tenant: string) => tenants.get(tenant) ?? 0,
    /** How many tenants have a count, including this one. */
    tenantsWith: (tenant: string) => tenants.size + (tenants.has(tenant) ? 0 : 1),
    add(tenant: string, by: number) {
      all += by;
      const count = (tenants.get(tenant) ?? 0) + by;
      if (count === 0) tenants.delete(tenant);
      else tenants.set(tenant, count);
    },
  };
}

/**
 * Tells whether calls wait for more than `PATIENCE` on the mean: calls waiting, summed over time, divided by calls answered
 * (Little's law).
 */
function createPace(now: () => number, waiting: () => number) {
  // Of the current interval: its beginning, calls times milliseconds that they waited, and calls answered.
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

/** Metrics of waiting calls. @returns the function that counts a refusal. */
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
 * Makes the admission of a process. One machine answers a thousand calls in three quarters of a second. With a database in
 * trouble it takes ten seconds, and by then no caller waits for the answer any more.
 *
 * @param options.now milliseconds, never decreasing.
 */
export function createAdmission(options: {
  readonly most: number;
  readonly metrics: Metrics;
  readonly now: () => number;
}): Admission {
  const { most, metrics } = options;
  const working = createTally();
  /** Calls that wait for a PSP, for a connection to one, or for a receiver. */
  const outsideCalls = createTally();
  /** Spare slots in use. */
  let spare = 0;
  const pace = createPace(options.now, working.all);
  const countRefusal = createMeters(metrics, working.all);

  function change(tenant: string, by: 1 | -1): void {
    pace.measure();
    working.add(tenant, by);
  }

  type Verdict = "full" | "free" | "spare";
  function verdictFor(tenant: string, toPsp: boolean): Verdict {
    if (working.all() >= most) return "full";
    if (toPsp && outsideCalls.of(tenant) >= SHARE * (most - outsideCalls.all())) return "full";
    const mine = working.of(tenant);
    if (mine < SHARE * ((pace.isSlow() ? FEW : most) - working.all())) return "free";
    // One tenant's flood has made the process slow: the other tenants share a few spare slots.
    return spare < SPARE && mine < SPARE / working.tenantsWith(tenant) ? "spare" : "full";
  }

  return {
    waiting: working.all,
    refuses(tenant, toPsp) {
      pace.measure();
      const isFull = tenant === null ? working.all() >= most : verdictFor(tenant, toPsp) === "full";
      if (isFull) countRefusal();
      return isFull;
    },
    enter(tenant, toPsp) {
      pace.measure();
      const verdict = verdictFor(tenant, toPsp);
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
      outsideCalls.add(tenant, 1);
      try {
        return await work;
      } finally {
        outsideCalls.add(tenant, -1);
        change(tenant, 1);
      }
    },
  };
}
