import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { bucketOf, LATENCY_BOUNDS, NO_TIMES, quantileOf } from "./latency.ts";

const countsOf = (times: readonly number[]): readonly number[] => {
  const counts = [...NO_TIMES];
  for (const ms of times) counts[bucketOf(ms)]! += 1;
  return counts;
};

describe("a quantile of counted answers", () => {
  test("is none without answers, and of the slowest at least the last bound", () => {
    assert.equal(quantileOf(NO_TIMES, 0.5), null);
    assert.equal(quantileOf(countsOf([60_000]), 0.5), 5_000);
    assert.equal(quantileOf(countsOf([10, 60_000, 60_000]), 0.95), 5_000);
    assert.equal(quantileOf(countsOf([200, 200]), 0.5), 175);
  });

  test("is in the bucket of the exact one, however the answers are spread", () => {
    const answers = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(answers, fc.constantFrom(0.5, 0.95), (times, part) => {
        const exact = times.toSorted((a, b) => a - b)[Math.ceil(times.length * part) - 1]!;
        const found = quantileOf(countsOf(times), part)!;
        const bucket = bucketOf(exact);
        assert.ok(found >= (bucket === 0 ? 0 : LATENCY_BOUNDS[bucket - 1]!) && found <= LATENCY_BOUNDS[bucket]!);
      }),
    );
  });
});
