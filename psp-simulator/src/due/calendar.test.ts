import assert from "node:assert/strict";
import { test } from "node:test";
import { plus, workingFrom } from "./calendar.ts";

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
