/** Lines of the statement as movements: what was booked at once is one, and each is the difference between two balances. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { merchant } from "@pixgate/sdk";
import fc from "fast-check";
import { withSdk } from "./with-sdk.ts";

const { followedOf, movementsOf } = await withSdk(() => import("../src/statement/movements.ts"));

type Line = merchant.StatementItem;

/** A booking's lines by kind and centavos, in the order in which they are booked. */
type Booking = readonly (readonly [kind: Line["kind"], centavos: number])[];

/** The lines of bookings, the newest first, as the API lists them. */
function listed(bookings: readonly Booking[], originalOf: (n: number) => string = (n) => `payment-${n}`): Line[] {
  let [centavos, line] = [0, 0];
  return bookings
    .flatMap((booking, n) =>
      booking.map(([kind, amount], leg): Line => {
        centavos += amount;
        line += 1;
        const at = new Date(1_700_000_000_000 + Math.floor(n / 2)).toISOString();
        return {
          ...{ balance: "available", line, kind, leg, currency: "BRL", sourceId: `source-${n}` },
          ...{ originalTransactionId: originalOf(n), transactionId: originalOf(n) },
          ...{ amount: amount / 100, balanceAfter: centavos / 100 },
          ...{ bookedAt: at, occurredAt: at },
        };
      }),
    )
    .toReversed();
}

const PAID: Booking = [
  ["charge_paid", 5_000],
  ["charge_fee", -75],
  ["charge_split", -1_000],
];

test("a payment is one line with its fee and what others got of it, and what came back later is another", () => {
  const lines = listed([PAID, [["refund_held", -2_050]]], () => "the payment").map((line, n) => ({
    ...line,
    ...(n === 0 && { bookedAt: "2026-11-29T00:00:00.000Z" }),
  }));
  const movements = movementsOf(lines, true);
  assert.deepEqual(
    movements.map(({ main, amount, newest, lines: own }) => [main.kind, amount, newest.balanceAfter, own.length]),
    [
      ["refund_held", -20.5, 18.75, 1],
      ["charge_paid", 39.25, 39.25, 3],
    ],
  );
  assert.deepEqual(
    movements[1]!.lines.map(({ kind }) => kind),
    ["charge_paid", "charge_fee", "charge_split"],
  );
});

test("what followed a payment later is summed up by the payment, and never what came with it", () => {
  const refund: Booking = [["refund_held", -2_050]];
  const [held, released]: Booking[] = [[["block_held", -3_000]], [["block_released", 3_000]]];
  const bookings = [PAID, PAID, refund, held!, [["adjustment", 100]], released!, PAID] as const;
  const payments = ["first", "second", "first", "second", undefined, "second", "third"];
  const lines = listed(bookings, (n) => payments[n] ?? "");
  const movements = movementsOf(
    lines.map(
      ({ originalTransactionId, ...line }): Line =>
        originalTransactionId === "" ? line : { ...line, originalTransactionId: originalTransactionId! },
    ),
    true,
  );
  assert.deepEqual([...followedOf(movements)].toSorted(), [
    ["first", -20.5],
    ["second", 0],
  ]);
  assert.deepEqual([...followedOf(movements.slice(-1))], []);
});

test("two payments of one moment stay two", () => {
  const movements = movementsOf(listed([PAID, PAID]), true);
  assert.deepEqual(
    movements.map(({ amount }) => amount),
    [39.25, 39.25],
  );
});

test("a movement that the next page may go on with is not shown with a part of its sum", () => {
  const lines = listed([PAID, PAID]);
  const cut = lines.slice(0, 4);
  assert.deepEqual(
    movementsOf(cut, false).map(({ amount }) => amount),
    [39.25],
  );
  assert.equal(movementsOf(cut, true).length, 2);
  assert.equal(movementsOf(lines.slice(0, 2), false).length, 1, "a first page of one movement is not empty");
});

test("whatever was booked, each movement takes the balance from the one before it to its own, and no line is lost", () => {
  const booking = fc.array(
    fc.tuple(fc.constantFrom("charge_paid", "charge_fee", "transfer"), fc.integer({ min: -9_999, max: 9_999 })),
    {
      minLength: 1,
      maxLength: 5,
    },
  );
  fc.assert(
    fc.property(fc.array(booking, { maxLength: 12 }), (bookings) => {
      const lines = listed(bookings as Booking[]);
      const movements = movementsOf(lines, true);
      assert.equal(movements.length, bookings.length);
      assert.deepEqual(
        movements.flatMap(({ lines: own }) => own.toReversed()),
        lines,
      );
      for (const [n, { newest, amount }] of movements.entries()) {
        const before = movements[n + 1]?.newest.balanceAfter ?? 0;
        assert.equal(Math.round((newest.balanceAfter - before) * 100), Math.round(amount * 100));
      }
    }),
  );
});
