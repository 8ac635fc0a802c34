import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Capacity, createCapacity, divide } from "./capacity.ts";

const limits = { inFlight: 100, perEndpoint: 32, perSecond: 1_000_000 };

/** An endpoint; without another account, the only one of its own. */
const endpointOf = (endpointId: string, accountId = endpointId) => ({ accountId, endpointId });

/** Attempts that may begin to an endpoint when no other one has work. */
const free = (capacity: Capacity, endpointId: string, now: number): number =>
  capacity.share([endpointOf(endpointId)], Number.POSITIVE_INFINITY, now).get(endpointId) ?? 0;

test("an endpoint that succeeds gets more slots, one that fails gets fewer, and neither passes its bounds", () => {
  const capacity = createCapacity(limits);
  assert.equal(free(capacity, "a", 0), 8);
  for (let i = 0; i < 100; i += 1) {
    capacity.begin(endpointOf("a"), 0);
    capacity.end(endpointOf("a"), true, 0);
  }
  assert.equal(free(capacity, "a", 0), 32);
  for (let i = 0; i < 100; i += 1) {
    capacity.begin(endpointOf("a"), 0);
    capacity.end(endpointOf("a"), false, 0);
  }
  assert.equal(free(capacity, "a", 0), 2);
});

test("an endpoint gets no more than its fair part of all slots while others have work, those under way counted", () => {
  const capacity = createCapacity({ inFlight: 20, perEndpoint: 32, perSecond: 1_000 });
  const ids = ["a", "b", "c", "d"];
  const share = () =>
    capacity
      .share(
        ids.map((id) => endpointOf(id)),
        100,
        0,
      )
      .get("a") ?? 0;
  for (const id of ids) {
    capacity.begin(endpointOf(id), 0);
    capacity.end(endpointOf(id), true, 0);
  }
  assert.equal(share(), 5);
  for (let i = 0; i < 3; i += 1) capacity.begin(endpointOf("a"), 0);
  assert.equal(share(), 2);
  assert.equal(free(capacity, "a", 0), 6);
  for (let i = 0; i < 2; i += 1) capacity.begin(endpointOf("a"), 0);
  assert.equal(share(), 0);
  assert.equal(free(capacity, "a", 0), 4);
});

test("an endpoint gets up to four slots however many others have work", () => {
  const capacity = createCapacity({ inFlight: 1_000, perEndpoint: 32, perSecond: 1_000 });
  const ids = Array.from({ length: 500 }, (_, i) => String(i));
  for (const id of ids) {
    capacity.begin(endpointOf(id), 0);
    capacity.end(endpointOf(id), true, 0);
  }
  assert.deepEqual(
    new Set(
      capacity
        .share(
          ids.map((id) => endpointOf(id)),
          2_000,
          0,
        )
        .values(),
    ),
    new Set([4]),
  );
});

test("one share gives endpoints that fail or are new no more than half of all slots together", () => {
  const capacity = createCapacity(limits);
  const ids = Array.from({ length: 40 }, (_, i) => String(i));
  const sum = () =>
    [
      ...capacity
        .share(
          ids.map((id) => endpointOf(id)),
          100,
          0,
        )
        .values(),
    ].reduce((all, slots) => all + slots, 0);
  assert.equal(sum(), 50);
  for (let i = 0; i < 30; i += 1) capacity.begin(endpointOf(String(i)), 0);
  assert.equal(sum(), 20);
  for (let i = 0; i < 30; i += 1) capacity.end(endpointOf(String(i)), true, 0);
  assert.equal(sum(), 100);
});

test("endpoints that fail or are new get half of all slots together, however many they are", () => {
  const capacity = createCapacity(limits);
  capacity.begin(endpointOf("good"), 0);
  capacity.end(endpointOf("good"), true, 0);
  const failing = Array.from({ length: 200 }, (_, i) => `failing ${i}`);
  for (const id of failing) {
    capacity.begin(endpointOf(id), 0);
    capacity.end(endpointOf(id), false, 0);
  }
  for (const id of failing) while (free(capacity, id, 0) > 0) capacity.begin(endpointOf(id), 0);
  assert.deepEqual(capacity.busy(), { all: 50, probing: 50 });
  assert.equal(free(capacity, "new", 0), 0);
  assert.equal(free(capacity, "good", 0), 9);
  // One that succeeds again is healthy.
  capacity.end(endpointOf("failing 0"), true, 0);
  assert.ok(capacity.busy().probing < 50);
});

