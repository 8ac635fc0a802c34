/**
 * `npm run lifecycle -- --rounds 50 --seed 7`: each round starts the program on the same data directory, trades, and
 * ends it in a random way. At the end everything that was answered must be there.
 */

import { readOptions } from "../../scripts/options.ts";
import { ENDS, lifecycle } from "./rounds.ts";

const values = readOptions(import.meta.url, {
  options: { rounds: { type: "string", default: "50" }, seed: { type: "string", default: "1" } },
});
let state = Number(values.seed) >>> 0;
const ends = Array.from({ length: Number(values.rounds) }, () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return ENDS[Math.floor((state / 4_294_967_296) * ENDS.length)]!;
});
const { counts, findings } = await lifecycle(ends, (line) => console.log(line));
console.log(JSON.stringify(counts));
console.log(`seed ${values.seed}: ${findings.length} findings`);
for (const finding of findings) console.log(`- ${finding}`);
process.exitCode = findings.length === 0 ? 0 : 1;
