/**
 * The benchmarks, on the real code and a real PostgreSQL (embedded, or that of the url). Prints figures; writes them as
 * JSON.
 *
 *     npm run bench -- [--only name,name] [--quick] [--rounds 3] [--lines 10000000] [--json file] [--merge]
 *                       [--url postgres://…] [--pgledger folder]
 *     npm run bench -- --page file.json     writes docs/performance/benchmarks.md and its plots from a run
 *
 * Every figure is measured `--rounds` times, in turns with its floor: 3 (with `--quick` 1) unless told; `growth` at least 5 unless it is 1.
 * `--pgledger` is the folder of a checkout of github.com/pgr0ss/pgledger: settle-hot then measures its postings in the same rounds.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readOptions } from "../scripts/options.ts";
import { auth } from "./auth.ts";
import { chargeHttp } from "./charge-http.ts";
import { deliver } from "./deliver.ts";
import { growth } from "./growth.ts";
import { machine } from "./harness/machine.ts";
import { pageOf, plotTitle } from "./harness/page.ts";
import { plotCurves } from "./harness/plot.ts";
import { printResult } from "./harness/print.ts";
import type { Result, Run } from "./harness/result.ts";
import { type Benchmark, openStage, PACES, type Pace } from "./harness/stage.ts";
import { notifyToWebhook } from "./notify-to-webhook.ts";
import { qr } from "./qr.ts";
import { read } from "./read.ts";
import { search } from "./search.ts";
import { settleHot } from "./settle-hot.ts";
import { settleSpread } from "./settle-spread.ts";
import { start } from "./start.ts";
import { withdrawExact } from "./withdraw-exact.ts";

/** In the order of the page. */
export const BENCHMARKS: readonly Benchmark[] = [
  settleHot,
  settleSpread,
  withdrawExact,
  chargeHttp,
  notifyToWebhook,
  deliver,
  read,
  search,
  growth,
  qr,
  auth,
  start,
];

/** Runs benchmarks one after the other. */
export async function runAll(
  benchmarks: readonly Benchmark[],
  options: {
    readonly pace: Pace;
    readonly lines: number;
    readonly url: string | null;
    readonly pgledger?: string | null;
    readonly say: (line: string) => void;
  },
): Promise<Run> {
  const at = new Date().toISOString();
  const results: Result[] = [];
  let about: Record<string, string> | null = null;
  const groups = options.pace.shares ? [benchmarks] : benchmarks.map((benchmark) => [benchmark]);
  for (const group of groups) {
    const stage = await openStage(options);
    try {
      about ??= await machine(stage.postgresUrl);
      for (const { name, run } of group) {
        options.say(`\n${name}`);
        const began = performance.now();
        // One that fails must not take the hours of the others with it.
        const found = await run(stage).catch((error: unknown) => ({
          figures: [],
          curves: [],
          problems: [`it failed: ${(error as Error).stack ?? String(error)}`],
        }));
        const result = { name, ...found, seconds: (performance.now() - began) / 1_000 };
        printResult(result, options.say);
        results.push(result);
      }
    } finally {
      await stage.close();
    }
  }
  return { at, pace: options.pace.name, rounds: options.pace.rounds, machine: about ?? {}, results };
}

/** A run with the results of another put in: those that were measured again replace what there was; others say of when they are. */
export function merged(before: Run, run: Run): Run {
  const kept = before.results.map((result) => ({
    of: { at: before.at, rounds: before.rounds, machine: before.machine },
    ...result,
  }));
  const all = new Map([...kept, ...run.results].map((result) => [result.name, result]));
  const results = BENCHMARKS.flatMap(({ name }) => all.get(name) ?? []);
  return { ...run, results };
}

const readRun = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Run;

function writePage(run: Run): void {
  const docs = new URL("../docs/performance/", import.meta.url);
  mkdirSync(docs, { recursive: true });
  writeFileSync(new URL("benchmarks.md", docs), pageOf(run));
  for (const { name, curves } of run.results) {
    const title = plotTitle(name);
    if (title && curves.length > 0) writeFileSync(new URL(`${name}.svg`, docs), plotCurves(title, curves));
  }
}

async function main(): Promise<void> {
  const values = readOptions(import.meta.url, {
    options: {
      only: { type: "string" },
      quick: { type: "boolean", default: false },
      rounds: { type: "string" },
      lines: { type: "string", default: "10000000" },
      json: { type: "string", default: "bench.json" },
      merge: { type: "boolean", default: false },
      page: { type: "string" },
      url: { type: "string" },
      pgledger: { type: "string" },
    },
  });
  if (values.page !== undefined) return writePage(readRun(values.page));
  const only = values.only?.split(",");
  const chosen = BENCHMARKS.filter(({ name }) => only === undefined || only.includes(name));
  const unknown = only?.find((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name));
  if (unknown !== undefined) {
    console.error(`there is no benchmark ${unknown}; there are ${BENCHMARKS.map(({ name }) => name).join(", ")}`);
    process.exitCode = 1;
    return;
  }
  const pace = PACES[values.quick ? "quick" : "full"];
  const rounds = Number(values.rounds ?? pace.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) {
    console.error(`--rounds is a whole number from 1 on, not ${values.rounds}`);
    process.exitCode = 1;
    return;
  }
  const run = await runAll(chosen, {
    pace: { ...pace, rounds },
    lines: Number(values.lines),
    url: values.url ?? null,
    pgledger: values.pgledger ?? null,
    say: (line) => console.log(line),
  });
  const whole = values.merge && existsSync(values.json) ? merged(readRun(values.json), run) : run;
  writeFileSync(values.json, `${JSON.stringify(whole, null, 1)}\n`);
  if (run.results.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
}

if (import.meta.main) await main();
