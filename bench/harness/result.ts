/** What a benchmark found: figures with their spread, their ratio to a floor of the same run, and the bar they have. */

/** A value over the rounds of a run. */
type Spread = { readonly median: number; readonly low: number; readonly high: number };

export type Figure = Spread & {
  readonly name: string;
  /** `/s`, `ms`, `MB`, …; empty for a plain number. */
  readonly unit: string;
  readonly rounds: number;
  /** Round by round against what the database, the disk or the network does at best in the same round. */
  readonly ratio: (Spread & { readonly to: string }) | null;
  readonly bar: Bar | null;
};

/** What it must reach, and on which side of it a value is good. */
export type Bar = { readonly of: "value" | "ratio"; readonly least?: number; readonly most?: number };

/** One line of a plot: throughput and latency by calls in flight. */
export type Curve = {
  readonly name: string;
  readonly points: readonly {
    readonly inFlight: number;
    /** A second. */
    readonly rate: number;
    /** Milliseconds. */
    readonly p50: number;
    readonly p99: number;
  }[];
};

export type Result = {
  readonly name: string;
  readonly figures: readonly Figure[];
  readonly curves: readonly Curve[];
  /** Whether what must hold beside speed did: the books, exactness. Empty: it did. */
  readonly problems: readonly string[];
  readonly seconds: number;
  /** The earlier run that it is of, when a later one measured others again. */
  readonly of?: Pick<Run, "at" | "machine" | "rounds">;
};

/** One run with all that is needed to read it later. */
export type Run = {
  readonly at: string;
  readonly pace: string;
  /** How often each figure was measured. Runs of before it was kept have none. */
  readonly rounds?: number | undefined;
  readonly machine: Readonly<Record<string, string>>;
  readonly results: readonly Result[];
};

export const spreadOf = (values: readonly number[]): Spread => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const median = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2;
  return { median, low: sorted[0]!, high: sorted.at(-1)! };
};

/** A figure of one value for each round; `floor` has the floor's value of the same rounds. */
export function figure(
  name: string,
  unit: string,
  values: readonly number[],
  more: { readonly floor?: { readonly to: string; readonly values: readonly number[] }; readonly bar?: Bar } = {},
): Figure {
  const { floor, bar } = more;
  const ratio = floor && { to: floor.to, ...spreadOf(values.map((value, i) => value / floor.values[i]!)) };
  return { name, unit, rounds: values.length, ...spreadOf(values), ratio: ratio ?? null, bar: bar ?? null };
}

/** Whether a figure meets its bar; null: it has none. */
export function meets({ median, ratio, bar }: Figure): boolean | null {
  if (bar === null) return null;
  const value = bar.of === "ratio" ? (ratio?.median ?? Number.NaN) : median;
  return value >= (bar.least ?? Number.NEGATIVE_INFINITY) && value <= (bar.most ?? Number.POSITIVE_INFINITY);
}
