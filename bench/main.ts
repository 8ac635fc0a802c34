/**
 * The benchmarks: `npm run bench -- [--only name,name] [--quick] [--lines 10000000] [--json file] [--url postgres://…]`.
 * On the real code and a real PostgreSQL (embedded, or that of the url). Prints figures; writes them as JSON.
 * `docs/benchmarks.md` and its plots are made from such a file: `npm run bench -- --page file.json`.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { auth } from "./auth.ts";
import { chargeHttp } from "./charge-http.ts";
import { deliver } from "./deliver.ts";
import { growth } from "./growth.ts";
import { machine } from "./harness/machine.ts";
import { printResult } from "./harness/print.ts";
import type { Result } from "./harness/result.ts";
import { type Benchmark, openStage, PACES } from "./harness/stage.ts";
import { notifyToWebhook } from "./notify-to-webhook.ts";
import { qr } from "./qr.ts";
import { read } from "./read.ts";
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
  growth,
  qr,
  auth,
  start,
];

/** One run with all that is needed to read it later. */
export type Run = {
  readonly at: string;
  readonly pace: string;
  readonly machine: Record<string, string>;
  readonly results: readonly Result[];
};

/** Runs benchmarks one after the other. */
export async function runAll(
  benchmarks: readonly Benchmark[],
  options: {
    readonly pace: keyof typeof PACES;
    readonly lines: number;
    readonly url: string | null;
    readonly say: (line: string) => void;
  },
): Promise<Run> {
  const at = new Date().toISOString();
  const results: Result[] = [];
  let about: Record<string, string> = {};
  for (const { name, run } of benchmarks) {
    options.say(`\n${name}`);
    const stage = await openStage({ ...options, pace: PACES[options.pace] });
    try {
      about = await machine(stage.postgresUrl);
      const began = performance.now();
      const found = await run(stage);
      const result = { name, ...found, seconds: (performance.now() - began) / 1_000 };
      printResult(result, options.say);
      results.push(result);
    } finally {
      await stage.close();
    }
  }
  return { at, pace: options.pace, machine: about, results };
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      quick: { type: "boolean", default: false },
      pace: { type: "string" },
      lines: { type: "string", default: "10000000" },
      json: { type: "string", default: "bench.json" },
      url: { type: "string" },
    },
  });
  const only = values.only?.split(",");
  const chosen = BENCHMARKS.filter(({ name }) => only === undefined || only.includes(name));
  if (chosen.length === 0) {
    console.error(`no such benchmark; there are ${BENCHMARKS.map(({ name }) => name).join(", ")}`);
    process.exit(1);
  }
  const pace = (values.pace ?? (values.quick ? "quick" : "full")) as keyof typeof PACES;
  const run = await runAll(chosen, {
    pace,
    lines: Number(values.lines),
    url: values.url ?? null,
    say: (line) => console.log(line),
  });
  writeFileSync(values.json, `${JSON.stringify(run, null, 1)}\n`);
  const problems = run.results.flatMap((result) => result.problems.map((problem) => `${result.name}: ${problem}`));
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
