/**
 * A steady load of everything for long: `npm run soak -- --minutes 20 [--rate 300] [--json file] [--svg file]`. Prints what
 * a minute looked like, and in the end how memory, latencies and tables went.
 */
import { writeFileSync } from "node:fs";
import { readOptions } from "../../scripts/options.ts";
import { openStage, PACES } from "../harness/stage.ts";
import { plotSoak } from "./plot.ts";
import { soak } from "./soak.ts";

const values = readOptions(import.meta.url, {
  options: {
    minutes: { type: "string", default: "20" },
    // Calls a second; left out: half of what is measured first.
    rate: { type: "string" },
    // Seconds between two checks.
    every: { type: "string", default: "60" },
    url: { type: "string" },
    json: { type: "string" },
    svg: { type: "string" },
  },
});

const say = (line: string) => console.log(line);
const stage = await openStage({ pace: PACES.full, lines: 0, url: values.url ?? null, say });
try {
  const seconds = Number(values.every);
  const parts = Math.max(1, Math.round((Number(values.minutes) * 60) / seconds));
  const soaked = await soak(stage, { parts, seconds, rate: values.rate === undefined ? null : Number(values.rate) });
  if (values.json) writeFileSync(values.json, JSON.stringify(soaked, null, 2));
  if (values.svg) writeFileSync(values.svg, plotSoak(soaked));
  const list = (what: Readonly<Record<string, number>>, unit: string) =>
    Object.entries(what)
      .map(([name, value]) => `${name} ${value.toFixed(2)}${unit}`)
      .join(", ");
  say(`memory: ${list(soaked.slopes, " MB an hour")}`);
  say(`p99, last third by first: ${list(soaked.drifts, "×")}`);
  say(`dead rows for each live one: ${list(soaked.dead, "")}`);
  for (const problem of soaked.problems) say(`- ${problem}`);
  process.exitCode = soaked.problems.length === 0 ? 0 : 1;
} finally {
  await stage.close();
}
