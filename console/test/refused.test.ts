/** What the gateway refused until the sign-in is confirmed, and what is done then. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { MutationObserver, QueryClient } from "@tanstack/react-query";
import { createChanges, joinRefusals, type Refused } from "../src/session/refused.ts";
import { eventuallyEqual } from "./eventually.ts";

const read = (): Refused & { times: number } => ({
  times: 0,
  act: null,
  repeat() {
    this.times += 1;
  },
});

test("is what was asked for, though the screen would by now ask for something else", async () => {
  let refused = read() as Refused;
  const queries = new QueryClient({
    mutationCache: createChanges(
      () => "Disable",
      (_, next) => {
        refused = next;
      },
    ),
  });
  const sent: string[] = [];
  const answer = Promise.withResolvers<void>();
  const screen = new MutationObserver(queries, {
    async mutationFn() {
      sent.push("disable");
      if (sent.length === 1) await answer.promise;
    },
  });
  const first = assert.rejects(screen.mutate(), /not fresh/);
  await eventuallyEqual(async () => sent, ["disable"]);
  // A colleague was faster: the same button now enables it.
  const now = {
    mutationFn: async () => {
      sent.push("enable");
    },
  };
  screen.setOptions(now);
  answer.reject(new Error("not fresh"));
  await first;
  screen.setOptions(now);
  assert.deepEqual(refused.act, { button: "Disable" });
  refused.repeat();
  await eventuallyEqual(async () => sent, ["disable", "disable"]);
});

test("is the change where a read is refused beside it, and of two reads both", () => {
  const change: Refused = { act: { button: "Rotate" }, repeat() {} };
  const [one, other] = [read(), read()];
  assert.equal(joinRefusals(change, one), change);
  assert.equal(joinRefusals(one, change), change);
  joinRefusals(one, other).repeat();
  assert.deepEqual([one.times, other.times], [1, 1]);
});
