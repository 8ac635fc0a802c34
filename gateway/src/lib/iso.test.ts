import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isoOf } from "./iso.ts";

test("A time is written as Date writes it, whatever was written before it", () => {
  const time = fc.date({ noInvalidDate: true });
  const near = fc
    .tuple(time, fc.integer({ min: -172_800_000, max: 172_800_000 }))
    .map(([at, ms]) => new Date(+at + ms));
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          time,
          near.filter((at) => !Number.isNaN(+at)),
        ),
        { minLength: 1 },
      ),
      (times) => {
        for (const at of times) assert.equal(isoOf(at), at.toISOString());
      },
    ),
    { numRuns: 500 },
  );
});

test("The first and the last moment of a day, of 1970, of four-digit years and of all are written as Date writes them", () => {
  const days = ["1969-12-31", "1970-01-01", "2024-02-29", "2026-12-31", "9999-12-31", "+010000-01-01"];
  const times = days.flatMap((day) => [`${day}T00:00:00.000Z`, `${day}T23:59:59.999Z`]);
  for (const text of times) assert.equal(isoOf(new Date(text)), text);
  assert.equal(isoOf(new Date(8.64e15)), "+275760-09-13T00:00:00.000Z");
});

test("What is no time is refused as Date refuses it", () => {
  assert.throws(() => isoOf(new Date(Number.NaN)), RangeError);
});
