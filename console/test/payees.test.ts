/** Whom a new withdrawal offers: those who were paid lately, and nobody whose key has paid another name. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { merchant } from "@pixgate/sdk";
import { payeesOf } from "../src/withdrawals/received.ts";

type Paid = Parameters<typeof payeesOf>[0][number];
const check = (expected: boolean): merchant.ReceiverCheck => ({ expected, checkedAt: "", checkedBy: "" });
const to = (snapshotPixKey: string, more: Partial<Paid> = {}): Paid => ({
  ...{ status: "completed", snapshotPixKey, snapshotHolderName: "Ana" },
  ...more,
});
const offered = (...all: Paid[]) => payeesOf(all).map(({ snapshotPixKey }) => snapshotPixKey);

test("each key that was paid is offered once, and none that was not", () => {
  assert.deepEqual(offered(to("a"), to("b", { status: "failed" }), to("a"), to("c")), ["a", "c"]);
});

test("a key that has paid another name is offered only where the account has said that it was meant", () => {
  const other = { paidToOther: true };
  assert.deepEqual(offered(to("a", other), to("b", { ...other, receiverCheck: check(false) })), []);
  assert.deepEqual(offered(to("a", { ...other, receiverCheck: check(true) })), ["a"]);
});

test("the newest payment to a key decides", () => {
  const wrong = { paidToOther: true, receiverCheck: check(false) };
  assert.deepEqual(offered(to("a", wrong), to("a")), []);
  assert.deepEqual(offered(to("a"), to("a", wrong)), ["a"]);
});
