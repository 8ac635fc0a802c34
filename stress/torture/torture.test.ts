import assert from "node:assert/strict";
import { test } from "node:test";
import { torture } from "./torture.ts";

// The long ones run by hand: npm run torture, npm run torture:hundred (100 kills).
test("a short torture with every fault and some kills: the judge finds nothing", { timeout: 600_000 }, async () => {
  const seed = 11;
  const { findings, counts, errors } = await torture({
    seed,
    seconds: 15,
    kills: 8,
    merchants: 5,
    withdrawers: 3,
    paceMs: 100,
    strikeMs: 1_500,
    programs: 0.6,
    freezeMs: 800,
    jumpSeconds: 120,
  });
  assert.deepEqual(findings, [], `seed ${seed}`);
  assert.deepEqual(errors, {}, `seed ${seed}`);
  assert.ok(counts.kills! >= 8 && counts.payments! > 0 && counts.payouts! > 0, JSON.stringify(counts));
});
