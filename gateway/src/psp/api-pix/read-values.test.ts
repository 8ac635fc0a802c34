import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MAX_CENTAVOS, toDecimalString } from "../../lib/money.ts";
import { readAmount, readTime, writeTime } from "./read-values.ts";

test("an amount comes back as it was written, as string and as number", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: MAX_CENTAVOS }), (centavos) => {
      const written = toDecimalString(centavos);
      assert.equal(readAmount(written), centavos);
      assert.equal(readAmount(JSON.parse(written)), centavos);
      assert.equal(readAmount(`${written}000`), centavos);
    }),
    { numRuns: 5000 },
  );
});

test("amounts in other spellings are read, what is none is refused", () => {
  for (const value of ["25.90", "25.9", 25.9, "25.900", "025.90"]) assert.equal(readAmount(value), 2590);
  for (const value of ["25", 25, "25.", "25.00", "25.0"]) assert.equal(readAmount(value), 2500);
  for (const value of ["0.29", 0.29]) assert.equal(readAmount(value), 29);
  const none = [
    "",
    "abc",
    "25,90",
    "-1.00",
    "+1.00",
    "1e3",
    "1.005",
    " 1.00",
    "1.00 ",
    "0.00",
    "0",
    "10000000000.00",
    ".50",
  ];
  for (const value of [
    ...none,
    0,
    -1,
    1.005,
    0.1 + 0.2,
    1e21,
    Number.NaN,
    Infinity,
    null,
    undefined,
    true,
    {},
    ["1.00"],
    "١.٠٠",
  ]) {
    assert.equal(readAmount(value), null, String(value));
  }
});

test("times with or without zone and decimals are read, never in the zone of this machine", () => {
  const at = (text: unknown, zone: "Z" | "-03:00" = "Z") => readTime(text, zone)?.toISOString();
  for (const text of [
    "2026-08-02T13:05:11Z",
    "2026-08-02T13:05:11.000Z",
    "2026-08-02t13:05:11z".toUpperCase(),
    "2026-08-02 13:05:11",
    "2026-08-02T13:05:11",
    "2026-08-02T10:05:11-03:00",
    "2026-08-02T10:05:11.000-0300",
    "2026-08-02T10:05:11-03",
    "2026-08-02T13:05:11.0000000+00:00",
  ]) {
    assert.equal(at(text), "2026-08-02T13:05:11.000Z", text);
  }
  assert.equal(at("2026-08-02T13:05:11.2049999Z"), "2026-08-02T13:05:11.204Z");
  assert.equal(at("2026-08-02T13:05:11.2Z"), "2026-08-02T13:05:11.200Z");
  assert.equal(at("2026-08-02T13:05"), "2026-08-02T13:05:00.000Z");
  assert.equal(at("2026-08-02T10:05:11", "-03:00"), "2026-08-02T13:05:11.000Z");
  for (const none of [
    "",
    "2026-08-02",
    "02/08/2026 13:05",
    "2026-13-02T13:05:11Z",
    "2026-08-02T25:05:11Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59-03:00",
    1785675911204,
    null,
  ]) {
    assert.equal(at(none), undefined, String(none));
  }
  assert.equal(writeTime(new Date("2026-08-02T13:05:11.204Z"), true), "2026-08-02T13:05:11.204Z");
  assert.equal(writeTime(new Date("2026-08-02T13:05:11.204Z"), false), "2026-08-02T13:05:11Z");
});
