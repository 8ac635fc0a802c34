import assert from "node:assert/strict";
import { test } from "node:test";
import { presenceOf } from "../../src/reconciliation/query.ts";

const found = (amount: number | null, ...returns: { ids: string[]; amount: number; settled: boolean }[]) =>
  ({ kind: "found", value: { amount, returns } }) as const;
const back = { ids: ["id", "rtr"], amount: 5, settled: true };

test("an entry is there only where the institution shows it with its amount, settled", () => {
  const received = { kind: "received", key: "e2e", amount: 10 } as const;
  assert.equal(presenceOf(received, found(10)), "there");
  assert.equal(presenceOf(received, found(11)), "unclear");
  assert.equal(presenceOf({ ...received, kind: "sent" }, found(null)), "unclear");
  assert.equal(presenceOf(received, { kind: "absent" }), "absent");
  assert.equal(presenceOf(received, { kind: "unknown", reason: "503" }), "unclear");
});

test("a return is there by either of its ids, absent where its parent does not show it, and unclear while it is not settled", () => {
  const returned = { kind: "returned", key: "rtr", amount: 5 } as const;
  assert.equal(presenceOf(returned, found(10, back)), "there");
  assert.equal(presenceOf({ ...returned, key: "id" }, found(10, back)), "there");
  assert.equal(presenceOf({ ...returned, kind: "sent_back" }, found(10, back)), "there");
  assert.equal(presenceOf(returned, found(10)), "absent");
  assert.equal(presenceOf(returned, found(10, { ...back, settled: false })), "unclear");
  assert.equal(presenceOf(returned, found(10, { ...back, amount: 4 })), "unclear");
});
