/**
 * How much a model test tries: its own number of histories, or what `npm run model` says through the environment, which
 * also gives the seed. Commands are counted, so that the script can go on until there were enough.
 */
const times = Number(process.env.PIXGATE_MODEL_TIMES ?? 1);
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
