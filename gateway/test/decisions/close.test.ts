import assert from "node:assert/strict";
import { test } from "node:test";
import { accountCloseOf, feeOf, isInternal } from "../../src/close/read.ts";
import { daysAfter, monthDays } from "../../src/lib/days.ts";

const sum = (kind: Parameters<typeof feeOf>[0], countIn: number, amountIn: number, countOut = 0, amountOut = 0) => ({
  ...{ kind, countIn, amountIn, countOut, amountOut },
});

test("what stays inside an account's wallets is no movement of the account", () => {
  for (const kind of ["withdrawal_held", "block_held", "transfer", "charge_split"] as const)
    assert.ok(isInternal(kind));
  for (const kind of ["charge_paid", "psp_return", "adjustment", "charge_fee"] as const) assert.ok(!isInternal(kind));
});

test("fees belong to the operation that they were taken for", () => {
  assert.deepEqual(
    (["charge_fee", "withdrawal_fee", "withdrawal_fee_returned", "refund_fee", "charge_paid"] as const).map(feeOf),
    ["charge", "withdrawal", "withdrawal", "refund", null],
  );
});

test("an account's month is its opening, what came in and went out, and fees less what was given back", () => {
  const close = accountCloseOf(100, [
    sum("charge_paid", 2, 5_000),
    sum("charge_fee", 0, 0, 2, 60),
    sum("withdrawal_held", 1, 700, 1, 700),
    sum("withdrawal_sent", 0, 0, 1, 600),
    sum("withdrawal_fee", 0, 0, 1, 100),
    sum("withdrawal_fee_returned", 1, 100),
    sum("adjustment", 1, 30, 1, 10),
  ]);
  assert.deepEqual(close, {
    opening: 100,
    items: [
      { type: "charge_paid", count: 2, in: 5_000, out: 0 },
      { type: "withdrawal_sent", count: 1, in: 0, out: 600 },
      { type: "adjustment", count: 2, in: 30, out: 10 },
    ],
    fees: [
      { operation: "charge", count: 2, amount: 60 },
      { operation: "withdrawal", count: 1, amount: 0 },
    ],
    closing: 4_460,
  });
});

test("a month has its first and last day, and what is no month has none", () => {
  assert.deepEqual(monthDays("2026-02"), { first: "2026-02-01", last: "2026-02-28" });
  assert.deepEqual(monthDays("2028-02"), { first: "2028-02-01", last: "2028-02-29" });
  assert.deepEqual(monthDays("2026-12"), { first: "2026-12-01", last: "2026-12-31" });
  for (const month of ["2026-13", "2026-00", "26-01", "0000-08", "1969-12", "9999-12"])
    assert.equal(monthDays(month), null);
  assert.equal(daysAfter("2026-12-31", 1), "2027-01-01");
});
