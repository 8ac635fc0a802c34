/** A day and a time as people of São Paulo write them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readWhen } from "../src/operator/read-when.ts";

test("a day and a time that have been are read by São Paulo's clock, and nothing else is", () => {
  for (const [day, time, instant] of [
    ["01/11/2026", "10:30", "2026-11-01T13:30:00.000Z"],
    [" 1/2/2026 ", "9:05", "2026-02-01T12:05:00.000Z"],
    ["28/02/2026", "23:59", "2026-03-01T02:59:00.000Z"],
    ["29/02/2026", "10:00", null],
    ["31/04/2026", "10:00", null],
    ["01/13/2026", "10:00", null],
    ["01/11/26", "10:00", null],
    ["2026-11-01", "10:00", null],
    ["01/11/2026", "24:00", null],
    ["01/11/2026", "10:60", null],
    ["01/11/2026", "10:30 PM", null],
    ["01/11/2026", "", null],
    ["", "10:30", null],
    ["01/11/2999", "10:30", null],
  ] as const) {
    assert.equal(readWhen(day, time)?.toISOString() ?? null, instant, `${day} ${time}`);
  }
});
