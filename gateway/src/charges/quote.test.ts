import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MAX_CENTAVOS } from "../lib/money.ts";
import { share } from "./quote.ts";

test("a percentage is rounded half up, and what is left stays with the originator", () => {
  assert.deepEqual(share(2540, [{ bps: 1250 }]), [318]);
  assert.deepEqual(share(1, [{ bps: 4999 }]), [0]);
  assert.deepEqual(share(1000, [{ bps: 3333 }, { bps: 3333 }, { amount: 1 }]), [333, 333, 1]);
});

test("legs of 100 % share everything: the last ones that were rounded up give a centavo back each", () => {
  assert.deepEqual(share(1, [{ bps: 5000 }, { bps: 5000 }]), [1, 0]);
  assert.deepEqual(share(3, [{ bps: 5000 }, { bps: 2500 }, { bps: 2500 }]), [2, 1, 0]);
  assert.deepEqual(share(101, [{ bps: 5000 }, { amount: 1 }, { bps: 4900 }]), [51, 1, 49]);
});

test("legs that ask for more than the net amount are none, by a hundredth of a centavo too", () => {
  assert.equal(share(1, [{ bps: 5000 }, { bps: 5001 }]), null);
  assert.equal(share(100, [{ amount: 51 }, { bps: 5000 }]), null);
  assert.equal(share(0, [{ amount: 1 }]), null);
});

test("no split passes the net amount, and each percentage is within a centavo of the exact one", () => {
  const leg = fc.oneof(
    fc.record({ amount: fc.integer({ min: 1, max: 1_000 }) }),
    fc.record({ bps: fc.integer({ min: 1, max: 4_000 }) }),
  );
  const net = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: MAX_CENTAVOS }));
  fc.assert(
    fc.property(net, fc.array(leg, { maxLength: 10 }), (net, legs) => {
      const parts = share(net, legs);
      if (parts === null) return;
      assert.ok(parts.reduce((sum, part) => sum + part, 0) <= net);
      for (const [i, one] of legs.entries()) {
        if ("amount" in one) assert.equal(parts[i], one.amount);
        else assert.ok(parts[i]! >= 0 && Math.abs(parts[i]! - (net * one.bps) / 10_000) < 1.001, `${parts[i]}`);
      }
    }),
    { numRuns: 2_000 },
  );
});
