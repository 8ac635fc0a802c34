import { type Meter, minus } from "./cost.ts";
import type { Load } from "./load.ts";
import { type Figure, figure } from "./result.ts";
import type { Trips } from "./trips.ts";

/** What one piece of work costs beside time. */
export type Each = {
  /** Milliseconds of CPU of the process that works, and of PostgreSQL. */
  readonly cpu: number;
  readonly postgresCpu: number;
  readonly walBytes: number;
  readonly walFlushes: number;
  readonly statements: number;
  readonly trips: number;
};

/** Runs a load of this process and reports what each piece of it cost. */
export async function measured(
  by: { readonly meter: Meter; readonly trips: Trips },
  work: () => Promise<Load>,
): Promise<Load & { readonly each: Each }> {
  await by.trips.report();
  const before = await by.meter.read();
  const [cpu, asked] = [process.cpuUsage(), by.trips.read()];
  const done = await work();
  const [used, answered] = [process.cpuUsage(cpu), by.trips.read()];
  await by.trips.report();
  const spent = minus(await by.meter.read(), before);
  const each = {
    cpu: (used.user + used.system) / 1_000 / done.count,
    postgresCpu: spent.postgresCpu / done.count,
    walBytes: spent.walBytes / done.count,
    walFlushes: spent.walFlushes / done.count,
    statements: (answered.statements - asked.statements) / done.count,
    trips: (answered.trips - asked.trips) / done.count,
  };
  return { ...done, each };
}

/** The costs as figures; `of` names one piece of work and the load. */
export function costFigures(of: string, rounds: readonly Each[]): Figure[] {
  const made = (name: string, unit: string, key: keyof Each) =>
    figure(`${name}, ${of}`, unit, rounds.map((each) => each[key])); // biome-ignore format: one line
  return [
    made("CPU of this process", "ms", "cpu"),
    made("CPU of PostgreSQL", "ms", "postgresCpu"),
    made("statements", "", "statements"),
    made("round trips", "", "trips"),
    made("log written", "bytes", "walBytes"),
    made("log forced to the disk", "", "walFlushes"),
  ];
}
