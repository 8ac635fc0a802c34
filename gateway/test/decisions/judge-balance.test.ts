import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  type Comparison,
  decideCase,
  driftOf,
  isOneSided,
  judgeBalance,
} from "../../src/reconciliation/judge-balance.ts";

const at = (theirs: number, more: Partial<Comparison> = {}): Comparison => ({
  ...{ theirs, ours: 1_000, moving: 0, underWay: 0 },
  ...more,
});

test("a balance agrees, differs, or differs by no more than what was moving", () => {
  assert.equal(judgeBalance(at(1_000, { moving: 50 })), "agrees");
  assert.equal(judgeBalance(at(1_001)), "differs");
  assert.equal(judgeBalance(at(1_050, { moving: 50 })), "moving");
  assert.equal(judgeBalance(at(1_051, { moving: 50 })), "differs");
  assert.equal(judgeBalance(at(950, { moving: 50 })), "moving");
  assert.equal(judgeBalance(at(949, { moving: 50 })), "differs");
});

test("a payout under way may have left there, and never adds money", () => {
  assert.equal(judgeBalance(at(900, { underWay: 100 })), "moving");
  assert.equal(judgeBalance(at(899, { underWay: 100 })), "differs");
  assert.equal(judgeBalance(at(1_001, { underWay: 100 })), "differs");
});

test("a case opens when two comparisons in a row allow the same drift, and closes when there is none", () => {
  assert.equal(decideCase(null, at(1_010)), "keep");
  assert.equal(decideCase(at(1_000), at(1_010)), "keep");
  assert.equal(decideCase(at(1_010), at(1_010)), "open");
  assert.equal(decideCase(at(1_010), at(1_020)), "keep");
  assert.equal(decideCase(at(1_010), at(1_020, { moving: 10 })), "open");
  assert.equal(decideCase(at(990), at(1_010)), "keep");
  assert.equal(decideCase(at(990), at(990)), "open");
  assert.equal(decideCase(at(1_001), at(1_001)), "open", "a centavo");
  assert.equal(decideCase(at(999), at(999)), "open");
  assert.equal(decideCase(at(990, { moving: 10 }), at(990)), "keep");
  assert.equal(decideCase(at(1_010), at(1_005, { moving: 10 })), "keep");
  assert.equal(decideCase(at(1_010), at(1_000)), "close");
});

test("a difference of one sign for an hour is one, however much moves; what is under way explains a shortage", () => {
  const hour = (theirs: number, more: Partial<Comparison> = {}) => Array.from({ length: 5 }, () => at(theirs, more));
  const busy = { moving: 500 };
  assert.equal(judgeBalance(at(990, busy)), "moving");
  assert.equal(decideCase(at(990, busy), at(990, busy)), "keep", "two comparisons are not enough");
  assert.equal(decideCase(at(990, busy), at(990, busy), hour(990, busy)), "open");
  assert.equal(decideCase(at(1_010, busy), at(1_010, busy), hour(1_010, busy)), "open");
  assert.equal(decideCase(at(990, busy), at(990, busy), [...hour(990, busy), at(1_001, busy)]), "keep");
  assert.equal(decideCase(at(990, busy), at(990, busy), [...hour(990, busy), at(1_000, busy)]), "keep");
  assert.equal(decideCase(at(990, busy), at(1_000, busy), hour(990, busy)), "close");
  assert.equal(decideCase(at(990, { underWay: 10 }), at(990, { underWay: 10 }), hour(990, { underWay: 10 })), "keep");
  assert.equal(
    decideCase(at(989, { underWay: 10, moving: 9 }), at(989, { underWay: 10, moving: 9 }), hour(989, { underWay: 10 })),
    "open",
  );
  assert.equal(isOneSided(hour(990).slice(1)), false, "four do not cover an hour");
  assert.deepEqual(
    [990, 999, 1_000, 1_001].map((theirs) => isOneSided(hour(theirs))),
    [true, true, false, true],
  );
});

test("no case opens over books that are right, whatever moves at the moment of the answer", () => {
  const noise = fc.record({ early: fc.nat(100), late: fc.nat(100), sent: fc.nat(100), taken: fc.boolean() });
  const comparison = ({ early, late, sent, taken }: { early: number; late: number; sent: number; taken: boolean }) =>
    at(1_000 + early - late - (taken ? sent : 0), { moving: early + late, underWay: sent });
  fc.assert(
    fc.property(noise, noise, (a, b) => {
      assert.notEqual(decideCase(comparison(a), comparison(b)), "open");
      const { least, most } = driftOf(comparison(a));
      assert.ok(least <= 0 && most >= 0);
    }),
  );
});
