import assert from "node:assert/strict";
import { test } from "node:test";
import { INVARIANTS } from "./invariants/invariants.ts";
import { BOOKS } from "./source.ts";
import { placeOf, violationOf } from "./violation.ts";

const placeIn = (code: string, found: readonly (string | number)[]): string =>
  placeOf(violationOf(code, { account_id: "a", found }));

test("two events that are missing of one block or withdrawal are two findings", () => {
  const block = (event: string) => placeIn("E3", ["block", "b", "event", event]);
  assert.notEqual(block("balance_block_created"), block("balance_block_approved"));
  const payout = (event: string) => placeIn("W7", ["withdrawal", "w", "status", "failed", "event", event]);
  assert.notEqual(payout("withdrawal_completed"), payout("withdrawal_failed"));
});

test("a finding that was lifted is the same one when its object moves, but where its rule is of one status", () => {
  assert.equal(
    placeIn("F2", ["refund", "r", "statusNow", "pending", "statusOfReturn", "failed"]),
    placeIn("F2", ["refund", "r", "statusNow", "confirmed", "statusOfReturn", "confirmed"]),
  );
  const ofOneStatus = /json_build_array\((?:[^()]|\([^()]*\))*'status'/;
  const rules = INVARIANTS.filter(({ query }) => ofOneStatus.test(query(BOOKS).text)).map(({ name }) => name);
  assert.deepEqual(rules.sort(), ["N5", "P1", "R3", "R4", "W3", "W5", "W7", "W8"]);
});
