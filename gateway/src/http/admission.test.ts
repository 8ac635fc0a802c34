import assert from "node:assert/strict";
import { test } from "node:test";
import { createMetrics } from "../telemetry/metrics.ts";
import { createAdmission } from "./admission.ts";

/** A process that answers one call every `eachMs`, at a time that the test moves. */
function makeProcess(eachMs: number) {
  let now = 0;
  let begins = 0;
  const admission = createAdmission({ most: 1_000, metrics: createMetrics(), now: () => now });
  const waiting: (() => void)[] = [];
  const counts = { taken: 0, refused: 0 };
  let calls = 0;
  return {
    admission,
    counts,
    /** So many calls come in every 10 ms, for `ms`: of one tenant, or of 64 in turn. */
    offer(perTick: number, ms: number, tenant?: string) {
      for (const end = now + ms; now < end; now += 10) {
        for (let i = 0; i < perTick; i += 1) {
          const leave = admission.enter(tenant ?? `tenant ${calls++ % 64}`, false);
          counts[leave === null ? "refused" : "taken"] += 1;
          if (leave !== null) waiting.push(leave);
        }
        begins = waiting.length === 0 ? now : begins;
        for (; waiting.length > 0 && begins + eachMs <= now + 10; begins += eachMs) waiting.shift()!();
      }
    },
  };
}

test("a fast process takes as many at once as may wait, and refuses what is beyond", () => {
  const fast = makeProcess(1);
  fast.offer(900, 10);
  assert.deepEqual(fast.counts, { taken: 900, refused: 0 });
  fast.offer(200, 10);
  assert.ok(fast.counts.refused > 0 && fast.admission.waiting() <= 1_000);
});

test("a slow process does not let its callers wait for ever", () => {
  const slow = makeProcess(10);
  slow.offer(3, 10_000);
  // 100 a second are answered; without this, 1,000 would wait for ten seconds.
  assert.ok(slow.admission.waiting() <= 400, String(slow.admission.waiting()));
  assert.ok(slow.counts.taken > 900 && slow.counts.taken < 1_500, JSON.stringify(slow.counts));
  const refused = slow.counts.refused;
  slow.offer(0, 5_000);
  slow.offer(1, 2_000);
  assert.equal(slow.counts.refused, refused, "when it has come to rest, everything is taken again");
});

test("however slow it is, a few may wait", () => {
  const stuck = makeProcess(1_000_000);
  stuck.offer(1, 8_000);
  assert.equal(stuck.admission.waiting(), 256);
});

test("what waits for somebody else does not count, and counts again afterwards", async () => {
  const { admission } = makeProcess(1);
  const leave = admission.enter("a", false)!;
  let answer = (_: string) => {};
  const outside = admission.outside("a", new Promise<string>((resolve) => (answer = resolve)));
  assert.equal(admission.waiting(), 0);
  answer("there");
  assert.equal(await outside, "there");
  assert.equal(admission.waiting(), 1);
  const failed = admission.outside("a", Promise.reject(new Error("not there")));
  assert.equal(admission.waiting(), 0);
  await assert.rejects(failed, /not there/);
  assert.equal(admission.waiting(), 1);
  leave();
  assert.equal(admission.waiting(), 0);
});

test("charges are refused while too many calls wait for PSPs, and nothing else is", async () => {
  const { admission } = makeProcess(1);
  const answers: (() => void)[] = [];
  const calls = Array.from({ length: 1_000 }, (_, i) => {
    assert.notEqual(admission.enter(`tenant ${i}`, true), null);
    return admission.outside(`tenant ${i}`, new Promise<void>((resolve) => answers.push(resolve)));
  });
  assert.equal(admission.waiting(), 0);
  assert.equal(admission.enter("a", true), null);
  const leave = admission.enter("a", false);
  assert.notEqual(leave, null);
  leave!();
  answers.pop()!();
  await calls.pop();
  assert.equal(admission.waiting(), 1);
  assert.notEqual(admission.enter("a", true), null);
  for (const answer of answers) answer();
  await Promise.all(calls);
});

test("one tenant that floods leaves capacity for others, and its waits for PSPs leave some too", () => {
  const { admission } = makeProcess(1);
  const enter = (tenant: string, toPsp = false) => admission.enter(tenant, toPsp) !== null;
  while (enter("flood"));
  assert.equal(admission.waiting(), 800);
  for (let i = 0; i < 100; i += 1) assert.ok(enter("other"));
  while (enter("second flood"));
  assert.ok(enter("third"));

  const abroad = makeProcess(1).admission;
  const never = new Promise<never>(() => {});
  let away = 0;
  for (; abroad.enter("flood", true) !== null; away += 1) void abroad.outside("flood", never);
  assert.equal(away, 800);
  assert.notEqual(abroad.enter("other", true), null);
});

test("one tenant that made the process slow does not keep the others out", () => {
  const stuck = makeProcess(1_000_000);
  stuck.offer(1, 8_000, "flood");
  const flooded = stuck.admission.waiting();
  assert.ok(flooded > 200 && flooded <= 384, String(flooded));
  assert.equal(stuck.admission.enter("flood", false), null);
  for (let i = 0; i < 20; i += 1) assert.notEqual(stuck.admission.enter("other", false), null);
});
