import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createRoom, divide } from "./capacity.ts";

const limits = { inFlight: 100, perEndpoint: 32, perSecond: 1_000_000 };

test("an endpoint that answers gets more places, one that fails gets fewer, and neither passes its bounds", () => {
  const room = createRoom(limits);
  assert.equal(room.freeFor("a", 0), 8);
  for (let i = 0; i < 100; i += 1) {
    room.begin("a", 0);
    room.end("a", true, 0);
  }
  assert.equal(room.freeFor("a", 0), 32);
  for (let i = 0; i < 100; i += 1) {
    room.begin("a", 0);
    room.end("a", false, 0);
  }
  assert.equal(room.freeFor("a", 0), 2);
});

test("takes no more attempts to an endpoint than the caller's bound, those under way counted", () => {
  const room = createRoom({ inFlight: 100, perEndpoint: 32, perSecond: 1_000 });
  assert.equal(room.freeFor("a", 0, 5), 5);
  for (let i = 0; i < 3; i += 1) room.begin("a", 0);
  assert.equal(room.freeFor("a", 0, 5), 2);
  assert.equal(room.freeFor("a", 0, 2), 0);
  assert.equal(room.freeFor("a", 0), 5);
});

test("endpoints that fail or are new have half of all places together, however many they are", () => {
  const room = createRoom(limits);
  room.begin("good", 0);
  room.end("good", true, 0);
  const failing = Array.from({ length: 200 }, (_, i) => `failing ${i}`);
  for (const id of failing) {
    room.begin(id, 0);
    room.end(id, false, 0);
  }
  for (const id of failing) while (room.freeFor(id, 0) > 0) room.begin(id, 0);
  assert.deepEqual(room.busy(), { all: 50, doubtful: 50 });
  assert.equal(room.freeFor("new", 0), 0);
  assert.equal(room.freeFor("good", 0), 9);
  // One that answers again counts as one that answers.
  room.end("failing 0", true, 0);
  assert.ok(room.busy().doubtful < 50);
});

test("an endpoint is begun as often in a second as the rate says, whatever its places", () => {
  const room = createRoom({ ...limits, perSecond: 10 });
  // One that has not answered yet has a twentieth of it, and one a second at least.
  assert.equal(room.freeFor("a", 0), 1);
  room.begin("a", 0);
  room.end("a", true, 0);
  let begun = 0;
  for (let now = 0; now <= 5_000; now += 10) {
    while (room.freeFor("a", now) > 0) {
      room.begin("a", now);
      room.end("a", true, now);
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
        const room = createRoom({ inFlight: 20, perEndpoint: 8, perSecond: 1_000_000 });
        const going: number[] = [];
        for (const { id, ok, end } of steps) {
          if (end && going.length > 0) room.end(String(going.splice(id % going.length, 1)[0]), ok, 0);
          else if (room.freeFor(String(id), 0) > 0) {
            room.begin(String(id), 0);
            going.push(id);
          }
          const { all, doubtful } = room.busy();
          assert.equal(all, going.length);
          assert.ok(all <= 20 && doubtful >= 0 && doubtful <= Math.min(all, 20));
        }
        for (const id of going) room.end(String(id), true, 0);
        assert.deepEqual(room.busy(), { all: 0, doubtful: 0 });
      },
    ),
  );
});

test("places are divided fairly: nobody gets more than is free, and none is left while somebody could use it", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40), { maxLength: 60 }), fc.integer({ min: 1, max: 300 }), (free, most) => {
      const ids = free.map((_, i) => String(i));
      const shares = divide(ids, most, (id) => free[Number(id)]!);
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
