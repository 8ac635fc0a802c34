/** The fees of a monthly close, each the sum of its kind's lines, though the summary takes off what came back. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { withSdk } from "./with-sdk.ts";

const { feeRows } = await withSdk(() => import("../src/statement/fee-rows.ts"));

const fee = (out: number) => ({ type: "fee", count: 3, in: 0, out });

test("without fees that came back, each is as the summary has it", () => {
  const fees = [
    { operation: "charge", count: 11, amount: 5.5 },
    { operation: "withdrawal", count: 2, amount: 2 },
  ] as const;
  assert.deepEqual(feeRows({ items: [fee(7.5)], fees: [...fees] }), {
    rows: [
      { kind: "charge_fee", count: 11, amount: 5.5 },
      { kind: "withdrawal_fee", count: 2, amount: 2 },
    ],
    total: 7.5,
  });
});

test("fees of withdrawals that came back are a row of their own beside what was taken, and the total is less", () => {
  const fees = [{ operation: "withdrawal", count: 3, amount: 2.1 }] as const;
  assert.deepEqual(feeRows({ items: [fee(3.1)], fees: [...fees] }), {
    rows: [
      { kind: "withdrawal_fee", count: 3, amount: 3.1 },
      { kind: "withdrawal_fee_returned", count: null, amount: -1 },
    ],
    total: 2.1,
  });
});

test("a month in which a fee of an earlier one came back has only that", () => {
  const fees = [{ operation: "withdrawal", count: 0, amount: -1 }] as const;
  assert.deepEqual(feeRows({ items: [], fees: [...fees] }), {
    rows: [{ kind: "withdrawal_fee_returned", count: null, amount: -1 }],
    total: -1,
  });
});
