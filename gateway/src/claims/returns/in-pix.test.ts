import assert from "node:assert/strict";
import { test } from "node:test";
import type { PspPix, PspReturn } from "../../psp/psp.ts";
import { inPix } from "./in-pix.ts";

const OURS = { pspId: "ours", amount: 1_000 };
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
  const found = (returns: PspReturn[], more: Partial<PspPix> = {}) => inPix(shown({ returns, ...more }), OURS).kind;
  assert.equal(found([back({ rtrId: "D1" })]), "found");
  assert.equal(found([]), "absent");
  assert.equal(found([back({ id: "other", rtrId: "D1" })]), "absent");
  for (const kind of ["absent", "unknown"] as const) {
    assert.equal(inPix(kind === "absent" ? { kind } : { kind, reason: "silence" }, OURS).kind, "unknown");
  }
});

test("one that may be ours under another name, or cannot be read, leaves it open", () => {
  const nameless = back({ id: "D1", rtrId: "D1" });
  assert.equal(inPix(shown({ returns: [nameless] }), OURS).kind, "unknown");
  assert.equal(inPix(shown({ unreadableReturns: 1 }), OURS).kind, "unknown");
  // A MED's is never ours, and ours is of its whole amount.
  assert.equal(inPix(shown({ returns: [{ ...nameless, med: true }] }), OURS).kind, "absent");
  assert.equal(inPix(shown({ returns: [{ ...nameless, amount: 999 }] }), OURS).kind, "absent");
});
