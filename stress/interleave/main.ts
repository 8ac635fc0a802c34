/**
 * Runs commands of up to four connections on a real PostgreSQL under a scheduler that decides at every statement which
 * connection continues: `npm run interleave -- --seed 1 --schedules 2000`. The result must equal that of the commands
 * run one after another, in the order of their commits. A failure prints its schedule; `--seed <it> --schedules 1`
 * repeats it. `--pairs` runs every two kinds of commands in every order of their statements. `--ends` runs each command
 * alone, and ends its connection at every statement. `--from 3` skips the first three groups of pairs. `--answers`
 * prints how often each command got each answer.
 */
import { freshDatabase } from "../../gateway/test/harness/database.ts";
import { globalSetup, globalTeardown } from "../../gateway/test/harness/global-setup.ts";
import { readOptions } from "../../scripts/options.ts";
import { PAIRS } from "./command.ts";
import { everyEnd, everyOrder, runSeed, Stage } from "./interleave.ts";

const values = readOptions(import.meta.url, {
  options: {
    seed: { type: "string", default: "1" },
    schedules: { type: "string", default: "1000" },
    pairs: { type: "boolean", default: false },
    ends: { type: "boolean", default: false },
    answers: { type: "boolean", default: false },
    from: { type: "string", default: "0" },
  },
});
/** Most schedules on one database: its books are checked as a whole, which takes longer as they grow. */
const ON_ONE = 300;
const began = performance.now();
const totals: Record<string, number> = {};
const answers: Record<string, number> = {};

async function on(work: (stage: Stage) => Promise<void>): Promise<void> {
  const database = await freshDatabase();
  const stage = await Stage.open(database.url);
  try {
    await work(stage);
    await stage.verify();
  } finally {
    await stage.close();
    await database.drop();
  }
  for (const [name, count] of Object.entries(stage.counts)) totals[name] = (totals[name] ?? 0) + count;
  for (const [name, count] of stage.answers) answers[name] = (answers[name] ?? 0) + count;
  console.log(`${JSON.stringify(totals)}, ${Math.round((performance.now() - began) / 1_000)} s`);
}

await globalSetup();
try {
  if (values.pairs || values.ends) {
    for (const { first, kinds } of PAIRS.slice(Number(values.from))) {
      for (const [i, one] of kinds.entries()) {
        await on(async (stage) => {
          let next = 0;
          if (values.ends) console.log(`${one.do}: ${await everyEnd(stage, [one], () => ++next, first)} ends`);
          for (const other of values.pairs ? kinds.slice(i) : []) {
            // The same command twice is a repeated report; a command that creates an object gets another id and key.
            const second = other === one && "id" in one && "key" in one ? { ...one, id: one.id + 10, key: 1 } : other;
            const orders = await everyOrder(stage, [[one], [second]], () => ++next, first);
            console.log(`${one.do} and ${other.do}: ${orders} orders`);
          }
        });
      }
    }
  } else {
    const last = Number(values.seed) + Number(values.schedules);
    for (let seed = Number(values.seed); seed < last; seed += ON_ONE) {
      await on(async (stage) => {
        for (let one = seed; one < Math.min(seed + ON_ONE, last); one += 1) await runSeed(stage, one);
      });
    }
  }
} finally {
  await globalTeardown();
}
if (values.answers) console.log(Object.fromEntries(Object.entries(answers).sort()));
