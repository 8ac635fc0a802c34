import assert from "node:assert/strict";
import { test } from "node:test";
import { dayOf, daysBefore, dayWindow } from "./days.ts";

test("a day of São Paulo is from three in the morning UTC to the next", () => {
  const window = dayWindow("2026-11-20")!;
  assert.deepEqual(
    [window.from.toISOString(), window.to.toISOString()],
    ["2026-11-20T03:00:00.000Z", "2026-11-21T03:00:00.000Z"],
  );
  assert.equal(dayOf(window.from), "2026-11-20");
  assert.equal(dayOf(new Date(window.to.getTime() - 1)), "2026-11-20");
  assert.equal(dayOf(window.to), "2026-11-21");
});

test("what is no day is null, and days are counted over months and leap years", () => {
  for (const day of [
    "2026-02-30",
    "2026-13-01",
    "2026-1-1",
    "",
    "20261120",
    "2026-11-20T00:00:00Z",
    "0000-08-01",
    "1969-12-31",
  ])
    assert.equal(dayWindow(day), null, day);
  assert.equal(daysBefore("2024-03-01", 1), "2024-02-29");
  assert.equal(daysBefore("2026-01-01", 1), "2025-12-31");
});
