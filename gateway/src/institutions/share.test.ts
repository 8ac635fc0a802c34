import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isByShare, orderByShare } from "./share.ts";

const one = (institutionId: string, priority: number, share: number | null) => ({ institutionId, priority, share });
const ids = Array.from({ length: 10_000 }, (_, i) => `charge-${i}`);
const firsts = (institutions: Parameters<typeof orderByShare>[0]) =>
  Map.groupBy(ids, (id) => orderByShare(institutions, id)[0]!.institutionId);

describe("institutions of the same priority", () => {
  test("are tried first in the proportion of their shares", () => {
    const found = firsts([one("a", 10, 70), one("b", 10, 20), one("c", 10, 10)]);
    for (const [name, share] of [
      ["a", 0.7],
      ["b", 0.2],
      ["c", 0.1],
    ] as const) {
      const part = (found.get(name)?.length ?? 0) / ids.length;
      assert.ok(Math.abs(part - share) < 0.02, `${name}: ${part}`);
    }
  });

  test("keep the proportion of the others where one cannot take it", () => {
    const order = ids.map((id) => orderByShare([one("a", 10, 60), one("b", 10, 30), one("c", 10, 10)], id));
    const withoutA = order.map((list) => list.find(({ institutionId }) => institutionId !== "a")!.institutionId);
    const part = withoutA.filter((name) => name === "b").length / ids.length;
    assert.ok(Math.abs(part - 0.75) < 0.02, `${part}`);
  });

  test("have one order for an id, whatever the order in which they are listed", () => {
    const all = [one("a", 10, 50), one("b", 10, 50), one("c", 10, 50)];
    for (const id of ids.slice(0, 100)) {
      assert.deepEqual(orderByShare(all, id), orderByShare(all.toReversed(), id));
    }
  });

  test("have this order for an id in every process, also in one of an earlier version", () => {
    const all = [one("a", 10, 50), one("b", 10, 50), one("c", 10, 50)];
    const orders = ids.slice(0, 6).map((id) =>
      orderByShare(all, id)
        .map(({ institutionId }) => institutionId)
        .join(""),
    );
    assert.deepEqual(orders, ["bca", "abc", "acb", "bac", "acb", "acb"]);
  });

  test("come last without a share, and in their own order among themselves", () => {
    const all = [one("x", 10, null), one("a", 10, 50), one("y", 10, 0), one("b", 10, 50)];
    for (const id of ids.slice(0, 100)) {
      assert.deepEqual(
        orderByShare(all, id)
          .slice(2)
          .map(({ institutionId }) => institutionId),
        ["x", "y"],
      );
    }
  });
});

test("a lower number comes first whatever the shares, and the shares of two priorities do not mix", () => {
  const all = [one("first", 1, 1), one("a", 2, 50), one("b", 2, 50)];
  for (const id of ids.slice(0, 200)) assert.equal(orderByShare(all, id)[0]!.institutionId, "first");
  assert.equal(isByShare(all, all[0]!), false);
  assert.equal(isByShare(all, all[1]!), true);
  assert.equal(isByShare([...all, one("x", 2, null)], one("x", 2, null)), false);
  for (const id of ids.slice(0, 100)) assert.deepEqual(orderByShare(all.toReversed(), id), orderByShare(all, id));
  const least = [one("a", 2, 1), one("b", 2, 1)];
  assert.equal(isByShare(least, least[0]!), true);
  const [first, ...shared] = all;
  const orders = new Set(ids.slice(0, 200).map((id) => orderByShare([first!, ...shared], id)[1]!.institutionId));
  assert.deepEqual([...orders].sort(), ["a", "b"], "a priority that nobody shares stops no other");
});

test("without two shares nothing is ordered anew", () => {
  const all = [one("b", 1, null), one("a", 1, 70)];
  assert.equal(orderByShare(all, "id"), all);
});
