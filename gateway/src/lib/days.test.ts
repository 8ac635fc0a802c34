import assert from "node:assert/strict";
import { test } from "node:test";
import { dayOf, daysAfter, daysBefore, dayWindow, inBrasilia, monthDays } from "./days.ts";

test("a day of São Paulo is from three in the morning UTC to the next", () => {
  const window = dayWindow("2026-11-20")!;
  assert.deepEqual(
    [window.from.toISOString(), window.to.toISOString()],
    ["2026-11-20T03:00:00.000Z", "2026-11-21T03:00:00.000Z"],
  );
  assert.equal(dayOf(window.from), "2026-11-20");
  assert.equal(dayOf(new Date(window.to.getTime() - 1)), "2026-11-20");
  assert.equal(inBrasilia(window.from), "2026-11-20T00:00:00.000-03:00");
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

test("a month has its first and last day, in every length, and at the end of a year", () => {
  for (const [month, last] of [
    ["2026-11", "2026-11-30"],
    ["2026-12", "2026-12-31"],
    ["2026-01", "2026-01-31"],
    ["2024-02", "2024-02-29"],
    ["2026-02", "2026-02-28"],
    ["1970-01", "1970-01-31"],
    ["9999-11", "9999-11-30"],
  ])
    assert.deepEqual(monthDays(month!), { first: `${month}-01`, last }, month);
});

test("what is no month is null, and so is the last that four digits can write", () => {
  for (const month of ["2026-13", "2026-00", "2026-1", "", "2026-11-01", "1969-12", "9999-12"])
    assert.equal(monthDays(month), null, month);
});

test("the day after is counted over the end of a month, back as well", () => {
  assert.equal(daysAfter("2026-11-30", 1), "2026-12-01");
  assert.equal(daysAfter("2026-12-31", 2), "2027-01-02");
  assert.equal(daysAfter("2026-12-01", -1), "2026-11-30");
  assert.equal(daysAfter("9999-12-30", 1), "9999-12-31");
  for (const [day, days] of [
    ["9999-12-31", 1],
    ["1970-01-01", -1],
  ] as const)
    assert.throws(() => daysAfter(day, days), RangeError);
});
