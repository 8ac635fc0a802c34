import assert from "node:assert/strict";
import { test } from "node:test";
import { pageOf } from "./harness/page.ts";
import { PACES } from "./harness/stage.ts";
import { BENCHMARKS, runAll } from "./main.ts";

/** The others start programs of their own, which takes half a minute: `npm run bench -- --quick` runs all. */
const IN_PROCESS = ["settle-hot", "withdraw-exact", "deliver", "read", "qr", "auth"];
const SHORT = BENCHMARKS.filter(({ name }) => IN_PROCESS.includes(name));

test("benchmarks run with tiny counts, their books stay whole, and every figure is a number", async () => {
  const run = await runAll(SHORT, {
    pace: PACES.smoke,
    lines: 4_000,
    url: process.env.PIXGATE_TEST_POSTGRES ?? null,
    say: () => {},
  });
  assert.deepEqual(
    run.results.map(({ name }) => name),
    SHORT.map(({ name }) => name),
  );
  // Nothing is refused where little is asked for, so nothing was refused late.
  const mayBeEmpty = /refused/;
  for (const { name, figures, problems } of run.results) {
    assert.deepEqual(problems, [], name);
    for (const one of figures.filter((found) => !mayBeEmpty.test(found.name))) {
      assert.ok(Number.isFinite(one.median) && one.median >= 0, `${name}: ${one.name} is ${one.median}`);
      assert.ok(one.ratio === null || one.ratio.median > 0, `${name}: ${one.name} has the ratio ${one.ratio?.median}`);
    }
  }
  const again = JSON.parse(JSON.stringify(run)) as typeof run;
  assert.match(pageOf(again), /\| lane, 16 in flight \| [\d,.]+\/s \|/);
});
