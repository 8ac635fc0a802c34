import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeSentAgain } from "./judge-claims.ts";

test("a return after one that a restore lost is found, where it was settled, and of the same payment", () => {
  const lost = { e2eId: "E1", id: "lost", amount: 30, at: "2026-08-02T12:00:00Z", settled: true };
  const again = { ...lost, id: "again", at: "2026-08-02T13:00:00Z" };
  const found = (byUs: typeof lost) => judgeSentAgain([lost], [byUs]).length;
  assert.equal(found(again), 1);
  assert.equal(found({ ...again, settled: false }), 0);
  assert.equal(found({ ...again, at: "2026-08-02T11:00:00Z" }), 0);
  assert.equal(found({ ...again, e2eId: "E2" }), 0);
});
