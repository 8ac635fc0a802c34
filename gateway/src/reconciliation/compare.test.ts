import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compare, ENTRY_KINDS, type Entry } from "./compare.ts";

const at = new Date("2026-11-20T12:00:00Z");
const entry = fc.record({
  kind: fc.constantFrom(...ENTRY_KINDS),
  key: fc.constantFrom("a", "b", "c", "d", "e"),
  parent: fc.constant("p"),
  amount: fc.integer({ min: 1, max: 3 }),
  at: fc.constant(at),
});
const sides = fc.array(entry, { maxLength: 12 });
const last = (entries: readonly Entry[]) => new Map(entries.map((one) => [`${one.kind}/${one.key}`, one]));

test("every entry of both sides is either matched or a difference, once, whatever the order and however often it is reported", () => {
  fc.assert(
    fc.property(sides, sides, (theirs, ours) => {
      const { matched, differences } = compare(theirs, ours);
      const [a, b] = [last(theirs), last(ours)];
      const expected = [...new Set([...a.keys(), ...b.keys()])].map((id) => {
        const [x, y] = [a.get(id), b.get(id)];
        if (!x) return `missing_there ${id}`;
        if (!y) return `missing_here ${id}`;
        return x.amount === y.amount ? "matched" : `differing ${id}`;
      });
      const reported = differences.map((one) => {
        const { kind, key } = one.state === "missing_there" ? one.ours : one.theirs;
        return `${one.state} ${kind}/${key}`;
      });
      assert.deepEqual(reported.sort(), expected.filter((one) => one !== "matched").sort());
      const count = ENTRY_KINDS.reduce((sum, kind) => sum + matched[kind].count, 0);
      assert.equal(count, expected.filter((one) => one === "matched").length);
      const amounts = [...a]
        .filter(([id, x]) => b.get(id)?.amount === x.amount)
        .reduce((sum, [, x]) => sum + x.amount, 0);
      assert.equal(
        ENTRY_KINDS.reduce((sum, kind) => sum + matched[kind].amount, 0),
        amounts,
      );
    }),
    { numRuns: 2_000 },
  );
});

test("a return that one side knows by one of its two ids only is the one that the other side has under either", () => {
  const names = {
    both: { key: "network", alias: "own" },
    network: { key: "network" },
    own: { key: "own", alias: null },
  };
  const back = { kind: "returned", parent: "p", amount: 2, at } as const;
  for (const [theirs, ours] of [
    ["both", "both"],
    ["both", "network"],
    ["both", "own"],
    ["network", "both"],
    ["own", "both"],
  ] as const) {
    const { matched, differences } = compare([{ ...back, ...names[theirs] }], [{ ...back, ...names[ours] }]);
    assert.deepEqual([matched.returned, differences], [{ count: 1, amount: 2 }, []], `${theirs} and ${ours}`);
  }
  const [shown, booked] = [
    { ...back, ...names.network },
    { ...back, ...names.own },
  ];
  assert.deepEqual(compare([shown], [booked]).differences, [
    { state: "missing_here", theirs: shown },
    { state: "missing_there", ours: booked },
  ]);
});
