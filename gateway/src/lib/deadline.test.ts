import assert from "node:assert/strict";
import { type AddressInfo, connect, createServer } from "node:net";
import { test } from "node:test";
import { standStill } from "../../test/harness/stand-still.ts";
import { setDeadline } from "./deadline.ts";

/** When a deadline ends, counted from its beginning. */
const endOf = (ms: number) => {
  const began = performance.now();
  return new Promise<number>((resolve) => setDeadline(ms, () => resolve(performance.now() - began)));
};

test("ends after its time, of one piece and of several, and not before", async () => {
  for (const ms of [0, 20, 700]) assert.ok((await endOf(ms)) >= ms - 1, `${ms}`);
});

test("does not end once it is cleared, in its first piece as in a later one", async () => {
  let ended = 0;
  const clears = [10, 1_200].map((ms) => setDeadline(ms, () => (ended += 1)));
  clears[0]!();
  await endOf(700);
  clears[1]!();
  await endOf(700);
  assert.equal(ended, 0);
});

test("time in which the process stands still does not count", async () => {
  const [alone, end] = [3_000, endOf(1_000)];
  standStill(alone);
  assert.ok((await end) >= alone + 400, `after ${await end}`);
});

test("what came during a stall is read before the deadline ends, also where nothing was left of it", async (t) => {
  const server = createServer((socket) => void socket.end("there"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const read: string[] = [];
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("data", () => read.push("data"));
  const end = new Promise<void>((resolve) =>
    setDeadline(20, () => {
      read.push("deadline");
      resolve();
    }),
  );
  standStill(1_500);
  await end;
  assert.deepEqual(read, ["data", "deadline"]);
});

test("also ends in a process that stands still again and again", async () => {
  let stalls = 0;
  const stall = setInterval(() => {
    standStill(1_100);
    stalls += 1;
    if (stalls > 5) clearInterval(stall);
  }, 1);
  await endOf(700);
  clearInterval(stall);
  assert.ok(stalls <= 5, `${stalls}`);
});
