import assert from "node:assert/strict";
import { test } from "node:test";
import { retryAt } from "./schedule.ts";

const [SECOND, HOUR, DAY] = [1_000, 3_600_000, 86_400_000];
const createdAt = new Date("2026-03-10T12:00:00Z");
const expiresAt = new Date(createdAt.getTime() + DAY);

/** Queries of a charge that settle nothing, each after the pause of the one before. */
function queries(status: string, from: Date, to: number): number[] {
  const asked: number[] = [];
  for (let now = from; now.getTime() < to; now = retryAt(now, { status, createdAt, expiresAt }))
    asked.push(now.getTime());
  return asked;
}

test("a pending charge that is over is queried soon again, then ever more rarely, and never less than once an hour", () => {
  const end = expiresAt.getTime();
  const asked = queries("pending", expiresAt, end + 3 * DAY);
  assert.equal(asked[1], end + 10 * SECOND);
  assert.equal(asked.filter((at) => at < end + HOUR).length, 25);
  assert.equal(asked.filter((at) => at >= end + DAY && at < end + 2 * DAY).length, 24);
});

test("one that is not over is queried at its end at the latest", () => {
  const now = new Date(expiresAt.getTime() - 60 * SECOND);
  assert.deepEqual(retryAt(now, { status: "pending", createdAt, expiresAt }), expiresAt);
});

test("an intent without an outcome is queried by its age, beyond the end of its charge too", () => {
  const asked = queries("creating", createdAt, createdAt.getTime() + 2 * DAY);
  assert.equal(asked[1], createdAt.getTime() + 10 * SECOND);
  assert.ok(asked.every((at, i) => i === 0 || at - asked[i - 1]! <= HOUR));
  assert.equal(asked.filter((at) => at >= createdAt.getTime() + DAY).length, 24);
});
