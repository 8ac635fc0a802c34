import assert from "node:assert/strict";
import { test } from "node:test";
import { createTurns, inTurns } from "./turns.ts";

/** Collects an answer of so many pieces; says when each began and ended. */
async function collect(turns: ReturnType<typeof createTurns>, tenant: string, pieces: number, log: string[]) {
  async function* made() {
    for (let i = 0; i < pieces; i += 1) {
      log.push(`${tenant} begins`);
      await Promise.resolve();
      log.push(`${tenant} ends`);
      yield i;
    }
  }
  const got: number[] = [];
  for await (const piece of inTurns(turns, tenant, made())) got.push(piece);
  assert.deepEqual(got, [...Array(pieces).keys()]);
}

test("one piece is made at a time, and tenants take turns however many answers one of them has", async () => {
  const log: string[] = [];
  const turns = createTurns(async () => {});
  await Promise.all([
    ...Array.from({ length: 5 }, () => collect(turns, "busy", 4, log)),
    collect(turns, "other", 4, log),
  ]);
  for (const [i, line] of log.entries()) {
    const tenant = line.split(" ")[0];
    assert.equal(line, `${tenant} ${i % 2 === 0 ? "begins" : "ends"}`);
  }
  const last = log.lastIndexOf("other ends");
  assert.ok(last < 2 * 12, `the other tenant's four pieces end with piece ${last / 2}`);
});

test("after each piece the thread is others' for as long as it took, and a piece that fails ends its turn too", async () => {
  const rests: number[] = [];
  let go = () => {};
  const turns = createTurns((ms) => {
    rests.push(ms);
    return new Promise((resolve) => {
      go = resolve;
    });
  });
  const { promise: slow, resolve: end } = Promise.withResolvers<void>();
  const first = turns.take("a", () => slow.then(() => Promise.reject(new Error("broken"))));
  let second = false;
  const next = turns.take("b", async () => {
    second = true;
  });
  end();
  await assert.rejects(first, /broken/);
  assert.ok(rests.length === 1 && !second, "it rests");
  go();
  await next;
  assert.ok(second);
});

test("an answer that nobody goes on reading lets its source go", async () => {
  let closed = false;
  function* made() {
    try {
      yield 1;
      yield 2;
    } finally {
      closed = true;
    }
  }
  for await (const _ of inTurns(
    createTurns(async () => {}),
    "a",
    made(),
  ))
    break;
  assert.ok(closed);
});
