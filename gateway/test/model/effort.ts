/**
 * How many histories a model test runs: a tenth of its own number in `npm test`, which is some thousand commands, or as many
 * times that number as `npm run model` says through the environment. It also gives the seed. Commands are counted, so
 * that `npm run model` can go on until there were enough.
 */
const times = Number(process.env.PIXGATE_MODEL_TIMES ?? 0.1);
const seed = process.env.PIXGATE_MODEL_SEED;

export const effort = (histories: number): { numRuns: number; seed?: number } => ({
  numRuns: Math.ceil(histories * times),
  ...(seed === undefined ? {} : { seed: Number(seed) }),
});

let commands = 0;
export const countCommands = (count: number): void => {
  commands += count;
};

if (process.env.PIXGATE_MODEL_TIMES) {
  process.on("exit", () => process.stderr.write(`model: ${commands} commands\n`));
}
