import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { createTurns, inTurns } from "./turns.ts";

/** Collects an answer of so many pieces; says when each began and ended. */
async function collect(turns: ReturnType<typeof createTurns>, tenant: string, pieces: number, log: string[]) {
  async function* made() {
    for (let i = 0; i < pieces; i += 1) {
      log.push(`${tenant} begins`);
      await Promise.resolve();
      log.push(`${tenant} ends`);
      yield String(i).padEnd(64 * 1024);
    }
  }
  const got: number[] = [];
  for await (const piece of inTurns(turns, tenant, made())) got.push(Number(piece));
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
  const first = turns.take("a", async () => {
    await slow;
    for (const began = performance.now(); performance.now() - began < 1; );
    throw new Error("broken");
  });
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
      yield "1".repeat(64 * 1024);
      yield "2";
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

test("a piece that waits for the database keeps nobody waiting but its own tenant", async () => {
  const turns = createTurns(async () => {});
  const { promise: slow, resolve: end } = Promise.withResolvers<void>();
  const first = turns.take("a", () => slow);
  let isBegun = false;
  const second = turns.take("a", async () => {
    isBegun = true;
  });
  for (let i = 0; i < 3; i += 1) await turns.take("b", async () => {});
  assert.equal(isBegun, false, "a tenant whose queries are slow has one of the connections, not all");
  end();
  await Promise.all([first, second]);
  assert.ok(isBegun);
});

test("an answer of single lines is gathered: 2,000 lines are a few pieces, and no rest is shorter than a timer's", async () => {
  for (const isAsync of [false, true]) {
    const rests: number[] = [];
    const turns = createTurns(async (ms) => {
      rests.push(ms);
    });
    const lines = Array.from({ length: 2_000 }, (_, i) => `${i};a line of a report\r\n`);
    const pieces: (string | Buffer)[] = [];
    for await (const piece of inTurns(turns, "a", isAsync ? Readable.from(lines) : lines)) pieces.push(piece);
    assert.equal(pieces.join(""), lines.join(""));
    // Each line had a piece and a rest of its own: 2.5 s.
    assert.ok(pieces.length < 100, `${pieces.length} pieces`);
    assert.ok(rests.length <= pieces.length + 1 && rests.every((ms) => ms >= 1), `rests of ${rests} ms`);
  }
});

test("pieces of text and of bytes become one piece, as they were", async () => {
  const made = ["é", Buffer.from([0xe9, 0x0a]), "x"];
  const pieces: (string | Buffer)[] = [];
  for await (const piece of inTurns(createTurns(), "a", made)) pieces.push(piece);
  assert.deepEqual(
    Buffer.concat(pieces.map((one) => Buffer.from(one as string))),
    Buffer.from([0xc3, 0xa9, 0xe9, 0x0a, 0x78]),
  );
});
