/** Orders of an institution that hangs leave slots to those of the others. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../../test/harness/eventually.ts";
import { type Context, createHints } from "../context.ts";
import { NO_TRACING } from "../telemetry/tracing.ts";
import { createFairRunner } from "./run-fairly.ts";

const [HANGING, SECOND, OTHER] = ["hanging", "second", "other"];
type Order = { readonly institutionId: string };
const orders = (institutionId: string, count: number): Order[] =>
  Array.from({ length: count }, () => ({ institutionId }));

function start(due: Order[]) {
  const ended = Promise.withResolvers<void>();
  const begun: string[] = [];
  const clock = { now: () => 0, date: () => new Date(0) };
  const ctx = { hints: createHints(), clock, tracing: NO_TRACING } as unknown as Context;
  const runner = createFairRunner<Order>(ctx, {
    loop: "orders",
    async claim(limit, without) {
      const taken = due.filter(({ institutionId }) => !without.includes(institutionId)).slice(0, limit);
      for (const one of taken) due.splice(due.indexOf(one), 1);
      return taken;
    },
    async process({ institutionId }) {
      begun.push(institutionId);
      if (institutionId !== OTHER) await ended.promise;
      return null;
    },
    span: () => ({ objectId: null }),
    describe: () => ({}),
  });
  const underWay = (institutionId: string) => begun.filter((one) => one === institutionId).length;
  return { runner, hints: ctx.hints, underWay, end: ended.resolve };
}

test("the order of another institution leaves while a hundred of one that hangs wait for its answers", async () => {
  const due = orders(HANGING!, 100);
  const { runner, underWay, end } = start(due);
  assert.equal(await runner.runDue(), 64);
  due.push(...orders(OTHER!, 1));
  await eventually("its order", async () => (await runner.runDue()) > 0);
  assert.deepEqual([underWay(HANGING!), underWay(OTHER!)], [64, 1]);
  end();
  await runner.idle();
  assert.equal(await runner.runDue(), 36);
  await runner.idle();
});

test("of several that hang each keeps a few of the slots beside the usual ones, and the next one still leaves", async () => {
  const due = [...orders(HANGING!, 100), ...orders(SECOND!, 100)];
  const { runner, underWay, end } = start(due);
  assert.equal(await runner.runDue(), 64);
  await eventually("the second one's", async () => (await runner.runDue()) > 0);
  due.push(...orders(OTHER!, 1));
  await eventually("the other one's", async () => (await runner.runDue()) > 0);
  assert.deepEqual([underWay(HANGING!), underWay(SECOND!), underWay(OTHER!)], [64, 8, 1]);
  end();
  await runner.idle();
});

test("orders that a writer has claimed itself count as those that the runner claims", async () => {
  const due: Order[] = [];
  const { runner, underWay, end } = start(due);
  assert.equal(runner.free(), 64);
  runner.begin(orders(HANGING!, 64));
  assert.equal(runner.free(), 0);
  due.push(...orders(HANGING!, 1), ...orders(OTHER!, 1));
  await eventually("the other one's", async () => (await runner.runDue()) > 0);
  assert.deepEqual([underWay(HANGING!), underWay(OTHER!)], [64, 1]);
  end();
  await runner.idle();
});

test("many orders of another bank follow each other, and do not wait for the loop's next pass", async () => {
  const due = [...orders(HANGING!, 64), ...orders(OTHER!, 100)];
  const { runner, hints, underWay, end } = start(due);
  hints.onWake("orders", () => void runner.runDue());
  assert.equal(await runner.runDue(), 64);
  await eventually("the first ones", async () => (await runner.runDue()) > 0);
  await eventually("all of them", () => underWay(OTHER!) === 100, 5_000);
  end();
  await runner.idle();
});
