import assert from "node:assert/strict";
import { test } from "node:test";
import { createRecoveries } from "./resume.ts";

const MINUTE = 60_000;

test("what met an outage is tried again when the bank is up, and when it is tried for the first time", () => {
  const isBack = createRecoveries();
  assert.equal(isBack("a", "up", MINUTE), false);
  assert.equal(isBack("a", "down", 20 * MINUTE), false);
  assert.equal(isBack("a", "trying", 21 * MINUTE), true);
  assert.equal(isBack("a", "up", 22 * MINUTE), false);
  assert.equal(isBack("a", "down", 23 * MINUTE), false);
  assert.equal(isBack("b", "up", 23 * MINUTE), false);
  assert.equal(isBack("a", "up", 24 * MINUTE), true);
});

test("of a bank that goes from down to trying and back for an hour everything is tried again six times at most", () => {
  for (const [state, byProbe] of [
    ["trying", false],
    ["up", true],
  ] as const) {
    const isBack = createRecoveries();
    let resumed = 0;
    for (let second = 0; second < 3_600; second += 5) {
      isBack("a", "down", 20 * MINUTE + second * 1_000);
      if (isBack("a", state, 20 * MINUTE + second * 1_000 + 2_000, byProbe)) resumed += 1;
    }
    assert.ok(resumed >= 1 && resumed <= 6, `${state}: ${resumed}`);
  }
});
