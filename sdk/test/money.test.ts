import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  addBrl,
  formatBrl,
  fromCentavos,
  multiplyBrl,
  parseBrl,
  percentOfBrl,
  splitBrl,
  toCentavos,
} from "../src/index.ts";

const MAX = 999_999_999_999;
/** Sums, such as balances. */
const MAX_SUM = 7_000_000_000_000_000;
const centavos = fc.integer({ min: -MAX, max: MAX });

describe("Money", () => {
  test("every amount of the API becomes centavos and comes back, as number, text and JSON", () => {
    fc.assert(
      fc.property(centavos, (amount) => {
        const brl = fromCentavos(amount);
        assert.equal(toCentavos(brl), amount);
        assert.equal(toCentavos(JSON.parse(JSON.stringify(brl))), amount);
        assert.equal(
          brl,
          Number(
            `${amount < 0 ? "-" : ""}${Math.trunc(Math.abs(amount) / 100)}.${String(Math.abs(amount) % 100).padStart(2, "0")}`,
          ) + 0,
        );
        assert.equal(toCentavos(parseBrl(formatBrl(brl))), amount);
      }),
      { numRuns: 5_000 },
    );
  });

  test("sums, products, shares and percentages are those of integers", () => {
    assert.equal(addBrl(0.1, 0.2), 0.3);
    assert.equal(addBrl(), 0);
    assert.equal(multiplyBrl(19.99, 3), 59.97);
    assert.equal(percentOfBrl(19.99, 2.5), 0.5);
    assert.equal(percentOfBrl(9_999_999_999.99, 99.99), 9_998_999_999.99);
    assert.deepEqual(splitBrl(100, 3), [33.34, 33.33, 33.33]);
    fc.assert(
      fc.property(centavos, fc.integer({ min: 1, max: 50 }), (amount, parts) => {
        const shares = splitBrl(fromCentavos(amount), parts).map(toCentavos);
        assert.equal(shares.length, parts);
        assert.equal(
          shares.reduce((sum, share) => sum + share, 0),
          amount,
        );
        assert.ok(Math.max(...shares) - Math.min(...shares) <= 1);
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX }), fc.integer({ min: 0, max: 10_000 }), (amount, points) => {
        const exact = (BigInt(amount) * BigInt(points) * 2n + 10_000n) / 20_000n;
        assert.equal(BigInt(toCentavos(percentOfBrl(fromCentavos(amount), fromCentavos(points)))), exact);
      }),
    );
  });

  test("what is no amount is refused, never rounded", () => {
    for (const wrong of [1.001, 0.1 + 0.2, Number.NaN, Number.POSITIVE_INFINITY, MAX_SUM / 100 + 1, 1e21])
      assert.throws(() => toCentavos(wrong), RangeError, String(wrong));
    for (const wrong of [0.5, Number.NaN, MAX_SUM + 1]) assert.throws(() => fromCentavos(wrong), RangeError);
    for (const wrong of [
      "",
      "abc",
      "1.234",
      "1,234.56",
      "1.23.456,00",
      "25,901",
      "R$",
      "1e3",
      "--1",
      "10.000.000.000,00",
    ])
      assert.throws(() => parseBrl(wrong), RangeError, wrong);
    assert.throws(() => splitBrl(1, 0), RangeError);
    assert.throws(() => multiplyBrl(1, 1.5), RangeError);
  });

  test("a sum may be larger than the largest amount that is taken, to the centavo", () => {
    assert.equal(addBrl(9_999_999_999.99, 9_999_999_999.99), 19_999_999_999.98);
    assert.equal(formatBrl(19_999_999_999.98), "R$\u00a019.999.999.999,98");
    fc.assert(
      fc.property(fc.integer({ min: MAX, max: MAX_SUM - 1 }), (amount) => {
        assert.equal(toCentavos(fromCentavos(amount)), amount);
        assert.notEqual(fromCentavos(amount), fromCentavos(amount + 1));
      }),
    );
  });

  test("reads and writes amounts as Brazilians do", () => {
    assert.equal(formatBrl(1_234_567.8), "R$\u00a01.234.567,80");
    assert.equal(formatBrl(-0.05), "-R$\u00a00,05");
    for (const [text, brl] of [
      ["R$ 1.234,56", 1_234.56],
      ["1234,5", 1_234.5],
      ["25.90", 25.9],
      ["25", 25],
      ["-R$ 0,05", -0.05],
      ["1.234.567", 1_234_567],
    ] as const)
      assert.equal(parseBrl(text), brl, text);
  });
});
