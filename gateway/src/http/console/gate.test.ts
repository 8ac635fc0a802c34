import assert from "node:assert/strict";
import { test } from "node:test";
import { createGate } from "./gate.ts";

test("two work at once and two wait in their order; one more is refused, and a place that is free again is given", async () => {
  const enter = createGate({ atOnce: 2, maxWaiting: 2 });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
  };
  const done = ["a", "b", "c", "d"].map((name) => enter(work(name)));
  assert.equal(enter(work("e")), null);
  assert.deepEqual(begun, ["a", "b"]);
  ends.get("b")!();
  assert.equal(await done[1], "b");
  const late = enter(work("f"));
  assert.ok(late !== null);
  ends.get("c")!();
  ends.get("a")!();
  assert.deepEqual(await Promise.all([done[0], done[2]]), ["a", "c"]);
  assert.deepEqual(begun, ["a", "b", "c", "d", "f"]);
  ends.get("d")!();
  ends.get("f")!();
  assert.deepEqual(await Promise.all([done[3], late]), ["d", "f"]);
});

test("work that fails gives its place back", async () => {
  const enter = createGate({ atOnce: 1, maxWaiting: 0 });
  await assert.rejects(enter(() => Promise.reject(new Error("lost")))!, /lost/);
  assert.equal(await enter(async () => 1), 1);
});
