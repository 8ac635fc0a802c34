import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../http/errors.ts";
import { pacedCount } from "./paced-count.ts";

/** A count that takes a moment, with the number of its runs. */
function counter(created: number) {
  const state = { runs: 0, atOnce: 0, most: 0 };
  const count = async () => {
    state.runs += 1;
    state.atOnce += 1;
    state.most = Math.max(state.most, state.atOnce);
    for (const until = performance.now() + 20; performance.now() < until; ) await new Promise(setImmediate);
    state.atOnce -= 1;
    return { created, paid: state.runs };
  };
  return { state, count };
}
const queries = () => ({ query: () => Promise.reject(new Error("nothing is read here")) });

test("many charges are counted one time after the other, shown again meanwhile, and a third who waits is refused", async () => {
  const { state, count } = counter(30_000);
  const db = queries();
  const ask = (name: string) => pacedCount(db, "w", name, count);
  const first = await ask("today");
  assert.deepEqual(await ask("today"), first, "shown again");
  const [a, b, c] = await Promise.allSettled([ask("1"), ask("2"), ask("3")]);
  assert.deepEqual([a.status, b.status, c.status], ["fulfilled", "fulfilled", "rejected"]);
  assert.ok(c.status === "rejected" && c.reason instanceof ApiError && c.reason.code === "TOO_MANY_READS");
  assert.deepEqual([state.runs, state.most], [3, 1]);
});

test("few are counted whenever somebody asks", async () => {
  const { state, count } = counter(20_000);
  const db = queries();
  await Promise.all(Array.from({ length: 5 }, () => pacedCount(db, "w", "today", count)));
  assert.deepEqual([state.runs, state.most], [5, 5]);
});
