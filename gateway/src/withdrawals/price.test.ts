import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { type FeeSchedule, fee, MAX_CENTAVOS } from "../lib/money.ts";
import { priceOf } from "./price.ts";

const bound = fc.option(fc.nat({ max: 300 }), { nil: null });
const schedule: fc.Arbitrary<FeeSchedule> = fc.record({
  fixed: fc.nat({ max: 300 }),
  percentBps: fc.oneof(fc.nat({ max: 10_000 }), fc.constantFrom(0, 1, 50, 99, 3_333, 9_999, 10_000)),
  min: bound,
  max: bound,
});

describe("the price of a withdrawal", () => {
  test("with an amount is that amount, its fee, and what is left", () => {
    const percent = { fixed: 100, percentBps: 99 };
    assert.deepEqual(priceOf(percent, { amount: 10_000 }), { amount: 10_000, feeAmount: 199, netAmount: 9_801 });
  });

  test("with a net amount is what the receiver gets, and the smallest amount that leaves it", () => {
    const percent = { fixed: 100, percentBps: 99 };
    assert.deepEqual(priceOf(percent, { netAmount: 9_801 }), { amount: 10_000, feeAmount: 199, netAmount: 9_801 });
    assert.deepEqual(priceOf({ fixed: 0, percentBps: 0 }, { netAmount: 1 }), { amount: 1, feeAmount: 0, netAmount: 1 });
  });

  test("leaves the receiver a centavo at least, or there is none", () => {
    assert.equal(priceOf({ fixed: 100, percentBps: 0 }, { amount: 100 }), null);
    assert.equal(priceOf({ fixed: 100, percentBps: 0 }, { amount: 99 }), null);
    assert.deepEqual(priceOf({ fixed: 100, percentBps: 0 }, { amount: 101 })?.netAmount, 1);
    assert.equal(priceOf({ fixed: 0, percentBps: 10_000 }, { amount: 5_000 }), null);
    assert.equal(priceOf({ fixed: 0, percentBps: 10_000 }, { netAmount: 1 }), null);
  });

  test("never passes the largest amount", () => {
    const one = { fixed: 1, percentBps: 0 };
    assert.equal(priceOf(one, { netAmount: MAX_CENTAVOS }), null);
    assert.equal(priceOf(one, { netAmount: MAX_CENTAVOS - 1 })?.amount, MAX_CENTAVOS);
    assert.equal(priceOf({ fixed: 0, percentBps: 1 }, { amount: MAX_CENTAVOS })?.feeAmount, 100_000_000);
  });

  test("with a net amount is what trying every amount finds", () => {
    fc.assert(
      fc.property(schedule, fc.integer({ min: 1, max: 2_000 }), (one, netAmount) => {
        let smallest: number | null = null;
        for (let amount = 1; amount <= 30_000; amount += 1) {
          if (amount - fee(one, amount) >= netAmount) {
            smallest = amount;
            break;
          }
        }
        const price = priceOf(one, { netAmount });
        if (smallest === null) return price === null || price.amount > 30_000;
        assert.deepEqual(price, { amount: smallest, feeAmount: smallest - netAmount, netAmount });
        // The difference is the amount's own fee: nobody pays more than the schedule says.
        assert.equal(price!.feeAmount, fee(one, smallest));
        assert.deepEqual(priceOf(one, { amount: smallest }), price);
        return true;
      }),
      { numRuns: 3_000 },
    );
  });

  test("adds up at every size, both ways", () => {
    fc.assert(
      fc.property(schedule, fc.integer({ min: 1, max: MAX_CENTAVOS }), (one, centavos) => {
        for (const price of [priceOf(one, { amount: centavos }), priceOf(one, { netAmount: centavos })]) {
          if (price === null) continue;
          assert.equal(price.amount, price.feeAmount + price.netAmount);
          assert.ok(price.netAmount >= 1 && price.feeAmount >= 0 && price.amount <= MAX_CENTAVOS);
        }
      }),
      { numRuns: 5_000 },
    );
  });
});
