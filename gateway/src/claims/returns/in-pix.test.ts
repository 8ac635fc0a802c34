import assert from "node:assert/strict";
import { test } from "node:test";
import type { PspPix, PspReturn } from "../../psp/psp.ts";
import { inPix } from "./in-pix.ts";

const OURS = { pspId: "ours", amount: 1_000 };
const NONE = new Set<string>();
const back = (of: Partial<PspReturn>): PspReturn => ({
  id: "ours",
  amount: 1_000,
  status: "settled",
  med: false,
  ...of,
});
const shown = (of: Partial<PspPix>) => ({
  kind: "found" as const,
  value: { e2eId: "E1", amount: 1_000, paidAt: new Date(0), returns: [], ...of },
});

test("a return is absent only in a Pix that is shown and whose returns are others'", () => {
  const found = (returns: PspReturn[], more: Partial<PspPix> = {}) =>
    inPix(shown({ returns, ...more }), OURS, NONE).kind;
  assert.equal(found([back({ rtrId: "D1" })]), "found");
  assert.equal(found([]), "absent");
  assert.equal(found([back({ id: "other", rtrId: "D1" })]), "absent");
  for (const kind of ["absent", "unknown"] as const) {
    assert.equal(inPix(kind === "absent" ? { kind } : { kind, reason: "silence" }, OURS, NONE).kind, "unknown");
  }
});

test("one that may be ours under another name, or cannot be read, leaves it open", () => {
  const nameless = back({ id: "D1", rtrId: "D1" });
  assert.equal(inPix(shown({ returns: [nameless] }), OURS, NONE).kind, "unknown");
  assert.equal(inPix(shown({ unreadableReturns: 1 }), OURS, NONE).kind, "unknown");
  // A MED's is never ours, and ours is of its whole amount.
  assert.equal(inPix(shown({ returns: [{ ...nameless, med: true }] }), OURS, NONE).kind, "absent");
  assert.equal(inPix(shown({ returns: [{ ...nameless, amount: 999 }] }), OURS, NONE).kind, "absent");
});

test("one that is booked as another return is not this one, whatever of it the Pix shows", () => {
  const [first, second] = ["D1", "D2"].map((id) => back({ id, rtrId: id })) as [PspReturn, PspReturn];
  const found = (returns: PspReturn[], ...others: string[]) => inPix(shown({ returns }), OURS, new Set(others)).kind;
  assert.equal(found([first], "D1"), "absent");
  assert.equal(found([first, second], "D1"), "unknown", "the second may be this one");
  assert.equal(found([first, second], "D1", "D2"), "absent");
  assert.equal(inPix(shown({ returns: [first], unreadableReturns: 1 }), OURS, new Set(["D1"])).kind, "unknown");
});
