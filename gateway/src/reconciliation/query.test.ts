import assert from "node:assert/strict";
import { test } from "node:test";
import { createQueryQueue } from "./query.ts";

const at = new Date(0);
const entry = (n: number) => {
  const key = String(n).padStart(5, "0");
  return {
    entry: { kind: "received" as const, key, parent: key, amount: 1, at },
    place: `00:00 received ${key}`,
    listsParent: false,
  };
};
const ALL = Array.from({ length: 2_500 }, (_, n) => entry(n));

/** One comparison that queries at most so many; the entries that it queried, and its place and the rest. */
async function compare(last: string | null, most: number) {
  const line = createQueryQueue(last);
  line.add(ALL.slice(0, 1_300));
  line.add(ALL.slice(1_300));
  const asked: string[] = [];
  const query = () => Promise.resolve(asked.length < most ? ("absent" as const) : ("unasked" as const));
  const left = await line.queryAll(query, ({ entry: { key } }) => asked.push(key));
  return { asked, ...left };
}

test("comparisons query every entry of a day in turn, however few each of them queries, and begin again after the last", async () => {
  for (const most of [50, 700, 1_000]) {
    const seen = new Set<string>();
    let last: string | null = null;
    for (let run = 0; run < Math.ceil(ALL.length / most) + 1; run += 1) {
      const { asked, unasked, last: reached } = await compare(last, most);
      for (const key of asked) seen.add(key);
      assert.equal(unasked.count, ALL.length - asked.length);
      const named = ALL.filter(({ entry: one }) => !unasked.has(one)).map(({ entry: one }) => one.key);
      assert.deepEqual(named, [...asked].sort());
      last = reached;
    }
    assert.equal(seen.size, ALL.length, `${most} each time`);
  }
});

test("a comparison that queried nothing keeps the place", async () => {
  assert.equal((await compare("00:00 received 00007", 0)).last, "00:00 received 00007");
});

/** One comparison of these entries, which the institution answers as said; the entries that `then` was called for, in its order. */
async function compareAll(
  last: string | null,
  numbers: readonly number[],
  answer: () => "absent" | "unasked" = () => "absent",
) {
  const line = createQueryQueue(last);
  line.add(numbers.map(entry));
  const asked: string[] = [];
  const left = await line.queryAll(
    () => Promise.resolve(answer()),
    ({ entry: { key } }) => asked.push(key),
  );
  return { asked, ...left };
}
const numbers = (from: number, until: number) => Array.from({ length: until - from }, (_, i) => from + i);

test("what comes after the place is queried first, in order, and then the day's beginning with the place itself", async () => {
  const { asked, last, unasked } = await compareAll(entry(1).place, [3, 1, 4, 2, 0]);
  assert.deepEqual(asked, ["00002", "00003", "00004", "00000", "00001"]);
  assert.deepEqual([last, unasked.count], [entry(1).place, 0]);
});

test("an entry that the institution was not queried for is left, and the place stays before it", async () => {
  let calls = 0;
  const { asked, last, unasked } = await compareAll(null, [0, 1, 2, 3], () => (++calls === 3 ? "unasked" : "absent"));
  assert.deepEqual(asked, ["00000", "00001", "00003"]);
  assert.deepEqual([last, unasked.count], [entry(1).place, 1]);
});

test("a thousand entries after the place are a comparison's work: the day's beginning waits for another one", async () => {
  const { place } = entry(9);
  const less = await compareAll(place, numbers(0, 1_009));
  assert.deepEqual([less.asked.length, less.unasked.count], [1_009, 0]);
  const all = await compareAll(place, numbers(0, 1_010));
  assert.deepEqual([all.asked.length, all.asked[0], all.unasked.count], [1_000, "00010", 10]);
  assert.deepEqual(
    [0, 9, 10, 1_009].map((n) => all.unasked.has(entry(n).entry)),
    [true, true, false, false],
  );
  const more = await compareAll(place, numbers(0, 1_011));
  assert.deepEqual([more.asked.length, more.unasked.count], [1_000, 11]);
  assert.equal(more.unasked.has(entry(1_010).entry), true);
});

test("of what is left 10,000 are known by name; of more any entry may be among them", async () => {
  const named = await compareAll(null, numbers(0, 11_000));
  assert.deepEqual([named.asked.length, named.unasked.count], [1_000, 10_000]);
  assert.deepEqual(
    [999, 1_000, 10_999, 11_000].map((n) => named.unasked.has(entry(n).entry)),
    [false, true, true, false],
  );
  const many = await compareAll(null, numbers(0, 11_001));
  assert.equal(many.unasked.has(entry(20_000).entry), true);
});
