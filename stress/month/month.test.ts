import assert from "node:assert/strict";
import { test } from "node:test";
import { notAt } from "../../gateway/test/harness/bank.ts";
import { compareExample, EXAMPLE_MONTH } from "./example.ts";
import { runMonth } from "./month.ts";

const skip = notAt("api-pix", "it reports no balance").skip ?? notAt("efi", "its simulators need certificates").skip;

test("a month of every kind of movement closes to the centavo at three institutions, as docs/money.md shows it", {
  timeout: 1_800_000,
  skip: skip ?? false,
}, async () => {
  assert.equal(compareExample(await runMonth(EXAMPLE_MONTH)), null);
});
