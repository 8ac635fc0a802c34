/**
 * The deciding functions against the models of gateway/test/model, for as many commands as are asked for:
 * `npm run model -- --commands 1000000 --seed 1`. A failure prints what fast-check needs to repeat it, and the seed here repeats
 * the whole run.
 */
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: { commands: { type: "string", default: "1000000" }, seed: { type: "string", default: "1" } },
});
const wanted = Number(values.commands);
/** Times the histories of `npm test`, in one process. */
const TIMES = 4;
const folder = new URL("../../gateway/test/model/", import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith(".model.test.ts"));

/** Runs a file; gives how many commands it decided. */
function run(file: string, seed: number): Promise<number> {
  const path = new URL(file, folder).pathname;
  const env = { ...process.env, PIXGATE_MODEL_TIMES: String(TIMES), PIXGATE_MODEL_SEED: String(seed) };
  const child = spawn(process.execPath, [path], { env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stdout.on("data", (text) => {
    said += text;
  });
  child.stderr.on("data", (text) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    child.on("exit", (code) => {
      if (code !== 0) reject(new Error(`${file} with seed ${seed}:\n${said}`));
      else resolve(Number(/model: (\d+) commands/.exec(said)?.[1] ?? 0));
    });
  });
}

const began = performance.now();
const counts = new Map(files.map((file) => [file, 0]));
let total = 0;
for (let seed = Number(values.seed); total < wanted; seed += 1) {
  for (const file of files) {
    const count = await run(file, seed);
    counts.set(file, counts.get(file)! + count);
    total += count;
  }
  console.log(`seed ${seed}: ${total} commands, ${Math.round((performance.now() - began) / 1000)} s`);
}
for (const [file, count] of counts) console.log(`${file}: ${count}`);
