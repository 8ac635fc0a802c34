import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { createBuckets, createGuesses } from "./rate-limit.ts";

function at(perSecond: number, maxKeys = 100) {
  let now = 1_000_000;
  const buckets = createBuckets({ perSecond, maxKeys, clock: { now: () => now } });
  return { take: (key = "k") => buckets.take(key), pass: (ms: number) => (now += ms) };
}

describe("token buckets", () => {
  test("a burst of two seconds' worth passes, the next call does not, and one more after its time", () => {
    const { take, pass } = at(100);
    for (let left = 199; left >= 0; left -= 1) {
      assert.deepEqual(take(), {
        allowed: true,
        limit: 200,
        remaining: left,
        resetSeconds: Math.ceil((200 - left) / 100),
        retrySeconds: 0,
      });
    }
    assert.deepEqual(take(), { allowed: false, limit: 200, remaining: 0, resetSeconds: 2, retrySeconds: 1 });
    pass(9);
    assert.equal(take().allowed, false);
    pass(1);
    assert.equal(take().allowed, true);
    assert.equal(take().allowed, false);
  });

  test("a refused call costs nothing: who waits until retrySeconds have passed gets through", () => {
    const { take, pass } = at(1);
    take();
    take();
    for (let i = 0; i < 1_000; i += 1) assert.equal(take().retrySeconds, 1);
    pass(1_000);
    assert.equal(take().allowed, true);
  });

  test("keys do not touch each other", () => {
    const { take } = at(1);
    for (let i = 0; i < 5; i += 1) take("a");
    assert.equal(take("a").allowed, false);
    assert.equal(take("b").remaining, 1);
  });

  test("a clock that is set back gives nothing and takes nothing away", () => {
    const { take, pass } = at(10);
    for (let i = 0; i < 10; i += 1) take();
    pass(-3_600_000);
    assert.equal(take().remaining, 9);
    pass(100);
    assert.equal(take().remaining, 9);
  });

  test("the bucket longest unused goes when there are too many", () => {
    const { take } = at(1, 2);
    take("a");
    take("b");
    take("a");
    take("c");
    assert.equal(take("a").allowed, false, "a was used after b");
    assert.equal(take("b").remaining, 1, "b is new again");
  });

  test("no more passes in any time than the burst and what flows in", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.tuple(fc.nat({ max: 2_000 }), fc.nat({ max: 60 })), { maxLength: 40 }),
        (perSecond, steps) => {
          const { take, pass } = at(perSecond);
          let passed = 0;
          let elapsed = 0;
          for (const [ms, calls] of steps) {
            pass(ms);
            elapsed += ms;
            for (let i = 0; i < calls; i += 1) {
              const taken = take();
              if (taken.allowed) passed += 1;
              assert.ok(taken.remaining >= 0 && taken.remaining < taken.limit && taken.resetSeconds >= 1);
              assert.equal(taken.allowed, taken.retrySeconds === 0);
            }
          }
          assert.ok(passed <= perSecond * 2 + (elapsed * perSecond) / 1000 + 1e-6);
        },
      ),
    );
  });
});

test("guesses that come together are checked no more often than those that come one by one", async () => {
  let now = 0;
  const guess = createGuesses(createBuckets({ perSecond: 0.1, burst: 10, maxKeys: 10, clock: { now: () => now } }));
  let [checked, most, running] = [0, 0, 0];
  const check = (answer: string | null) => async () => {
    checked += 1;
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    return answer;
  };
  // Honest logins at once all pass.
  const honest = await Promise.all(Array.from({ length: 64 }, () => guess("a", check("token"))));
  assert.deepEqual([honest.length, checked, most], [64, 64, 10]);
  checked = 0;
  const wrong = await Promise.allSettled(Array.from({ length: 300 }, () => guess("a", check(null))));
  assert.equal(checked, 10);
  assert.equal(wrong.filter(({ status }) => status === "rejected").length, 290);
  assert.equal(await guess("b", check("token")), "token");
  await assert.rejects(guess("a", check("token")));
  now += 10_000;
  assert.equal(await guess("a", check("token")), "token");
});
