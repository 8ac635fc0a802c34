import assert from "node:assert/strict";
import { test } from "node:test";
import { createContents } from "./contents.ts";

function counted(sizes: Readonly<Record<string, number>>) {
  const loads: string[] = [];
  const load = (name: string) => async () => {
    loads.push(name);
    const size = sizes[name];
    return size === undefined ? null : Buffer.alloc(size);
  };
  return { loads, load };
}

test("a content is loaded once, however many ask for it, and one that is not there is not asked for again", async () => {
  const { find } = createContents(100);
  const { loads, load } = counted({ a: 10 });
  const all = await Promise.all(Array.from({ length: 50 }, () => find("a", load("a"))));
  for (const one of [...all, await find("a", load("a"))]) assert.equal(one, all[0]);
  for (let i = 0; i < 3; i += 1) assert.equal(await find("none", load("none")), null);
  assert.deepEqual(loads, ["a", "none"]);
});

test("what was let go for others is found again while an answer has it", async () => {
  const { find } = createContents(100);
  const { loads, load } = counted({ a: 60, b: 60, large: 200 });
  const [a, large] = [await find("a", load("a")), await find("large", load("large"))];
  await find("b", load("b"));
  assert.equal(await find("a", load("a")), a);
  assert.equal(await find("large", load("large")), large);
  assert.deepEqual(loads, ["a", "large", "b"]);
});

test("what is forgotten is loaded again: another name, and that there was none; what failed too", async () => {
  const { find, keepOnly } = createContents(100);
  const sizes: Record<string, number> = { a: 10, b: 10 };
  const { loads, load } = counted(sizes);
  const [a] = [await find("a", load("a")), await find("b", load("b")), await find("late", load("late"))];
  sizes.late = 10;
  keepOnly(new Set(["a", "late"]));
  assert.equal(await find("a", load("a")), a);
  assert.equal((await find("late", load("late")))?.length, 10);
  await find("b", load("b"));
  assert.deepEqual(loads, ["a", "b", "late", "late", "b"]);
  await assert.rejects(
    find("c", () => Promise.reject(new Error("away"))),
    /away/,
  );
  sizes.c = 1;
  assert.equal((await find("c", load("c")))?.length, 1);
});
