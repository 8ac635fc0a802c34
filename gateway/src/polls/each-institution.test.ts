/** Each institution is polled by itself. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../test/harness/eventually.ts";
import { type Context, createHints } from "../context.ts";
import { createPolls } from "./each-institution.ts";

/** Polls of one institution, each of which ends as it is told. */
function setUp() {
  const errors: unknown[] = [];
  const log = {
    warn: ({ err }: { err: unknown }) => errors.push(err),
    error: ({ err }: { err: unknown }) => errors.push(err),
  };
  const psps = { all: async () => [{ institutionId: "bank" }] };
  const ctx = { psps, log, hints: createHints() } as unknown as Context;
  let woken = 0;
  ctx.hints.onWake("list", () => (woken += 1));
  const begun: PromiseWithResolvers<boolean>[] = [];
  const polls = createPolls(ctx, "list", () => {
    begun.push(Promise.withResolvers());
    return begun.at(-1)!.promise;
  });
  return { polls, begun, errors, woken: () => woken };
}

test("the loop is woken after a poll that listed, and not after another", async () => {
  const { polls, begun, woken } = setUp();
  for (const [passes, listed, wakes] of [
    [1, false, 0],
    [1, true, 1],
    [3, true, 1],
  ] as const) {
    const [polled, before] = [begun.length, woken()];
    for (let pass = 0; pass < passes; pass += 1) await polls.runDue();
    assert.equal(begun.length, polled + 1, "one at a time");
    begun.at(-1)!.resolve(listed);
    await polls.idle();
    assert.equal(woken(), before + wakes, `${passes} ${listed}`);
  }
});

test("what was passed by during its poll is polled again by itself, once, and wakes nobody", async () => {
  const { polls, begun, woken } = setUp();
  for (let pass = 0; pass < 3; pass += 1) await polls.runDue();
  assert.equal(begun.length, 1);
  begun[0]!.resolve(false);
  await eventually("its next poll", () => begun.length === 2);
  begun[1]!.resolve(false);
  await polls.idle();
  assert.deepEqual([begun.length, woken()], [2, 0]);
});

test("an institution whose poll fails is polled again at the next pass", async () => {
  const { polls, begun, errors } = setUp();
  const failure = new Error("no");
  await polls.runDue();
  begun[0]!.reject(failure);
  await polls.idle();
  await polls.runDue();
  assert.deepEqual([begun.length, errors], [2, [failure]]);
  begun[1]!.resolve(false);
  await polls.idle();
});
