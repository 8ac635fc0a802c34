import assert from "node:assert/strict";
import { test } from "node:test";
import { openStage, PACES } from "../harness/stage.ts";
import { plotSoak } from "./plot.ts";
import { soak } from "./soak.ts";

// The long one runs by hand: npm run soak.
test("a soak of seconds does everything, sees every process and table, keeps the books and is drawn", async () => {
  const url = process.env.PIXGATE_TEST_POSTGRES ?? null;
  const stage = await openStage({ pace: PACES.smoke, lines: 0, url, say: () => {} });
  try {
    const soaked = await soak(stage, { parts: 3, seconds: 1, rate: 60 });
    assert.deepEqual(soaked.problems, []);
    assert.equal(soaked.samples.length, 3);
    const last = soaked.samples.at(-1)!;
    assert.deepEqual(Object.keys(last.kinds), ["charge", "payment", "withdrawal", "refund", "read"]);
    assert.deepEqual(Object.keys(last.memory), ["gateway", "simulator", "receiver", "PostgreSQL"]);
    for (const [name, mb] of Object.entries(last.memory)) assert.ok(mb > 1, `${name} has ${mb} MB`);
    assert.ok(last.tables.charges!.live + last.tables.charges!.dead > 0);
    assert.ok(soaked.samples.reduce((sum, { webhooks }) => sum + webhooks, 0) > 0, "webhooks came");
    for (const drift of Object.values(soaked.drifts)) assert.ok(drift > 0);
    const svg = plotSoak(soaked);
    for (const text of ["memory, MB", "p99, milliseconds", "dead rows", "log so far"])
      assert.ok(svg.includes(text), text);
    assert.doesNotMatch(svg, /NaN|Infinity|undefined/);
  } finally {
    await stage.close();
  }
});
