import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  centavosOf,
  type FeeSchedule,
  fee,
  fromBrl,
  fromSignedBrl,
  MAX_CENTAVOS,
  parseDecimalString,
  toBrl,
  toDecimalString,
} from "./money.ts";

const centavos = fc.integer({ min: 0, max: MAX_CENTAVOS });

test("every amount survives the way to BRL, to JSON and back", () => {
  fc.assert(
    fc.property(centavos, (c) => {
      assert.equal(fromBrl(JSON.parse(JSON.stringify(toBrl(c))) as number), c);
      assert.equal(fromSignedBrl(toBrl(-c)), c === 0 ? 0 : -c);
    }),
    { numRuns: 5_000 },
  );
});

test("the number of an amount prints with its two decimals, never with the dust of a float", () => {
  fc.assert(fc.property(centavos, (c) => assert.match(JSON.stringify(toBrl(c)), /^\d{1,10}(\.\d{1,2})?$/)));
  assert.equal(JSON.stringify(toBrl(30)), "0.3");
  assert.equal(JSON.stringify(toBrl(MAX_CENTAVOS)), "9999999999.99");
});

test("a literal with two decimals is read as what it says", () => {
  fc.assert(
    fc.property(centavos, (c) => {
      const literal = toDecimalString(c);
      assert.equal(fromBrl(Number(literal)), c);
      assert.equal(parseDecimalString(literal), c);
    }),
    { numRuns: 5_000 },
  );
});

test("a third decimal is refused, however large the amount", () => {
  fc.assert(
    fc.property(centavos, fc.integer({ min: 1, max: 9 }), (c, third) => {
      assert.equal(fromBrl(Number(`${toDecimalString(c)}${third}`)), null);
    }),
    { numRuns: 5_000 },
  );
  for (const value of [0.001, 0.005, 1.005, 0.1 + 0.2, 1e-7, Number.MIN_VALUE, 10.999999999]) {
    assert.equal(fromBrl(value), null, String(value));
  }
});

test("what is not an amount is refused", () => {
  for (const value of [Number.NaN, Infinity, -Infinity, -0.01, 10_000_000_000, 1e300]) {
    assert.equal(fromBrl(value), null, String(value));
  }
  for (const value of ["1", true, null, undefined, 1n, [1], {}]) {
    assert.equal(fromBrl(value as unknown as number), null, String(value));
  }
  assert.equal(fromSignedBrl(-10_000_000_000), null);
});

test("a sum comes back as it was shown, also above what one payment may be", () => {
  for (const size of [1, 1e6, 1e12, 2 ** 50]) {
    for (const centavos of [size, size - 1, -size, Math.round(size / 3), Math.round(size / 7)])
      assert.equal(centavosOf(toBrl(centavos)), centavos);
  }
});

test("zero has no sign", () => {
  for (const zero of [fromBrl(-0), fromSignedBrl(-0), toBrl(-0), centavosOf(-0), fee({ fixed: 0, percentBps: 0 }, 0)]) {
    assert.ok(Object.is(zero, 0));
  }
});

test("a percentage is rounded up from half a centavo on, and not from a hair below it", () => {
  assert.equal(fee({ fixed: 0, percentBps: 1 }, 4_999), 0);
  assert.equal(fee({ fixed: 0, percentBps: 1 }, 5_000), 1);
  assert.equal(fee({ fixed: 0, percentBps: 1 }, 14_999), 1);
  assert.equal(fee({ fixed: 0, percentBps: 1 }, 15_000), 2);
});

test("the PSP's decimal strings are read strictly", () => {
  assert.equal(parseDecimalString("0.00"), 0);
  assert.equal(parseDecimalString("0.01"), 1);
  assert.equal(parseDecimalString("012.30"), 1230);
  assert.equal(parseDecimalString("9999999999.99"), MAX_CENTAVOS);
  for (const text of [
    "",
    "1",
    "1.0",
    "1.000",
    ".10",
    "1,00",
    "-1.00",
    "+1.00",
    " 1.00",
    "1.00\n",
    "1e2.00",
    "10000000000.00",
    "١.٠٠",
  ]) {
    assert.equal(parseDecimalString(text), null, text);
  }
});

test("an amount without a decimal string throws", () => {
  for (const value of [-1, 0.5, MAX_CENTAVOS + 1, Number.NaN]) assert.throws(() => toDecimalString(value), RangeError);
  assert.equal(toDecimalString(0), "0.00");
  assert.equal(toDecimalString(5), "0.05");
});

/** The definition, in big integers. */
function slowFee(s: FeeSchedule, amount: number): number {
  let result = BigInt(s.fixed) + (BigInt(amount) * BigInt(s.percentBps) + 5_000n) / 10_000n;
  if (s.min != null && result < BigInt(s.min)) result = BigInt(s.min);
  if (s.max != null && result > BigInt(s.max)) result = BigInt(s.max);
  if (result > BigInt(amount)) result = BigInt(amount);
  return Number(result);
}

test("a fee equals its definition in big integers, and lies between zero and the amount", () => {
  const bound = fc.option(fc.integer({ min: 0, max: 100_000 }));
  const schedule = fc.record({
    fixed: fc.integer({ min: 0, max: 10_000 }),
    percentBps: fc.integer({ min: 0, max: 10_000 }),
    min: bound,
    max: bound,
  });
  fc.assert(
    fc.property(schedule, fc.oneof(centavos, fc.integer({ min: 0, max: 20_000 })), (s, amount) => {
      const result = fee(s, amount);
      assert.equal(result, slowFee(s, amount));
      assert.ok(Number.isSafeInteger(result) && result >= 0 && result <= amount);
    }),
    { numRuns: 5_000 },
  );
});

test("half a centavo is rounded up", () => {
  assert.equal(fee({ fixed: 0, percentBps: 100 }, 50), 1);
  assert.equal(fee({ fixed: 0, percentBps: 100 }, 49), 0);
  assert.equal(fee({ fixed: 0, percentBps: 99 }, 10_000), 99);
  assert.equal(fee({ fixed: 25, percentBps: 150 }, 10_000), 175);
});

test("bounds hold, and the maximum wins over the minimum", () => {
  assert.equal(fee({ fixed: 10, percentBps: 0, min: 50 }, 1_000), 50);
  assert.equal(fee({ fixed: 500, percentBps: 0, max: 80 }, 1_000), 80);
  assert.equal(fee({ fixed: 0, percentBps: 0, min: 90, max: 80 }, 1_000), 80);
  assert.equal(fee({ fixed: 500, percentBps: 0, min: null, max: null }, 30), 30);
  assert.equal(fee({ fixed: 0, percentBps: 10_000 }, MAX_CENTAVOS), MAX_CENTAVOS);
});
