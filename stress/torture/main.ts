/**
 * `npm run torture -- --seed 7 --minutes 5`: prints counts and the judge's findings. The seed plans the work, the PSP's
 * faults, the kills, failpoints and clocks. It does not repeat how the machine schedules them.
 */
import { writeFileSync } from "node:fs";
import { readOptions } from "../../scripts/options.ts";
import { DIALECTS, type Dialect } from "./banks.ts";
import { torture } from "./torture.ts";

const values = readOptions(import.meta.url, {
  allowNegative: true,
  options: {
    seed: { type: "string", default: String(Math.floor(Math.random() * 1_000_000)) },
    minutes: { type: "string", default: "2" },
    kills: { type: "string", default: "0" },
    merchants: { type: "string", default: "4" },
    withdrawers: { type: "string", default: "2" },
    // Accounts of the crowd, and how many of them sell at once.
    tenants: { type: "string", default: "6" },
    "tenants-at-once": { type: "string", default: "4" },
    // Dialects of further institutions; "" for none. The first of them dies at two thirds of the run, unless `--no-death`.
    banks: { type: "string", default: "woovi,efi" },
    death: { type: "boolean", default: true },
    // A restore in the middle; `--no-restore` leaves it out.
    restore: { type: "boolean", default: true },
    // Milliseconds between two pieces of work of a worker, and between two strikes.
    pace: { type: "string", default: "200" },
    strike: { type: "string", default: "1500" },
    // Share of the strikes that hit gateways and workers; the others hit PostgreSQL.
    programs: { type: "string", default: "0.65" },
    // Share of the programs' starts that are killed at a failpoint: choose fewer on a slow machine.
    failpoints: { type: "string", default: "1" },
    freeze: { type: "string", default: "3000" },
    // Most seconds by which a clock is wrong.
    jump: { type: "string", default: "240" },
    // Runs on a Citus cluster, with the programs in the folder PIXGATE_CITUS_BIN.
    cluster: { type: "boolean", default: false },
    // Keeps the folder with the database and the simulator's log.
    keep: { type: "boolean", default: false },
    // File for the whole result as JSON, with each program's memory.
    out: { type: "string" },
  },
});

const citus = process.env.PIXGATE_CITUS_BIN;
if (values.cluster && !citus) {
  console.error("--cluster needs PIXGATE_CITUS_BIN: the folder of PostgreSQL's programs with Citus");
  process.exit(2);
}
function dialectOf(name: string): Dialect {
  const found = DIALECTS.find((dialect) => dialect === name);
  if (found !== undefined) return found;
  console.error(`--banks takes ${DIALECTS.join(", ")}, not "${name}"`);
  process.exit(2);
}
const seed = Number(values.seed);
console.log(`seed ${seed}`);
const result = await torture({
  seed,
  citus: values.cluster ? citus : undefined,
  seconds: Number(values.minutes) * 60,
  kills: Number(values.kills),
  merchants: Number(values.merchants),
  withdrawers: Number(values.withdrawers),
  crowd: { tenants: Number(values.tenants), atOnce: Number(values["tenants-at-once"]) },
  otherBanks: values.banks
    .split(",")
    .filter((name) => name !== "")
    .map(dialectOf),
  death: values.death,
  restore: values.restore && !values.cluster,
  paceMs: Number(values.pace),
  strikeMs: Number(values.strike),
  programs: Number(values.programs),
  failpoints: Number(values.failpoints),
  freezeMs: Number(values.freeze),
  jumpSeconds: Number(values.jump),
  keep: values.keep,
  log: (line) => console.log(line),
});
if (values.out) writeFileSync(values.out, JSON.stringify(result, null, 2));
const { findings, counts, failpoints, missed, errors, memory } = result;
console.log(JSON.stringify(counts));
console.log(`died at ${JSON.stringify(failpoints)}; not at ${missed.join(", ") || "none"}`);
for (const [said, count] of Object.entries(errors)) console.log(`error line, ${count} times: ${said}`);
for (const [name, lives] of Object.entries(memory)) {
  console.log(`${name}: ${Math.max(0, ...lives.map(({ mb }) => mb))} MB at most`);
}
console.log(`seed ${seed}: ${findings.length} findings`);
for (const finding of findings.slice(0, 100)) console.log(`- ${finding}`);
process.exitCode = findings.length === 0 ? 0 : 1;
