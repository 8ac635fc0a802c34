import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";

/** Each run of a file has this many times the file's usual number of histories, in one process. */
const TIMES = 4;
const FOLDER = new URL("../../gateway/test/model/", import.meta.url);

/**
 * Runs the deciding functions against the models of gateway/test/model until this many commands were decided; returns
 * the count of each file. Rejects with the seed and path that fast-check needs to repeat a failure.
 */
export async function model(options: {
  readonly commands: number;
  readonly seed: number;
  readonly times?: number;
  readonly log: (line: string) => void;
}): Promise<Map<string, number>> {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".model.test.ts"));
  const counts = new Map(files.map((file) => [file, 0]));
  const began = performance.now();
  let total = 0;
  for (let seed = options.seed; total < options.commands; seed += 1) {
    for (const file of files) {
      const count = await run(file, seed, options.times ?? TIMES);
      counts.set(file, counts.get(file)! + count);
      total += count;
    }
    options.log(`seed ${seed}: ${total} commands, ${Math.round((performance.now() - began) / 1_000)} s`);
  }
  return counts;
}

/** Runs a file; returns the number of commands that it decided. */
function run(file: string, seed: number, times: number): Promise<number> {
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const env = { ...inherited, PIXGATE_MODEL_TIMES: String(times), PIXGATE_MODEL_SEED: String(seed) };
  const child = spawn(process.execPath, [new URL(file, FOLDER).pathname], { env, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on("close", (code) => {
      if (code !== 0) reject(new Error(`${file} with seed ${seed}:\n${output}`));
      else resolve(Number(/model: (\d+) commands/.exec(output)?.[1] ?? 0));
    });
  });
}
