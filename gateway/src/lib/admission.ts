import type { Metrics } from "./metrics.ts";

/** Counts the merchants' calls that wait for this process, and refuses further ones when they are too many. */
export type Admission = {
  waiting(): number;
  /**
   * Admits a call until the returned function is called; null: refuse it.
   *
   * @param toPsp the call will wait for a PSP too: those have a limit of their own.
   */
  enter(toPsp: boolean): (() => void) | null;
  /** Runs what waits for a PSP. Such a call costs nothing here meanwhile: a slow PSP must not look like too much work. */
  outside<T>(work: Promise<T>): Promise<T>;
};

/** Mean wait at which a process counts as slow, and the interval over which it is measured, milliseconds. */
const PATIENCE = 3_000;
const INTERVAL = 500;
/** So many calls may wait however slow the process is. */
const FEW = 256;

/**
 * Refuses calls when `most` wait, and when they wait for more than three seconds on the mean: a thousand calls take one
 * machine three quarters of a second, and a database in trouble ten seconds, by when no caller waits for the answer any
 * more. New charges are refused, too, when `most` calls wait for PSPs. The mean wait is the calls that waited over the
 * calls that were answered (Little's law).
 *
 * @param options.now milliseconds, rising.
 */
export function createAdmission(options: {
  readonly most: number;
  readonly metrics: Metrics;
  readonly now: () => number;
}): Admission {
  const { most, metrics, now } = options;
  let waiting = 0;
  /** Calls that wait for a PSP, or for a connection to one. */
  let away = 0;
  // Of this interval: when it began, calls times milliseconds that they waited, and calls answered.
  let began = now();
  let waited = 0;
  let answered = 0;
  let changed = began;
  let slow = false;
  metrics.gauge({
    name: "pixgate_http_waiting",
    help: "Merchants' calls that wait for this process, those that wait for a PSP left out.",
    read: () => waiting,
  });
  const refused = metrics.counter({
    name: "pixgate_http_refused_total",
    help: "Merchants' calls refused with 503 `OVERLOADED`, since too many were waiting.",
    labels: [],
  });

  function change(by: number): void {
    const at = now();
    waited += waiting * (at - changed);
    changed = at;
    waiting += by;
    if (at - began < INTERVAL) return;
    slow = waited / Math.max(1, answered) > PATIENCE;
    [began, waited, answered] = [at, 0, 0];
  }

  const leave = () => {
    answered += 1;
    change(-1);
  };
  return {
    waiting: () => waiting,
    enter(toPsp) {
      change(0);
      if (waiting >= most || (slow && waiting >= FEW) || (toPsp && away >= most)) {
        refused.add([]);
        return null;
      }
      change(1);
      return leave;
    },
    async outside(work) {
      change(-1);
      away += 1;
      try {
        return await work;
      } finally {
        away -= 1;
        change(1);
      }
    },
  };
}
