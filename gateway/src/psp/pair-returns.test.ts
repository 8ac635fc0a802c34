import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { compareNames, isIndistinct, pairReturns } from "./pair-returns.ts";

test("two returns are the same by either name, others by one of a kind, and unclear without a kind in common", () => {
  const same = [
    [{ id: "a" }, { id: "a" }],
    [{ rtrId: "D1" }, { rtrId: "D1" }],
    [{ id: "a" }, { id: "a", rtrId: "D1" }],
    [{ rtrId: "D1" }, { id: "a", rtrId: "D1" }],
    [{ id: "D1" }, { id: "a", rtrId: "D1" }],
    [
      { id: "D1", rtrId: "D1" },
      { id: "a", rtrId: "D1" },
    ],
  ];
  const other = [
    [{ id: "a" }, { id: "b" }],
    [{ rtrId: "D1" }, { rtrId: "D2" }],
    [
      { id: "a", rtrId: "D1" },
      { id: "b", rtrId: "D2" },
    ],
    [
      { id: "D1", rtrId: "D1" },
      { id: "a", rtrId: "D2" },
    ],
    // An institution that gives two returns one id: the network does not.
    [
      { id: "a", rtrId: "D1" },
      { id: "a", rtrId: "D2" },
    ],
  ];
  const unclear = [
    [{ id: "a" }, { rtrId: "D1" }],
    [
      { id: "a", rtrId: null },
      { id: "D1", rtrId: "D1" },
    ],
  ];
  for (const [a, b] of same) assert.deepEqual([compareNames(a!, b!), compareNames(b!, a!)], ["same", "same"]);
  for (const [a, b] of other) assert.deepEqual([compareNames(a!, b!), compareNames(b!, a!)], ["other", "other"]);
  for (const [a, b] of unclear) {
    assert.deepEqual([compareNames(a!, b!), compareNames(b!, a!)], ["unclear", "unclear"]);
  }
});

test("a return is indistinct where one of several booked ones has its name", () => {
  const booked = [{ id: "a" }, { id: "b" }];
  assert.deepEqual([isIndistinct(booked, { id: "b" }), isIndistinct(booked, { id: "c" })], [true, false]);
  assert.equal(isIndistinct([], { id: "a" }), false);
});

describe("of the returns that an institution shows", () => {
  const one = (names: { id?: string; rtrId?: string }, amount = 100) => ({ ...names, amount });

  test("those with a name that is booked are booked, whatever the amount says", () => {
    const booked = [one({ id: "a" }), one({ rtrId: "D2" })];
    const shown = [one({ id: "b", rtrId: "D2" }), one({ id: "a", rtrId: "D1" }, 5), one({ id: "c" }, 7)];
    assert.deepEqual(pairReturns(booked, shown), [booked[1], booked[0], null]);
  });

  test("one under a name of another kind is the booked one of its amount, each for one", () => {
    const booked = [one({ id: "a" }), one({ id: "b" })];
    assert.deepEqual(pairReturns(booked, [one({ rtrId: "D1" }), one({ rtrId: "D2" }), one({ rtrId: "D3" })]), [
      booked[0],
      booked[1],
      null,
    ]);
    assert.deepEqual(pairReturns(booked, [one({ rtrId: "D1" }, 99)]), [null]);
    // A name that is known leaves the other return for the one that is not.
    assert.deepEqual(pairReturns(booked, [one({ rtrId: "D1" }), one({ id: "a", rtrId: "D2" })]), [
      booked[1],
      booked[0],
    ]);
  });

  test("however they are named and in whatever order, all of them together are booked once", () => {
    const kind = fc.constantFrom("id", "rtrId", "both");
    const returns = fc.array(fc.record({ amount: fc.integer({ min: 1, max: 3 }), first: kind, later: kind }));
    fc.assert(
      fc.property(returns, fc.infiniteStream(fc.nat()), (made, order) => {
        const shown = (when: "first" | "later") =>
          made
            .map((each, i) => ({
              amount: each.amount,
              ...(each[when] === "rtrId" ? {} : { id: `own${i}` }),
              ...(each[when] === "id" ? {} : { rtrId: `D${i}` }),
            }))
            .toSorted(() => ((order.next().value ?? 0) % 2 === 0 ? 1 : -1));
        const booked = shown("first");
        const pairs = pairReturns(booked, shown("later"));
        assert.equal(pairs.filter((pair) => pair === null).length, 0);
        assert.equal(new Set(pairs).size, made.length);
      }),
    );
  });
});
