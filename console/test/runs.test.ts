/** A delivery's attempts as its panel shows them: the same answer stands once beside those that had it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runsOf } from "../src/developers/runs.ts";

const shown = (answers: readonly string[]) =>
  runsOf(answers, (answer) => answer.split("\n")).map((run) => run.attempts.length);

test("neighbours with the same answer are together, and an answer that comes again later is not taken to the earlier one", () => {
  assert.deepEqual(shown([]), []);
  assert.deepEqual(shown(["refused", "refused", "refused"]), [3]);
  assert.deepEqual(shown(["refused", "refused", "HTTP 500\na", "HTTP 500\nb", "refused"]), [2, 1, 1, 1]);
});
