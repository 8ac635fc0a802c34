import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { Found, Outcome } from "../psp/outcome.ts";
import { describeLatest } from "./latest.ts";
import { nextQueryAt, nextSince, pursue, type RequestState, type RetryRules, whileClaimed } from "./pursue.ts";

const RULES: RetryRules = { absentFor: 30_000, inconclusive: new Set([401, 403]) };
const NEW: RequestState = { mayHaveLeft: false, refusedAt: null, absentAt: null };
const refusal = (httpStatus = 400) => ({ kind: "rejected" as const, httpStatus, code: "no", message: "" });

/** One step against a PSP that answers so; lists the calls that it got. */
async function step(
  state: RequestState,
  found: Found<string>,
  sent: Outcome<string>,
  now = 1_000_000,
  elsewhere: Found<string> = absent,
) {
  const asked: string[] = [];
  const order = {
    find: async () => (asked.push("find"), found),
    send: async () => (asked.push("send"), sent),
    search: async () => (asked.push("search"), elsewhere),
  };
  return { ...(await pursue(order, state, RULES, () => now)), asked: asked.join() };
}

const accepted = { kind: "accepted" as const, value: "there" };
const there = { kind: "found" as const, value: "there" };
const absent = { kind: "absent" as const };
const unknown = { kind: "unknown" as const, reason: "silence" };

