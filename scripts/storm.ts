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
    withdrawals: { type: "string", default: "100" },
    // Payments that are refunded, contested or returned by the PSP.
    claims: { type: "string", default: "60" },
    "gateway-kills": { type: "string", default: "20" },
    "postgres-kills": { type: "string", default: "5" },
    "in-flight": { type: "string", default: "16" },
    // every: all faults of the simulator; lag: reads that lag up to 30 s and half the payers left out; none.
    faults: { type: "string", default: "every" },
  },
});

const seed = Number(values.seed);
const behaviours: Record<string, Record<string, unknown> | undefined> = {
  every: EVERY_FAULT(seed),
  lag: {
    readLagMs: { min: 0, max: 30_000 },
    includePayer: 0.5,
    faults: { seed, rules: [{ route: "callback", kind: "early", probability: 0.5 }] },
  },
  none: undefined,
};
const started = Date.now();
const { findings, counts } = await storm({
  seed,
  charges: Number(values.charges),
  paid: 0.9,
  odd: 0.3,
  withdrawals: Number(values.withdrawals),
  claims: Number(values.claims),
  gatewayKills: Number(values["gateway-kills"]),
  postgresKills: Number(values["postgres-kills"]),
  inFlight: Number(values["in-flight"]),
  behaviour: behaviours[values.faults],
  // Who pays is asked for, and often not told: nobody may be sent back for that.
  blockCnpjPayers: values.faults === "lag",
  log: (line) => console.log(line),
});
console.log(JSON.stringify(counts));
console.log(`${Math.round((Date.now() - started) / 1000)} s, seed ${seed}: ${findings.length} findings`);
for (const finding of findings) console.log(`- ${finding}`);
process.exitCode = findings.length === 0 ? 0 : 1;
