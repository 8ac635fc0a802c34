import assert from "node:assert/strict";
import { test } from "node:test";
import { percentile } from "./load.ts";
import { openLoop } from "./open-loop.ts";

test("a call is timed from when it was due: one that is answered at once took next to nothing", async () => {
  let calls = 0;
  const done = await openLoop({
    rate: 10,
    seconds: 0.85,
    call: async () => {
      calls += 1;
      return 201;
    },
  });
  assert.equal(calls, 8);
  // A tenth of a second lies between two calls.
  assert.ok(percentile(done.good, 0) < 50, `${percentile(done.good, 0)} ms`);
});

test("what is answered while the load warms up does not count, and what is refused counts apart", async () => {
  let calls = 0;
  let early = 0;
  const began = performance.now();
  const done = await openLoop({
    rate: 100,
    warmUp: 0.5,
    seconds: 1.005,
    call: async () => {
      // Runs once the answer has been dealt with: on a busy machine a call of the warm-up may be answered after it.
      setImmediate(() => {
        if (performance.now() < began + 500) early += 1;
      });
      return ++calls % 2 === 0 ? 503 : 201;
    },
  });
  assert.equal(done.seconds, 1.005);
  assert.equal(calls, 150);
  const counted = done.good.length + done.refused.length;
  assert.ok(early > 0 && counted > 0 && counted <= calls - early, `${counted} of ${calls} calls, ${early} early`);
  assert.ok(Math.abs(done.good.length - done.refused.length) <= 1);
});