test("an account whose endpoints hang leaves slots to the new endpoints of others, and one that floods to all", () => {
  const capacity = createCapacity(limits);
  const hanging = Array.from({ length: 300 }, (_, i) => endpointOf(`hanging ${i}`, "attacker"));
  const begin = (waiting: readonly { accountId: string; endpointId: string }[]) => {
    const shares = capacity.share(waiting, 100, 0);
    for (const one of waiting) {
      for (let i = 0; i < (shares.get(one.endpointId) ?? 0); i += 1) capacity.begin(one, 0);
    }
  };
  for (let i = 0; i < 10; i += 1) begin(hanging);
  assert.deepEqual(capacity.busy(), { all: 40, probing: 40 });
  assert.equal(free(capacity, "new", 0), 8);
  // Now with endpoints that were healthy before they hung.
  for (const one of hanging.slice(0, 40)) capacity.end(one, true, 0);
  for (let i = 0; i < 10; i += 1) begin(hanging.slice(0, 40));
  assert.equal(capacity.busy().all, 80);
  assert.equal(free(capacity, "new", 0), 8);
});

test("attempts to an endpoint begin as often in a second as the rate allows, whatever its slots", () => {
  const capacity = createCapacity({ ...limits, perSecond: 10 });
  // A probing endpoint has a twentieth of the rate, and at least one a second.
  assert.equal(free(capacity, "a", 0), 1);
  capacity.begin(endpointOf("a"), 0);
  capacity.end(endpointOf("a"), true, 0);
  let begun = 0;
  for (let now = 0; now <= 5_000; now += 10) {
    while (free(capacity, "a", now) > 0) {
      capacity.begin(endpointOf("a"), now);
      capacity.end(endpointOf("a"), true, now);
      begun += 1;
    }
  }
  assert.ok(begun >= 49 && begun <= 51, `${begun}`);
});

test("counts never drift, whatever begins, succeeds and fails", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ id: fc.nat(5), ok: fc.boolean(), end: fc.boolean() }), { maxLength: 400 }),
      (steps) => {
        const capacity = createCapacity({ inFlight: 20, perEndpoint: 8, perSecond: 1_000_000 });
        const going: number[] = [];
        for (const { id, ok, end } of steps) {
          if (end && going.length > 0) capacity.end(endpointOf(String(going.splice(id % going.length, 1)[0])), ok, 0);
          else if (free(capacity, String(id), 0) > 0) {
            capacity.begin(endpointOf(String(id)), 0);
            going.push(id);
          }
          const { all, probing } = capacity.busy();
          assert.equal(all, going.length);
          assert.ok(all <= 20 && probing >= 0 && probing <= Math.min(all, 20));
        }
        for (const id of going) capacity.end(endpointOf(String(id)), true, 0);
        assert.deepEqual(capacity.busy(), { all: 0, probing: 0 });
      },
    ),
  );
});

test("slots are divided fairly: nobody gets more than is free, and none is left while somebody could use it", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40), { maxLength: 60 }), fc.integer({ min: 1, max: 300 }), (free, most) => {
      const shares = divide(new Map(free.map((slots, i) => [String(i), slots])), most);
      const given = [...shares.values()].reduce((sum, share) => sum + share, 0);
      assert.equal(
        given,
        Math.min(
          most,
          free.reduce((sum, one) => sum + one, 0),
        ),
      );
      for (const [id, share] of shares) assert.ok(share > 0 && share <= free[Number(id)]!);
      // Whoever has less than its equal part has all it can use, or came after those who took the last ones.
      const wanting = free.filter((one) => one > 0).length;
      if (wanting > 0 && wanting <= most) {
        const part = Math.floor(most / wanting);
        for (const [i, one] of free.entries()) assert.ok((shares.get(String(i)) ?? 0) >= Math.min(one, part));
      }
    }),
  );
});
