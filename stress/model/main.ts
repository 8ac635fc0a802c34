/** `npm run model -- --commands 1000000 --seed 1`: the seed repeats the whole run. */

import { readOptions } from "../../scripts/options.ts";
import { model } from "./model.ts";

const values = readOptions(import.meta.url, {
  options: { commands: { type: "string", default: "1000000" }, seed: { type: "string", default: "1" } },
});
const counts = await model({
  commands: Number(values.commands),
  seed: Number(values.seed),
  log: (line) => console.log(line),
});
for (const [file, count] of counts) console.log(`${file}: ${count}`);
