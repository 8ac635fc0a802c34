/**
 * `npm run kills -- --deliveries 20000 --kills 10`: kills the process that delivers webhooks (-9); prints the findings.
 */

import { readOptions } from "../../scripts/options.ts";
import { kills } from "./deliveries.ts";

const values = readOptions(import.meta.url, {
  options: { deliveries: { type: "string", default: "20000" }, kills: { type: "string", default: "10" } },
});
const { counts, findings } = await kills({
  deliveries: Number(values.deliveries),
  kills: Number(values.kills),
  log: (line) => console.log(line),
});
console.log(JSON.stringify(counts));
console.log(`${findings.length} findings`);
for (const finding of findings.slice(0, 50)) console.log(`- ${finding}`);
process.exitCode = findings.length === 0 ? 0 : 1;
