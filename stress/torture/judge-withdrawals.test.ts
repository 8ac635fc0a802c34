import assert from "node:assert/strict";
import { test } from "node:test";
import { mayHaveFailed } from "./judge-withdrawals.ts";

const row = { withdrawal_id: "w", psp_id: "p" };
const nothing = { shownFailed: new Set<string>(), forcedAlone: new Map<string, string>() };
const shown = { ...nothing, shownFailed: new Set(["p"]) };
const alone = { ...nothing, forcedAlone: new Map([["w", "proposal"]]) };

test("a payout that was paid may be reported as failed where the bank showed it so, or one person decided so, and it was reclaimed", () => {
  assert.ok(mayHaveFailed(shown, row, new Map([["w", [null]]])));
  assert.ok(mayHaveFailed(alone, row, new Map([["w", ["proposal"]]])));
});

test("it may not where nothing was reclaimed, nobody had a reason, or the decision is another one", () => {
  for (const log of [nothing, shown, alone]) assert.equal(mayHaveFailed(log, row, new Map()), false);
  assert.equal(mayHaveFailed(nothing, row, new Map([["w", [null]]])), false);
  assert.equal(mayHaveFailed(nothing, row, new Map([["w", ["proposal"]]])), false);
  assert.equal(mayHaveFailed(alone, row, new Map([["w", [null]]])), false);
  assert.equal(mayHaveFailed(alone, row, new Map([["w", ["another"]]])), false);
});
