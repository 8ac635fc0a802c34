/**
 * Strangers by hand: `npm run hostile -- --seed 7 --requests 20000 --notifications 10000 --answers 10000`. Prints what was
 * sent, the memory of the gateway over it, and what was found; writes docs/performance/hostile.md.
 */
import { writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { attack } from "./attack.ts";
import { hostile } from "./hostile.ts";
import { hostilePage } from "./page.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    requests: { type: "string", default: "20000" },
    notifications: { type: "string", default: "10000" },
    answers: { type: "string", default: "10000" },
  },
});
const started = Date.now();
const [load, cores] = [loadavg()[0] ?? 0, availableParallelism()];
const { lines, alone } = await attack({}, (line) => console.log(line));
const { findings, memory, counts } = await hostile({
  seed: Number(values.seed),
  requests: Number(values.requests),
  notifications: Number(values.notifications),
  answers: Number(values.answers),
  log: (line) => console.log(line),
});
console.log(JSON.stringify({ counts, memory }));
console.log(`${Math.round((Date.now() - started) / 1000)} s, seed ${values.seed}: ${findings.length} findings`);
for (const finding of findings) console.log(`- ${finding}`);
const page = hostilePage({ lines, alone, fuzzed: counts, findings: findings.length, at: new Date(), load, cores });
writeFileSync(new URL("../../docs/performance/hostile.md", import.meta.url), page);
process.exitCode = findings.length === 0 ? 0 : 1;
