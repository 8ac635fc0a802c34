/**
 * Counters, histograms and gauges for Prometheus, on `prom-client`. Two additions: labels are bounded, since a caller's
 * input must not fill the memory, and a gauge that cannot be read does not hide the others.
 */

import { Counter as PromCounter, Gauge as PromGauge, Histogram as PromHistogram, Registry } from "prom-client";

/** Most combinations of labels of a metric; further ones are counted with every label `other`. */
const MAX_SERIES = 1_000;
/** Gauges that are read at one time: most of them take a connection to the database, which calls need too. */
const READ_AT_ONCE = 3;

type Values = readonly (string | number)[];

type Counter = { add(labels: Values, by?: number): void };
type Histogram = { observe(labels: Values, value: number): void };

type Described = { readonly name: string; readonly help: string; readonly labels?: readonly string[] };

export type Metrics = {
  counter(metric: Described): Counter;
  /** `buckets`: upper bounds, rising; the one without a bound is added. Left out: those of a time in seconds. */
  histogram(metric: Described & { readonly buckets?: readonly number[] }): Histogram;
  /** Read at each scrape. A gauge that cannot be read is left out of that scrape. */
  gauge(metric: Described & { readonly type?: "gauge" | "counter"; read(): Reading | Promise<Reading> }): void;
  /** The text of a scrape, exposition format 0.0.4. `onError` is called for each gauge that could not be read. */
  render(onError?: (error: unknown, name: string) => void): Promise<string>;
};

/** One value, or one for each combination of labels. */
type Reading = number | readonly (readonly [Values, number])[];

/** Buckets for times in seconds: from a query in memory to a call that is given up. */
const SECONDS: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createMetrics(): Metrics {
  const registry = new Registry();

  /** Parts of a process may be created again in the same process (tests): the last one counts. */
  function describe({ name, help, labels = [] }: Described) {
    registry.removeSingleMetric(name);
    return { name, help, labelNames: [...labels], registers: [registry] };
  }

  return {
    counter(metric) {
      const counter = new PromCounter(describe(metric));
      const seriesOf = bounded(metric, (labels) => counter.labels(labels));
      return { add: (labels, by = 1) => seriesOf(labels).inc(by) };
    },

    histogram({ buckets = SECONDS, ...metric }) {
      const histogram = new PromHistogram({ ...describe(metric), buckets: [...buckets] });
      const seriesOf = bounded(metric, (labels) => histogram.labels(labels));
      return { observe: (labels, value) => seriesOf(labels).observe(value) };
    },

    gauge({ type = "gauge", read, ...metric }) {
      const labelsOf = toLabels(metric);
      /** Replaces all series by the values read. Nothing is awaited in between, because two scrapes may run at once. */
      async function collect(): Promise<void> {
        const reading = await read();
        shown.reset();
        for (const [labels, value] of typeof reading === "number" ? [[[], reading] as const] : reading) {
          shown.inc(labelsOf(labels), value);
        }
      }
      const options = { ...describe(metric), collect };
      const shown = type === "gauge" ? new PromGauge(options) : new PromCounter(options);
    },

    async render(onError = () => {}) {
      const texts = new Map<string, string>(registry.getMetricsAsArray().map(({ name }) => [name, ""]));
      const names = texts.keys();
      // They share the iterator: each takes the next name.
      const readers = Array.from({ length: READ_AT_ONCE }, async () => {
        for (const name of names) {
          try {
            texts.set(name, await registry.getSingleMetricAsString(name));
          } catch (error) {
            texts.delete(name);
            onError(error, name);
          }
        }
      });
      await Promise.all(readers);
      return `${[...texts.values()].join("\n")}\n`;
    },
  };
}

/** Finds a series by the values of its labels, and makes it as long as there are fewer than `MAX_SERIES`. */
function bounded<T>(metric: Described, create: (labels: Record<string, string | number>) => T): (values: Values) => T {
  const series = new Map<string, T>();
  const labelsOf = toLabels(metric);
  let others: T | undefined;
  return (values) => {
    const key = values.join("\0");
    const known = series.get(key);
    if (known !== undefined) return known;
    const labels = labelsOf(values);
    if (series.size >= MAX_SERIES) {
      others ??= create(labelsOf(values.map(() => "other")));
      return others;
    }
    const made = create(labels);
    series.set(key, made);
    return made;
  };
}

/** Checks and names the values of a metric's labels. */
function toLabels({ name, labels: names = [] }: Described): (values: Values) => Record<string, string | number> {
  return (values) => {
    if (values.length !== names.length) throw new Error(`${name} has the labels ${names.join(", ")}`);
    return Object.fromEntries(names.map((label, i) => [label, values[i] as string | number]));
  };
}
