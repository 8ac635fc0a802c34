/**
 * Counters, histograms and gauges in the text format of Prometheus (exposition format 0.0.4). Labels are bounded: a
 * metric keeps at most `MAX_SERIES` combinations, and what comes beyond is counted under `other`.
 */

const MAX_SERIES = 1_000;

type Values = readonly (string | number)[];

export type Counter = { add(labels: Values, by?: number): void };
export type Histogram = { observe(labels: Values, value: number): void };

type Described = { readonly name: string; readonly help: string; readonly labels?: readonly string[] };

export type Metrics = {
  counter(metric: Described): Counter;
  /** `buckets`: upper bounds, rising; the one without a bound is added. */
  histogram(metric: Described & { readonly buckets: readonly number[] }): Histogram;
  /** Read when somebody asks. A gauge that cannot be read is left out of that answer. */
  gauge(metric: Described & { readonly type?: "gauge" | "counter"; read(): Reading | Promise<Reading> }): void;
  /** The whole text. `onError` hears of gauges that could not be read. */
  render(onError?: (error: unknown, name: string) => void): Promise<string>;
};

/** One value, or one for each combination of labels. */
export type Reading = number | readonly (readonly [Values, number])[];

/** Bounds for times in seconds: from a look-up in memory to a call that is given up. */
export const SECONDS: readonly number[] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export function createMetrics(): Metrics {
  const metrics = new Map<string, () => string[] | Promise<string[]>>();

  function register({ name, help }: Described, type: string, lines: () => string[] | Promise<string[]>): void {
    if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new Error(`${name} is not a metric's name`);
    // The parts of a process may be made again in the same process (tests): the last one counts.
    const head = [`# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`, `# TYPE ${name} ${type}`];
    metrics.set(name, async () => [...head, ...(await lines())]);
  }

  return {
    counter(metric) {
      const series = createSeries(metric, () => ({ value: 0 }));
      register(metric, "counter", () => series.map((labels, { value }) => [`${metric.name}${labels()} ${value}`]));
      return {
        add(labels, by = 1) {
          series.of(labels).value += by;
        },
      };
    },

    histogram(metric) {
      const { name, buckets } = metric;
      const series = createSeries(metric, () => ({ counts: buckets.map(() => 0), count: 0, sum: 0 }));
      register(metric, "histogram", () =>
        series.map((labels, { counts, count, sum }) => {
          let below = 0;
          const lines = buckets.map((bound, i) => {
            below += counts[i] as number;
            return `${name}_bucket${labels("le", bound)} ${below}`;
          });
          return [
            ...lines,
            `${name}_bucket${labels("le", "+Inf")} ${count}`,
            `${name}_sum${labels()} ${sum}`,
            `${name}_count${labels()} ${count}`,
          ];
        }),
      );
      return {
        observe(labels, value) {
          const one = series.of(labels);
          const i = buckets.findIndex((bound) => value <= bound);
          if (i >= 0) (one.counts[i] as number)++;
          one.count += 1;
          one.sum += value;
        },
      };
    },

    gauge(metric) {
      register(metric, metric.type ?? "gauge", async () => {
        const reading = await metric.read();
        const values = typeof reading === "number" ? [[[], reading] as const] : reading;
        return values.map(([labels, value]) => `${metric.name}${labelText(metric.labels ?? [], labels)} ${value}`);
      });
    },

    async render(onError = () => {}) {
      const parts = await Promise.all(
        [...metrics].map(async ([name, lines]) => {
          try {
            return await lines();
          } catch (error) {
            onError(error, name);
            return [];
          }
        }),
      );
      return `${parts.flat().join("\n")}\n`;
    },
  };
}

type LabelText = (extra?: string, value?: string | number) => string;

/** The values of a metric by their labels. */
function createSeries<T>({ name, labels: names = [] }: Described, create: () => T) {
  const all = new Map<string, { labels: Values; value: T }>();
  return {
    of(labels: Values): T {
      if (labels.length !== names.length) throw new Error(`${name} has the labels ${names.join(", ")}`);
      const known = all.get(labels.join("\0"));
      if (known) return known.value;
      const kept = all.size < MAX_SERIES ? labels : names.map(() => "other");
      const key = kept.join("\0");
      const made = all.get(key) ?? { labels: kept, value: create() };
      all.set(key, made);
      return made.value;
    },
    map(lines: (labels: LabelText, value: T) => string[]): string[] {
      return [...all.values()].flatMap(({ labels, value }) =>
        lines(
          (extra, bound) =>
            extra === undefined
              ? labelText(names, labels)
              : labelText([...names, extra], [...labels, bound as string | number]),
          value,
        ),
      );
    },
  };
}

function labelText(names: readonly string[], values: Values): string {
  if (names.length === 0) return "";
  const escaped = (value: string | number) =>
    String(value).replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
  return `{${names.map((label, i) => `${label}="${escaped(values[i] as string | number)}"`).join(",")}}`;
}
