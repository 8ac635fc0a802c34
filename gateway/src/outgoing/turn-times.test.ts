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

test("an order's own moment comes from its id, within half a minute; at a faster bank orders follow each other faster", () => {
  const at = (digits: string, perSecond: number, nextTurn = createTurnTimes(() => 0)) => {
    const of = { accountId: "one", institutionId: "bank", id: `00000000-0000-7000-8000-0000${digits}`, attempts: 9 };
    return nextTurn({ ...of, perSecond }, NOW).getTime() - NOW;
  };
  // 20,000, 30,000 and 30,001 milliseconds, as hexadecimal numbers.
  assert.deepEqual([at("00004e20", 1), at("00007530", 1), at("00007531", 1)], [20_000, 1_000, 1_000]);
  const nextTurn = createTurnTimes(() => 0);
  const nine = Array.from({ length: 9 }, () => at("00000000", 2, nextTurn));
  assert.deepEqual(nine.slice(3), [1_000, 1_000, 1_250, 1_500, 1_750, 2_000]);
});

test("no order waits for an hour: the one after that is tried at once", () => {
  const times = timesOf(
    createTurnTimes(() => 0),
    "many",
    3_601,
    1,
  );
  assert.deepEqual(times.slice(-2), [3_599_000, 1_000]);
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
  // The moment in which their tries are over.
  at += 1_000;
  timesOf(nextTurn, "another", 1);
  // Of three hundred orders, one each second, 299 still wait.
  assert.deepEqual(timesOf(nextTurn, "many", 1, 1), [299_000]);
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
