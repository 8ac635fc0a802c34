import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Found, Outcome } from "../psp/psp.ts";
import { type Doubt, nextLook, type Patience, pursue } from "./pursue.ts";

const PATIENCE: Patience = { absentFor: 30_000, besideThePoint: new Set([401, 403]) };
const NEW: Doubt = { mayHaveLeft: false, refusedAt: null, absentAt: null };
const refusal = (httpStatus = 400) => ({ kind: "rejected" as const, httpStatus, code: "no", message: "" });

/** One look at a PSP that answers so; says what it was asked. */
async function look(doubt: Doubt, found: Found<string>, sent: Outcome<string>, now = 1_000_000) {
  const asked: string[] = [];
  const errand = {
    find: async () => (asked.push("find"), found),
    send: async () => (asked.push("send"), sent),
  };
  return { ...(await pursue(errand, doubt, PATIENCE, () => now)), asked: asked.join() };
}

const accepted = { kind: "accepted" as const, value: "there" };
const there = { kind: "found" as const, value: "there" };
const absent = { kind: "absent" as const };
const unknown = { kind: "unknown" as const, reason: "silence" };

describe("an errand at a PSP", () => {
  test("that nobody has sent is sent without a question", async () => {
    const done = await look(NEW, there, accepted);
    assert.deepEqual([done.kind, done.asked], ["shown", "send"]);
  });

  test("that may have been sent is asked about first, and not sent where it is shown or nobody answers", async () => {
    const sent = { ...NEW, mayHaveLeft: true };
    assert.deepEqual(
      [(await look(sent, there, accepted)).asked, (await look(sent, there, accepted)).kind],
      ["find", "shown"],
    );
    const silent = await look(sent, unknown, accepted);
    assert.deepEqual([silent.kind, silent.asked], ["open", "find"]);
  });

  test("that nothing may be sent of is only asked about, however long it is not shown", async () => {
    const find = async () => absent;
    const sent = { ...NEW, mayHaveLeft: true, absentAt: new Date(0) };
    const paused = await pursue({ find }, sent, PATIENCE, () => 86_400_000);
    assert.ok(paused.kind === "open");
    assert.deepEqual(paused.doubt, sent);
  });

  test("that is not shown is sent again only when it was not for long enough", async () => {
    const first = await look({ ...NEW, mayHaveLeft: true }, absent, accepted, 0);
    assert.ok(first.kind === "open" && first.asked === "find");
    assert.deepEqual([first.doubt.absentAt, first.decidedAt], [new Date(0), new Date(30_000)]);
    for (const [now, asked] of [
      [29_999, "find"],
      [30_000, "find,send"],
    ] as const) {
      assert.equal((await look(first.doubt, absent, accepted, now)).asked, asked);
    }
    // A silence in between proves nothing; a request that may have left begins it anew.
    const silent = await look(first.doubt, unknown, accepted, 20_000);
    assert.ok(silent.kind === "open" && silent.doubt.absentAt?.getTime() === 0);
    const unclear = await look(first.doubt, absent, unknown, 30_000);
    assert.ok(unclear.kind === "open" && unclear.doubt.absentAt === null);
  });

  test("is refused at once where nothing can be on its way, after a minute of refusals where something can", async () => {
    assert.equal((await look(NEW, absent, refusal())).kind, "refused");
    const doubt = { mayHaveLeft: true, refusedAt: null, absentAt: new Date(0) };
    const first = await look(doubt, absent, refusal(), 40_000);
    assert.ok(first.kind === "open");
    assert.deepEqual([first.doubt.refusedAt, first.decidedAt], [new Date(40_000), new Date(100_000)]);
    assert.equal((await look(first.doubt, absent, refusal(), 99_999)).kind, "open");
    assert.equal((await look(first.doubt, absent, refusal(), 100_000)).kind, "refused");
    // An unclear request in between takes the refusals back.
    const unclear = await look(first.doubt, absent, unknown, 99_999);
    assert.ok(unclear.kind === "open" && unclear.doubt.refusedAt === null && unclear.doubt.mayHaveLeft);
  });

  test("refused for want of a login waits a day, whatever was sent", async () => {
    const first = await look(NEW, absent, refusal(401), 0);
    assert.ok(first.kind === "open" && !first.doubt.mayHaveLeft);
    assert.equal((await look(first.doubt, absent, refusal(403), 86_399_999)).kind, "open");
    assert.equal((await look(first.doubt, absent, refusal(403), 86_400_000)).kind, "refused");
  });

  test("is never called refused after an answer that could be a yes, whatever comes in whatever order", async () => {
    const answers = fc.record({
      found: fc.constantFrom<Found<string>>(absent, unknown),
      sent: fc.constantFrom<Outcome<string>>(unknown, { kind: "unsent", reason: "down" }, refusal(), refusal(403)),
      wait: fc.integer({ min: 1, max: 40_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(answers, { maxLength: 30 }), async (list) => {
        let doubt = NEW;
        let now = 0;
        let lastUnclear: number | null = null;
        for (const { found, sent, wait } of list) {
          now += wait;
          const done = await look(doubt, found, sent, now);
          const did = done.asked.includes("send");
          if (done.kind === "refused") {
            assert.ok(lastUnclear === null || now - lastUnclear >= 60_000);
            return;
          }
          assert.ok(done.kind === "open");
          if (did && sent.kind === "unknown") lastUnclear = now;
          assert.equal(done.doubt.mayHaveLeft, lastUnclear !== null);
          doubt = done.doubt;
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

test("looks are a second apart at first, doubling to ten minutes, and not later than a wait is over", () => {
  const pauses = [1, 2, 3, 10, 11, 12, 1_000].map((attempts) => nextLook(attempts, 0).getTime() / 1_000);
  assert.deepEqual(pauses, [1, 2, 4, 512, 600, 600, 600]);
  assert.equal(nextLook(10, 0, new Date(30_000)).getTime(), 30_000);
  assert.equal(nextLook(1, 0, new Date(30_000)).getTime(), 1_000);
  assert.equal(nextLook(10, 50_000, new Date(30_000)).getTime(), 51_000);
});
