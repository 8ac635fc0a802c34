import assert from "node:assert/strict";
import { test } from "node:test";
import { latestOf } from "./latest.ts";
import { createTurnTimes, isAwaitingTurn } from "./turn-times.ts";

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 0, 1, 12);

/** The times, in milliseconds from now, at which orders of an account that all have found no turn are tried again. */
function timesOf(
  nextTurn: ReturnType<typeof createTurnTimes>,
  accountId: string,
  count: number,
  attempts = 9,
): number[] {
  return Array.from({ length: count }, () => {
    const of = { accountId, institutionId: "bank", id: crypto.randomUUID(), attempts, perSecond: 1 / 2 };
    return nextTurn(of, NOW).getTime() - NOW;
  });
}

test("thousands of orders of one account make two tries for each turn of the bank, and the next account's order has its own", () => {
  const nextTurn = createTurnTimes(() => 0);
  const many = timesOf(nextTurn, "many", 3_000);
  for (let from = MINUTE; from < 45 * MINUTE; from += MINUTE) {
    const tries = many.filter((at) => at >= from && at < from + MINUTE).length;
    // The bank gives thirty turns a minute.
    assert.equal(tries, 60, `from ${from}`);
  }
  assert.ok(many.filter((at) => at < MINUTE).length <= 60);
  const [few] = timesOf(nextTurn, "few", 1);
  assert.ok(few! <= MINUTE / 2, `${few}`);
});

test("few orders are tried like others that did not leave, each at its own moment", () => {
  const nextTurn = createTurnTimes(() => 0);
  assert.deepEqual(timesOf(nextTurn, "first", 1, 1), [1_000]);
  const some = timesOf(nextTurn, "some", 20);
  assert.ok(some.every((at) => at <= MINUTE / 2));
  assert.ok(new Set(some).size > 10, some.join());
});

test("an account whose orders have had their tries is no longer kept apart", () => {
  let at = 0;
  const nextTurn = createTurnTimes(() => at);
  timesOf(nextTurn, "many", 300);
  at += 5 * MINUTE;
  assert.deepEqual(timesOf(nextTurn, "many", 1, 1), [1_000]);
});

test("of ten thousand accounts those are forgotten first whose orders have had their tries, and all where none has", () => {
  let at = 0;
  const nextTurn = createTurnTimes(() => at);
  timesOf(nextTurn, "many", 300);
  for (let n = 0; n < 9_999; n += 1) timesOf(nextTurn, `account ${n}`, 1);
  at += 2 * MINUTE;
  timesOf(nextTurn, "another", 1);
  // Of three hundred orders, one each second, 180 still wait.
  assert.deepEqual(timesOf(nextTurn, "many", 1, 1), [3 * MINUTE]);
  for (let n = 0; n < 9_999; n += 1) timesOf(nextTurn, `account ${n}`, 1);
  assert.deepEqual(timesOf(nextTurn, "many", 1, 1), [1_000]);
});

test("an order awaits its turn while the bank's limit alone has kept its request here", () => {
  const awaits = (mayHaveLeft: boolean, reason: string) =>
    isAwaitingTurn({ state: { mayHaveLeft, refusedAt: null, absentAt: null }, latest: latestOf(reason) });
  assert.deepEqual(
    [awaits(false, "bank_limit"), awaits(true, "bank_limit"), awaits(false, "paused")],
    [true, false, false],
  );
});