describe("an order at a PSP", () => {
  test("that nobody has sent is sent without a query", async () => {
    const done = await step(NEW, there, accepted);
    assert.deepEqual([done.kind, done.asked], ["shown", "send"]);
  });

  test("that may have been sent is queried first, and not sent where it is shown or nobody answers", async () => {
    const sent = { ...NEW, mayHaveLeft: true };
    assert.deepEqual(
      [(await step(sent, there, accepted)).asked, (await step(sent, there, accepted)).kind],
      ["find", "shown"],
    );
    const silent = await step(sent, unknown, accepted);
    assert.deepEqual([silent.kind, silent.asked], ["open", "find"]);
  });

  test("is not sent by a process that was stopped until its claim was nearly over, which changes nothing that is known", async () => {
    let sent = 0;
    const send = async () => {
      sent += 1;
      return accepted;
    };
    const find = async () => absent;
    const claimedUntil = new Date(60_000);
    const at = (now: number) =>
      pursue({ find, search: find, send: whileClaimed(claimedUntil, () => now, send) }, NEW, RULES, () => now);
    assert.deepEqual([(await at(29_999)).kind, sent], ["shown", 1]);
    const late = await at(30_000);
    assert.ok(late.kind === "open");
    assert.deepEqual([late.state, sent], [NEW, 1]);
  });

  test("whose sending is paused is only queried, however long it is not shown", async () => {
    const find = async () => absent;
    const sent = { ...NEW, mayHaveLeft: true, absentAt: new Date(0) };
    const paused = await pursue({ find, search: find }, sent, RULES, () => 86_400_000);
    assert.ok(paused.kind === "open");
    assert.deepEqual(paused.state, sent);
  });

  test("that is not shown is sent again only when it was not for long enough", async () => {
    const first = await step({ ...NEW, mayHaveLeft: true }, absent, accepted, 0);
    assert.ok(first.kind === "open" && first.asked === "find");
    assert.deepEqual([first.state.absentAt, first.decidedAt], [new Date(0), new Date(30_000)]);
    for (const [now, asked] of [
      [29_999, "find"],
      [30_000, "find,send"],
    ] as const) {
      assert.equal((await step(first.state, absent, accepted, now)).asked, asked);
    }
    // A silence in between proves nothing; a request that may have left begins it anew.
    const silent = await step(first.state, unknown, accepted, 20_000);
    assert.ok(silent.kind === "open" && silent.state.absentAt?.getTime() === 0);
    const unclear = await step(first.state, absent, unknown, 30_000);
    assert.ok(unclear.kind === "open" && unclear.state.absentAt === null);
  });

  test("is refused at once where nothing can be on its way, after a minute of refusals where something can", async () => {
    assert.equal((await step(NEW, absent, refusal())).kind, "refused");
    const state = { mayHaveLeft: true, refusedAt: null, absentAt: new Date(0) };
    const first = await step(state, absent, refusal(), 40_000);
    assert.ok(first.kind === "open");
    assert.deepEqual([first.state.refusedAt, first.decidedAt], [new Date(40_000), new Date(100_000)]);
    assert.equal((await step(first.state, absent, refusal(), 99_999)).kind, "open");
    assert.equal((await step(first.state, absent, refusal(), 100_000)).kind, "refused");
    // An unclear request in between takes the refusals back.
    const unclear = await step(first.state, absent, unknown, 99_999);
    assert.ok(unclear.kind === "open" && unclear.state.refusedAt === null && unclear.state.mayHaveLeft);
  });

  test("that may have left is refused only while the PSP shows such things, and without it", async () => {
    const state = { mayHaveLeft: true, refusedAt: new Date(0), absentAt: new Date(0) };
    const hidden = await step(state, absent, refusal(404), 86_400_000, unknown);
    assert.ok(
      hidden.kind === "open" &&
        describeLatest(hidden.latest) === "No outcome is known: 404 no:  (its list of payouts: silence)",
    );
    assert.deepEqual([hidden.asked, hidden.state], ["find,send,search", state]);
    const shown = await step(state, absent, refusal(404), 86_400_000, there);
    assert.deepEqual([shown.kind, shown.asked], ["shown", "find,send,search"]);
    assert.equal((await step(state, absent, refusal(404), 86_400_000, absent)).kind, "refused");
  });

  test("refused for lack of access waits a day, whatever was sent", async () => {
    const first = await step(NEW, absent, refusal(401), 0);
    assert.ok(first.kind === "open" && !first.state.mayHaveLeft);
    assert.equal((await step(first.state, absent, refusal(403), 86_399_999)).kind, "open");
    assert.equal((await step(first.state, absent, refusal(403), 86_400_000)).kind, "refused");
  });

  test("is never called refused after an answer that could be a yes, whatever comes in whatever order", async () => {
    const answers = fc.record({
      found: fc.constantFrom<Found<string>>(absent, unknown),
      sent: fc.constantFrom<Outcome<string>>(unknown, { kind: "unsent", reason: "down" }, refusal(), refusal(403)),
      wait: fc.integer({ min: 1, max: 40_000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(answers, { maxLength: 30 }), async (list) => {
        let state = NEW;
        let now = 0;
        let lastUnclear: number | null = null;
        for (const { found, sent, wait } of list) {
          now += wait;
          const done = await step(state, found, sent, now);
          const did = done.asked.includes("send");
          if (done.kind === "refused") {
            assert.ok(lastUnclear === null || now - lastUnclear >= 60_000);
            return;
          }
          assert.ok(done.kind === "open");
          if (did && sent.kind === "unknown") lastUnclear = now;
          assert.equal(done.state.mayHaveLeft, lastUnclear !== null);
          state = done.state;
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

test("queries are a second apart at first, doubling to ten minutes, and not later than a wait is over", () => {
  const pauses = [1, 2, 3, 10, 11, 12, 1_000].map((attempts) => nextQueryAt(attempts, 0).getTime() / 1_000);
  assert.deepEqual(pauses, [1, 2, 4, 512, 600, 600, 600]);
  assert.equal(nextQueryAt(10, 0, new Date(30_000)).getTime(), 30_000);
  assert.equal(nextQueryAt(1, 0, new Date(30_000)).getTime(), 1_000);
  assert.equal(nextQueryAt(10, 50_000, new Date(30_000)).getTime(), 51_000);
  assert.deepEqual(nextSince(40_000, 50_000), new Date(61_000));
});
