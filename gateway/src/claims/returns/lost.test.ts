import assert from "node:assert/strict";
import { test } from "node:test";
import { txidFor } from "../../lib/ids.ts";
import type { PspReturn } from "../../psp/psp.ts";
import { type KnownReturn, showsLost } from "./lost.ts";

const id = (n: number) => txidFor(7, `00000000-0000-7000-8000-00000000000${n}`);
const RESTORED = new Date("2026-08-02T13:00:00Z");
const BEFORE = new Date("2026-08-02T12:00:00Z");
const AFTER = new Date("2026-08-02T14:00:00Z");
const back = (of: Partial<PspReturn>): PspReturn => ({
  ...{ id: "D1", rtrId: "D1", amount: 30, status: "settled", med: null, settledAt: BEFORE },
  ...of,
});
const ours = (of: Partial<KnownReturn> = {}): KnownReturn => ({
  id: id(1),
  rtrId: null,
  amount: 30,
  ours: true,
  ...of,
});
const lost = (returns: PspReturn[], known: KnownReturn[] = [], unreadableReturns?: number) =>
  showsLost({ returns, ...(unreadableReturns && { unreadableReturns }) }, known, {
    pspId: id(9),
    restoredAt: RESTORED,
  });

test("a return with an id of ours that the books do not have was lost, whatever its amount and its time", () => {
  assert.equal(lost([]), false);
  assert.equal(lost([back({ id: id(2) })]), true);
  assert.equal(lost([back({ id: id(2), amount: 1, status: "processing", settledAt: AFTER })]), true);
  assert.equal(lost([back({ id: id(2) })], [ours()]), true);
  // Known ones, the one that is to be sent, one that failed, a dispute's, and the institution's own.
  assert.equal(lost([back({ id: id(1) })], [ours()]), false);
  assert.equal(lost([back({ id: id(9) })]), false);
  assert.equal(lost([back({ id: id(2), status: "failed" })]), false);
  assert.equal(lost([back({ id: id(2), med: true })]), false);
  assert.equal(lost([back({ id: "bank-1" })]), false);
});

test("one that has only the network's id, or that cannot be read, may have been lost: amounts and times decide", () => {
  assert.equal(lost([back({})]), true);
  assert.equal(lost([back({ settledAt: AFTER })]), false);
  assert.equal(lost([back({ settledAt: AFTER, requestedAt: BEFORE })]), true);
  assert.equal(lost([], [], 1), true);
  // One of ours that the books know explains one, and not a second one or another amount.
  assert.equal(lost([back({})], [ours()]), false);
  assert.equal(lost([back({}), back({ id: "D2", rtrId: "D2" })], [ours()]), true);
  assert.equal(lost([back({ amount: 31 })], [ours()]), true);
  assert.equal(lost([back({})], [ours({ rtrId: "D2" })]), true);
  // A dispute's is explained by its name alone.
  assert.equal(lost([back({})], [ours({ id: "D1", rtrId: "D1", ours: false })]), false);
  assert.equal(lost([back({})], [ours({ id: "bank-1", ours: false })]), true);
});
