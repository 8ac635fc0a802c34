import assert from "node:assert/strict";
import { test } from "node:test";
import { joinCalls } from "./join-calls.ts";

test("who asks while it runs gets the same, who asks later gets it anew, also after a failure", async () => {
  let runs = 0;
  const ask = joinCalls(async () => {
    runs += 1;
    await Promise.resolve();
    if (runs === 2) throw new Error("the second");
    return runs;
  });
  assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [1, 1, 1]);
  await assert.rejects(Promise.all([ask(), ask()]), /the second/);
  assert.deepEqual([await ask(), runs], [3, 3]);
});
