import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compare, createTally, ENTRY_KINDS, type Entry } from "./compare.ts";

const at = new Date("2026-11-20T12:00:00Z");
const entry = fc.record({
  kind: fc.constantFrom(...ENTRY_KINDS),
  key: fc.constantFrom("a", "b", "c", "d", "e"),
  parent: fc.constant("p"),
  amount: fc.integer({ min: 1, max: 3 }),
  at: fc.constant(at),
});
const sides = fc.array(entry, { maxLength: 12 });
const idOf = ({ kind, key }: Entry): string => `${kind}/${key}`;

/** The pairs of two sides: the last entry of an id, but of a return each, in order. */
function pairsOf(theirs: readonly Entry[], ours: readonly Entry[]): [Entry | undefined, Entry | undefined][] {
  const ids = [...new Set([...theirs, ...ours].map(idOf))];
  return ids.flatMap((id) => {
    const [a, b] = [theirs, ours].map((side) => side.filter((one) => idOf(one) === id)) as [Entry[], Entry[]];
    if (!/^(returned|sent_back)/.test(id)) return [[a.at(-1), b.at(-1)]];
    return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => [a[i], b[i]]);
  });
}

test("every entry of both sides is either matched or a difference, once, whatever the order and however often it is reported", () => {
  fc.assert(
    fc.property(sides, sides, (theirs, ours) => {
      const { matched, differences } = compare(theirs, ours);
      const expected = pairsOf(theirs, ours).map(([x, y]) => {
        if (!x) return `missing_there ${idOf(y!)}`;
        if (!y) return `missing_here ${idOf(x)}`;
        return x.amount === y.amount ? `matched ${idOf(x)} ${x.amount}` : `differing ${idOf(x)}`;
      });
      const reported = [
        ...matched.map((one) => `matched ${idOf(one)} ${one.amount}`),
        ...differences.map((one) => `${one.state} ${idOf(one.state === "missing_there" ? one.ours : one.theirs)}`),
      ];
      assert.deepEqual(reported.sort(), expected.sort());
    }),
    { numRuns: 2_000 },
  );
});

test("a return is compared within its Pix: another Pix may have one of the same id", () => {
  const back = { kind: "returned", key: "a", alias: "a", amount: 2, at } as const;
  const [shown, booked] = [
    { ...back, parent: "p" },
    { ...back, parent: "q" },
  ];
  assert.deepEqual(compare([shown], [booked]), {
    matched: [],
    differences: [
      { state: "missing_here", theirs: shown },
      { state: "missing_there", ours: booked },
    ],
  });
});

test("a side that shows no tax of a Pix shows it whole, and counts as what was credited; another tax differs", () => {
  const shared = { kind: "received", key: "E1", parent: "E1", at } as const;
  const ours = { ...shared, amount: 90, withheld: 10 };
  const whole = { ...shared, amount: 100 };
  assert.deepEqual(compare([whole], [ours]), { matched: [{ ...shared, amount: 90 }], differences: [] });
  assert.deepEqual(compare([ours], [ours]), { matched: [ours], differences: [] });
  for (const [theirs, own] of [
    [{ ...shared, amount: 80, withheld: 20 }, ours],
    // Booked whole, it lacks a tax that the institution shows.
    [ours, whole],
    [{ ...shared, amount: 99 }, ours],
  ] as const) {
    assert.deepEqual(compare([theirs], [own]), {
      matched: [],
      differences: [{ state: "differing", theirs, ours: own }],
    });
  }
});

test("a Pix that both explain otherwise differs, and a side that explains nothing is silent about it", () => {
  const components = { original: 100, fine: 2, interest: 1, discount: 0, abatement: 0 };
  const ours = { kind: "received", key: "E1", parent: "E1", amount: 103, at, components } as const;
  const { components: _, ...silent } = ours;
  const otherwise = { ...ours, components: { ...components, fine: 1, interest: 2 } };
  for (const [theirs, own] of [
    [ours, ours],
    [silent, ours],
    [ours, silent],
  ] as const)
    assert.deepEqual(compare([theirs], [own]), { matched: [theirs], differences: [] });
  assert.deepEqual(compare([otherwise], [ours]), {
    matched: [],
    differences: [{ state: "differing", theirs: otherwise, ours }],
  });
});

test("two returns of a Pix under one id of the institution are two, and the network's ids say which is booked", () => {
  const back = { kind: "returned", alias: "a", parent: "p", at } as const;
  const [first, second] = [
    { ...back, key: "D1", amount: 3 },
    { ...back, key: "D2", amount: 2 },
  ];
  assert.deepEqual(compare([second, first], [first]), {
    matched: [first],
    differences: [{ state: "missing_here", theirs: second }],
  });
  assert.deepEqual(compare([second, first], [first, second]), { matched: [second, first], differences: [] });
});

test("what is listed in several hours is counted once", () => {
  const tally = createTally();
  const [received, back] = [
    { kind: "received", key: "E1", parent: "E1", amount: 5, at },
    { kind: "returned", key: "D1", parent: "E1", amount: 2, at },
  ] as const;
  tally.add([received, back, back]);
  tally.add([received]);
  tally.add([back, { ...back, parent: "E2" }]);
  const none = { count: 0, amount: 0 };
  assert.deepEqual(tally.counts, {
    received: { count: 1, amount: 5 },
    returned: { count: 3, amount: 6 },
    sent: none,
    sent_back: none,
    tariff: none,
  });
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
    assert.deepEqual([matched.length, differences], [1, []], `${theirs} and ${ours}`);
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

test("a tally remembers 200,000 names: what comes after them counts each time that it is listed", () => {
  const tally = createTally();
  const received = (n: number) => ({ kind: "received", key: `E${n}`, parent: `E${n}`, amount: 1, at }) as const;
  tally.add(Array.from({ length: 200_001 }, (_, n) => received(n)));
  tally.add([received(0), received(199_999)]);
  assert.equal(tally.counts.received.count, 200_001);
  tally.add([received(200_000)]);
  assert.equal(tally.counts.received.count, 200_002);
});
