/**
 * A storm by hand: `npm run storm -- --seed 7 --charges 200 --gateway-kills 20 --postgres-kills 5`. Prints what
 * happened and what the judge found; the same seed plans the same storm.
 */
import { parseArgs } from "node:util";
import { EVERY_FAULT, storm } from "../gateway/test/storm/storm.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    charges: { type: "string", default: "200" },
    "gateway-kills": { type: "string", default: "20" },
    "postgres-kills": { type: "string", default: "5" },
    "in-flight": { type: "string", default: "16" },
  },
});

const seed = Number(values.seed);
const started = Date.now();
const { findings, counts } = await storm({
  seed,
  charges: Number(values.charges),
  paid: 0.9,
  gatewayKills: Number(values["gateway-kills"]),
  postgresKills: Number(values["postgres-kills"]),
  inFlight: Number(values["in-flight"]),
  behaviour: EVERY_FAULT(seed),
  log: (line) => console.log(line),
});
console.log(JSON.stringify(counts));
console.log(`${Math.round((Date.now() - started) / 1000)} s, seed ${seed}: ${findings.length} findings`);
for (const finding of findings) console.log(`- ${finding}`);
process.exitCode = findings.length === 0 ? 0 : 1;
