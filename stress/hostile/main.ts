/**
 * Strangers by hand: `npm run hostile -- --seed 7 --requests 20000 --notifications 10000 --answers 10000`. Prints what was
 * sent, the memory of the gateway over it, and what was found.
 */
import { parseArgs } from "node:util";
import { hostile } from "./hostile.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Date.now() % 2 ** 31) },
    requests: { type: "string", default: "20000" },
    notifications: { type: "string", default: "10000" },
    answers: { type: "string", default: "10000" },
  },
});
const started = Date.now();
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
process.exitCode = findings.length === 0 ? 0 : 1;
