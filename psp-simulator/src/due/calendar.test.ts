import assert from "node:assert/strict";
import { test } from "node:test";
import { distance, plus, workingDays, workingFrom } from "./calendar.ts";

test("the holidays that follow Easter are known in every year, the earliest and the latest Easter included", () => {
  for (const easter of [
    "2019-04-21",
    "2026-04-05",
    "2035-03-25",
    "2036-04-13",
    "2038-04-25",
    "2100-03-28",
    "2285-03-22",
  ]) {
    const isHoliday = (days: number) => workingFrom(plus(easter, days)) !== plus(easter, days);
    assert.deepEqual([-48, -47, -2, 60].map(isHoliday), [true, true, true, true], easter);
    // Ash Wednesday, and the Wednesday before Corpus Christi: banks work.
    assert.deepEqual([-46, 59].map(isHoliday), [false, false], easter);
  }
});

test("working days are as many as a walk by day finds, over any first day, weekday and length", () => {
  const walk = (from: string, to: string) => {
    let days = 0;
    for (let day = plus(from, 1); day <= to; day = plus(day, 1)) if (workingFrom(day) === day) days++;
    return days;
  };
  for (const start of ["2000-04-10", "2023-11-13", "2026-02-09", "2026-12-20"]) {
    for (let first = 0; first < 9; first++) {
      for (const length of [-3, 0, 1, 2, 5, 6, 7, 8, 13, 30, 365, 800]) {
        const from = plus(start, first);
        const to = plus(from, length);
        assert.equal(workingDays(from, to), walk(from, to), `${from} to ${to}`);
      }
    }
  }
});

test("the working days of a thousand years are counted at once", () => {
  const [from, to] = ["2026-11-29", "2999-12-31"] as const;
  workingDays(from, to);
  const began = process.cpuUsage();
  for (let times = 0; times < 10; times++) assert.ok(workingDays(from, to) < (distance(from, to) * 5) / 7);
  // A walk by day took more than a second for each.
  assert.ok(process.cpuUsage(began).user < 400_000);
});
