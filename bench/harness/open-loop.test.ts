import assert from "node:assert/strict";
import { test } from "node:test";
import { percentile } from "./load.ts";
import { openLoop } from "./open-loop.ts";

test("a call is timed from when it was due: one that is answered at once took next to nothing", async () => {
  const done = await openLoop({ rate: 10, seconds: 0.85, call: async () => 201 });
  assert.equal(done.good.length, 8);
  // A tenth of a second lies between two calls.
  assert.ok(percentile(done.good, 0.5) < 50, `${percentile(done.good, 0.5)} ms`);
});

test("what is answered while the load warms up does not count, and what is refused counts apart", async () => {
  let calls = 0;
  const done = await openLoop({
    rate: 100,
    warmUp: 0.2,
    seconds: 0.2,
    call: async () => (++calls % 2 === 0 ? 503 : 201),
  });
  assert.equal(done.seconds, 0.2);
  const counted = done.good.length + done.refused.length;
  assert.ok(calls >= 35 && counted <= 25 && counted >= 10, `${counted} of ${calls} calls`);
  assert.ok(Math.abs(done.good.length - done.refused.length) <= 1);
});
