import pg from "pg";
import { openDb } from "../../gateway/src/db/pool.ts";
import { brokenBooks } from "../harness/books.ts";
import { startGateway } from "../harness/gateway.ts";
import { load, percentile } from "../harness/load.ts";
import { openLoop } from "../harness/open-loop.ts";
import { startSink } from "../harness/sink.ts";
import type { Stage } from "../harness/stage.ts";
import { openMix } from "./mix.ts";
import { postmasterOf, readMemory, readTables, type TableSize } from "./sample.ts";

/** One check, after a part of the load. */
export type Sample = {
  /** Since the load began, seconds. */
  readonly at: number;
  /** Milliseconds by kind of call, counted from when each was due. */
  readonly kinds: Readonly<Record<string, { readonly p50: number; readonly p99: number; readonly good: number }>>;
  /** MB by process. */
  readonly memory: Readonly<Record<string, number>>;
  readonly tables: Readonly<Record<string, TableSize>>;
  /** Bytes of the write-ahead log that this part wrote. */
  readonly wal: number;
  readonly webhooks: number;
};

export type Soaked = {
  /** Calls a second that all kinds together could do, if that was measured; and those that were begun. */
  readonly capacity: number | null;
  readonly rate: number;
  readonly samples: readonly Sample[];
  /** MB an hour by process, over the later half. */
  readonly slopes: Readonly<Record<string, number>>;
  /** p99 of the last third by that of the first third, of kinds that were answered in both. */
  readonly drifts: Readonly<Record<string, number>>;
  /** Dead rows for each live one at the end, of tables with a thousand rows and more. */
  readonly dead: Readonly<Record<string, number>>;
  readonly problems: readonly string[];
};

/** In flight while the capacity is measured. */
const IN_FLIGHT = 64;

/**
 * A gateway as operators run it, at a steady load of everything: half of what it can do, or `rate` calls a second. Checks
 * memory, latencies, tables and log after each part of `seconds`.
 */
export async function soak(
  stage: Stage,
  options: { readonly parts: number; readonly seconds: number; readonly rate: number | null },
): Promise<Soaked> {
  const gateway = await startGateway(stage);
  const sink = await startSink();
  stage.after(async () => sink.stop());
  const client = new pg.Client({ connectionString: gateway.databaseUrl });
  await client.connect();
  stage.after(() => client.end());
  const postmaster = await postmasterOf(client);
  const mix = await openMix(stage, gateway, sink);
  const problems = new Map<string, number>();
  const blame = (what: string, many = 1) => problems.set(what, (problems.get(what) ?? 0) + many);

  let capacity: number | null = null;
  if (options.rate === null) {
    const turns = mix.kinds.flatMap((kind) => Array.from({ length: Math.round(kind.share * 100) }, () => kind));
    let turn = 0;
    // 37 and 100 have no common divisor: all kinds come by, mixed.
    const work = () => turns[(turn++ * 37) % turns.length]!.call();
    await load({ inFlight: IN_FLIGHT, seconds: options.seconds / 4, work });
    capacity = (await load({ inFlight: IN_FLIGHT, seconds: Math.min(20, options.seconds), work })).rate;
  }
  const rate = options.rate ?? capacity! / 2;
  stage.say(`${capacity === null ? "" : `capacity ${Math.round(capacity)}/s, `}${Math.round(rate)} calls a second`);

  const samples: Sample[] = [];
  const began = performance.now();
  let [wal, webhooks] = [(await readTables(client)).wal, await sink.received()];
  for (let part = 0; part < options.parts; part += 1) {
    await mix.renew();
    const loads = await Promise.all(
      mix.kinds.map(async (kind) => {
        const done = await openLoop({ rate: rate * kind.share, seconds: options.seconds, call: kind.call });
        for (const [what, many] of done.other) blame(`${kind.name} was answered ${what}`, many);
        if (done.refused.length > 0) blame(`${kind.name} was refused`, done.refused.length);
        if (done.unsent > 0) blame(`${kind.name} was not sent: this process fell behind`, done.unsent);
        const { good } = done;
        return [kind.name, { p50: percentile(good, 0.5), p99: percentile(good, 0.99), good: good.length }] as const;
      }),
    );
    const [now, received] = [await readTables(client), await sink.received()];
    const sample: Sample = {
      at: (performance.now() - began) / 1_000,
      kinds: Object.fromEntries(loads),
      memory: readMemory(gateway.pid, sink.pid, postmaster),
      tables: now.tables,
      wal: now.wal - wal,
      webhooks: received - webhooks,
    };
    samples.push(sample);
    [wal, webhooks] = [now.wal, received];
    stage.say(describe(sample));
  }
  const db = openDb({ url: gateway.databaseUrl, max: 1, onError: () => {} });
  stage.after(() => db.end());
  return {
    capacity,
    rate,
    samples,
    slopes: slopesOf(samples),
    drifts: driftsOf(samples),
    dead: deadOf(samples.at(-1)!),
    problems: [...[...problems].map(([what, many]) => `${what}, ${many} times`), ...(await brokenBooks(db))],
  };
}

function describe({ at, kinds, memory, wal, webhooks }: Sample): string {
  const calls = Object.entries(kinds).map(
    ([name, k]) => `${name} ${k.good}× ${k.p50.toFixed(1)}/${k.p99.toFixed(1)} ms`,
  );
  const memories = Object.entries(memory).map(([name, mb]) => `${name} ${Math.round(mb)} MB`);
  return `${Math.round(at)} s: ${[...calls, ...memories].join(", ")}, ${(wal / 1e6).toFixed(1)} MB of log, ${webhooks} webhooks`;
}

/**
 * The middle of the slopes between any two checks of the later half: what a start warms up does not count, and one
 * collection of garbage tilts nothing.
 */
function slopesOf(samples: readonly Sample[]): Record<string, number> {
  const late = samples.slice(Math.floor(samples.length / 2));
  const slope = (a: Sample, b: Sample, name: string) =>
    ((b.memory[name] ?? 0) - (a.memory[name] ?? 0)) / ((b.at - a.at) / 3_600);
  return Object.fromEntries(
    Object.keys(late[0]!.memory).map((name) => {
      const slopes = late.flatMap((a, i) => late.slice(i + 1).map((b) => slope(a, b, name))).sort((a, b) => a - b);
      return [name, slopes[slopes.length >> 1] ?? 0];
    }),
  );
}

function driftsOf(samples: readonly Sample[]): Record<string, number> {
  const third = Math.max(1, Math.floor(samples.length / 3));
  const p99 = (part: readonly Sample[], name: string) =>
    part.map(({ kinds }) => kinds[name]!.p99).sort((a, b) => a - b)[part.length >> 1]!;
  const answered = (name: string) => samples.every(({ kinds }) => kinds[name]!.good > 0);
  return Object.fromEntries(
    Object.keys(samples[0]!.kinds)
      .filter(answered)
      .map((name) => [name, p99(samples.slice(-third), name) / p99(samples.slice(0, third), name)]),
  );
}

const deadOf = ({ tables }: Sample): Record<string, number> =>
  Object.fromEntries(
    Object.entries(tables)
      .filter(([, { live }]) => live >= 1_000)
      .map(([name, { live, dead }]) => [name, dead / live]),
  );
