import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDatabase } from "../../gateway/test/harness/database.ts";
import { KINDS, OF_ONE_OBJECT } from "./command.ts";
import { everyEnd, everyOrder, runSeed, Stage } from "./interleave.ts";

/** No schedule begins after this many milliseconds. `npm run interleave` runs longer. */
const ENOUGH = 2_000;
const seed = Math.floor(Math.random() * 1_000_000);

async function on(options: { unlocked?: boolean }, work: (stage: Stage) => Promise<void>): Promise<void> {
  const database = await freshDatabase();
  try {
    const stage = await Stage.open(database.url, options);
    try {
      await work(stage);
    } finally {
      await stage.close();
    }
  } finally {
    await database.drop();
  }
}

test(`what up to four connections do at once is what they do one after another (seed ${seed})`, (t) =>
  on({}, async (stage) => {
    const until = performance.now() + ENOUGH;
    for (let next = seed; performance.now() < until; next += 1) await runSeed(stage, next);
    await stage.verify();
    t.diagnostic(JSON.stringify(stage.counts));
  }));

test("two withdrawals of the same money: in every order of their statements one is refused", (t) =>
  on({}, async (stage) => {
    const withdraw = KINDS.find((command) => command.do === "withdraw")!;
    let next = 0;
    const other = { ...withdraw, id: 6, key: 1 };
    const runs = await everyOrder(stage, [[withdraw], [other]], () => ++next);
    await stage.verify();
    t.diagnostic(`${runs} orders`);
    assert.ok(runs > 10);
  }));

test("a withdrawal whose connection ends, at whichever statement, was asked for once", (t) =>
  on({}, async (stage) => {
    let next = 0;
    const ends = await everyEnd(stage, [KINDS.find((command) => command.do === "withdraw")!], () => ++next);
    await stage.verify();
    t.diagnostic(`${ends} places`);
    assert.ok(ends > 10);
    assert.deepEqual([stage.counts.ended, stage.counts.lost], [ends - 1, 1]);
  }));

test("two commands of one transaction about one object are refused by no check of its table", () =>
  on({}, async (stage) => {
    let next = 0;
    for (const commands of OF_ONE_OBJECT) {
      for (const go of commands.flatMap((first) => commands.map((second) => [first, second]))) {
        next += 1;
        const log = await stage.run(next, [[go]], ([seat]) => ({ process: seat!.process.number, how: "step" }));
        assert.equal(log[0]!.since, log[1]!.since, `${JSON.stringify(go)} shared no transaction`);
      }
    }
    await stage.verify();
  }));

test("without the lock of the tenant the same schedules come to what no order of the commands does", () =>
  on({ unlocked: true }, async (stage) => {
    await assert.rejects(async () => {
      for (let next = 1; next < 40; next += 1) await runSeed(stage, next);
    }, /schedule \d+/);
  }));
