/** A load: so many calls under way at once, each followed by the next, for a time. */

import { type Curve, spreadOf } from "./result.ts";

export type Load = {
  /** Calls a second. */
  readonly rate: number;
  readonly count: number;
  readonly seconds: number;
  /** Milliseconds, sorted. */
  readonly latencies: Float64Array;
};

/**
 * Keeps `inFlight` calls under way until the time is up. `work` answers false when there is nothing left to do; what is
 * under way at the end is waited for and counted.
 */
export async function load(options: {
  readonly inFlight: number;
  readonly seconds: number;
  readonly work: () => Promise<unknown> | false;
}): Promise<Load> {
  const { inFlight, seconds, work } = options;
  const latencies: number[] = [];
  const started = performance.now();
  const until = started + seconds * 1_000;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (let began = performance.now(); began < until; began = performance.now()) {
        if ((await work()) === false) return;
        latencies.push(performance.now() - began);
      }
    }),
  );
  const took = (performance.now() - started) / 1_000;
  return {
    rate: latencies.length / took,
    count: latencies.length,
    seconds: took,
    latencies: Float64Array.from(latencies).sort(),
  };
}

/** Of a sorted list; `part` from 0 to 1. */
export const percentile = (sorted: ArrayLike<number>, part: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;

/**
 * Runs every subject once in each round, in an order that moves on from round to round: what changes on the machine
 * meanwhile meets all of them.
 */
export async function inRounds<T>(
  rounds: number,
  subjects: Readonly<Record<string, () => Promise<T>>>,
): Promise<Readonly<Record<string, T[]>>> {
  const names = Object.keys(subjects);
  const found = Object.fromEntries(names.map((name) => [name, [] as T[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (let i = 0; i < names.length; i += 1) {
      const name = names[(i + round) % names.length]!;
      found[name]!.push(await subjects[name]!());
    }
  }
  return found;
}

/** The curve of loads at rising numbers of calls in flight: the median round of each. */
export function curve(name: string, loads: readonly (readonly [inFlight: number, rounds: readonly Load[]])[]): Curve {
  const middle = (values: readonly number[]) => spreadOf(values).median;
  return {
    name,
    points: loads.map(([inFlight, rounds]) => ({
      inFlight,
      rate: middle(rounds.map(({ rate }) => rate)),
      p50: middle(rounds.map(({ latencies }) => percentile(latencies, 0.5))),
      p99: middle(rounds.map(({ latencies }) => percentile(latencies, 0.99))),
    })),
  };
}
