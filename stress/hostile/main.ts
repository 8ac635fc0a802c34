/**
 * `npm run hostile -- --seed 7 --requests 20000 --notifications 10000 --answers 300` sends a gateway hostile requests,
 * notifications and answers. Prints what it sent, the gateway's memory, and the findings; writes
 * docs/performance/hostile.md.
 *
 * `npm run hostile -- --only "explanation|auditor"` runs the attacks whose names match, and writes nothing; `--lines 60000` gives the
 * tenant that reads a shorter history.
 *
 * `npm run hostile -- --minutes 60` attacks a gateway for an hour beside ordinary tenants instead, and writes
 * docs/performance/hostile-hour.md, after each attack as far as it is.
 */
import { writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { readOptions } from "../../scripts/options.ts";
import { attack } from "./attack.ts";
import { FAILED } from "./attacks.ts";
import { measureCosts } from "./cost.ts";
import { hostile } from "./hostile.ts";
import { attackForAnHour, type Hour } from "./hour/hour.ts";
import { hourPage } from "./hour/page.ts";
import { hostilePage } from "./page.ts";
import { measureRefusals } from "./refuse.ts";

const values = readOptions(import.meta.url, {
  options: {
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    requests: { type: "string", default: "20000" },
    notifications: { type: "string", default: "10000" },
    answers: { type: "string", default: "300" },
    only: { type: "string", default: "" },
    lines: { type: "string", default: "600000" },
    minutes: { type: "string" },
  },
});

const write = (name: string, page: string) =>
  writeFileSync(new URL(`../../docs/performance/${name}.md`, import.meta.url), page);

if (values.minutes === undefined) await attackAndFuzz();
else await attackForMinutes(Number(values.minutes));

async function attackForMinutes(minutes: number): Promise<void> {
  const began = new Date();
  const writeHour = (hour: Hour) => write("hostile-hour", hourPage(hour, began));
  const hour = await attackForAnHour({
    minutes,
    after(soFar) {
      writeHour(soFar);
      const { kind, from, to, most, core, counts } = soFar.phases.at(-1)!;
      const failed = soFar.calls.filter((call) => call.at >= from && call.failure !== null).length;
      console.log(
        JSON.stringify({
          kind,
          seconds: Math.round((to - from) / 1_000),
          failed,
          most,
          core,
          ...Object.fromEntries(counts),
        }),
      );
    },
  });
  writeHour(hour);
  const failed = hour.calls.filter(({ failure }) => failure !== null).length;
  console.log(`${hour.calls.length} calls of ordinary tenants, ${failed} failed; ${hour.findings!.length} findings`);
  for (const finding of hour.findings!) console.log(`- ${finding}`);
  process.exitCode = failed === 0 && hour.findings!.length === 0 ? 0 : 1;
}

/** The result of a part of the run, or `otherwise` if it fails, so that the page is written in any case. */
async function orElse<T>(findings: string[], what: string, part: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await part();
  } catch (error) {
    findings.push(`${what} failed: ${(error as Error).stack}`);
    return otherwise;
  }
}

async function attackAndFuzz(): Promise<void> {
  const started = Date.now();
  const [load, cores] = [loadavg()[0] ?? 0, availableParallelism()];
  const log = (line: string) => console.log(`${Math.round((Date.now() - started) / 1_000)} s: ${line}`);
  const found: string[] = [];
  const extent = { databaseUrl: null, lines: Number(values.lines), seconds: 8, only: new RegExp(values.only, "i") };
  const nothing = { lines: [], booksHold: false };
  const { lines, booksHold } = await orElse(found, "the attacks", () => attack(extent, log), nothing);
  if (!booksHold) found.push("the books do not hold after the attacks");
  found.push(...lines.filter(({ now }) => now.startsWith(FAILED)).map(({ name, now }) => `${name}: ${now}`));
  if (values.only !== "") return report(started, found);
  const answers = await orElse(found, "the costs of answers", () => measureCosts({}), []);
  const refusals = await orElse(found, "the costs of refusals", () => measureRefusals({}), []);
  const costs = [...answers, ...refusals];
  log(JSON.stringify(costs));
  const fuzz = {
    seed: Number(values.seed),
    requests: Number(values.requests),
    notifications: Number(values.notifications),
    answers: Number(values.answers),
    log,
  };
  const none = {
    findings: [],
    memory: { requests: [], notifications: [], answers: [] },
    counts: { requests: 0, notifications: 0, answers: 0 },
  };
  const { findings, memory, counts } = await orElse(found, "the strangers", () => hostile(fuzz), none);
  log(JSON.stringify({ counts, memory }));
  const page = hostilePage({
    ...{ lines, costs, load, cores },
    fuzzed: counts,
    findings: findings.length,
    at: new Date(),
  });
  write("hostile", page);
  report(started, [...found, ...findings]);
}

function report(started: number, findings: readonly string[]): void {
  console.log(`${Math.round((Date.now() - started) / 1000)} s, seed ${values.seed}: ${findings.length} findings`);
  for (const finding of findings) console.log(`- ${finding}`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
