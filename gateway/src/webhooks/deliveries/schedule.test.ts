import assert from "node:assert/strict";
import { test } from "node:test";
import { nextAttemptAt, readRetryAfter } from "./schedule.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const EXTENDED = [5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR];

test("the extended schedule has six attempts after the five, and then ends", () => {
  for (const random of [0, 1]) {
    for (const [i, pause] of EXTENDED.entries()) {
      const at = nextAttemptAt(5 + i, 0, random, "extended")!.getTime();
      assert.equal(at, Math.round(pause * (1 + 0.1 * random)));
    }
    for (const tries of [11, 12, 1_000]) assert.equal(nextAttemptAt(tries, 0, random, "extended"), null);
  }
  // The five are the same for both.
  for (const tries of [1, 2, 3, 4]) {
    assert.deepEqual(nextAttemptAt(tries, 7, 0.5, "extended"), nextAttemptAt(tries, 7, 0.5, "standard"));
  }
});

test("Retry-After postpones an attempt of the extended schedule by a day at most, and never advances one", () => {
  const at = (retryAfter: number) => nextAttemptAt(5, 0, 0, "extended", retryAfter)!.getTime();
  assert.equal(at(HOUR), HOUR);
  assert.equal(at(MINUTE), 5 * MINUTE);
  assert.equal(at(-HOUR), 5 * MINUTE);
  assert.equal(at(999 * HOUR), 24 * HOUR);
  for (const tries of [1, 2, 3, 4]) {
    assert.deepEqual(nextAttemptAt(tries, 0, 0, "extended", HOUR), nextAttemptAt(tries, 0, 0, "extended"));
  }
  assert.equal(nextAttemptAt(5, 0, 0, "standard", HOUR), null);
  assert.equal(nextAttemptAt(11, 0, 0, "extended", HOUR), null);
});

test("Retry-After is seconds or an HTTP date, and anything else is nothing", () => {
  const now = Date.UTC(2026, 0, 1);
  assert.equal(readRetryAfter("120", now), now + 120_000);
  assert.equal(readRetryAfter(" 0 ", now), now);
  assert.equal(readRetryAfter("Thu, 01 Jan 2026 01:00:00 GMT", now), now + HOUR);
  for (const text of [undefined, "", "soon", "-1", "1.5", "1e3", "2026-01-01", "99999999999999", "Mon"]) {
    assert.equal(readRetryAfter(text, now), null, text);
  }
});
