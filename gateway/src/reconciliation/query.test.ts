import assert from "node:assert/strict";
import { test } from "node:test";
import { createLine } from "./query.ts";

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
  const line = createLine(last);
  line.add(ALL.slice(0, 1_300));
  line.add(ALL.slice(1_300));
  const asked: string[] = [];
  const query = () => Promise.resolve(asked.length < most ? ("absent" as const) : ("unasked" as const));
  const left = await line.ask(query, ({ entry: { key } }) => asked.push(key));
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
