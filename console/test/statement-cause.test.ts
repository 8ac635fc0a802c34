/** What the statement calls the cause of a line, and where it leads. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { merchant } from "@pixgate/sdk";
import { shortId } from "../src/parts/short-id.ts";
import { addressOfCause } from "../src/statement/cause-address.ts";

const [MOVEMENT, CHARGE] = ["01a22057-3c1e-7a52-9c11-0d6f5b7e2a41", "01a22057-3c1f-7b10-8d22-5a1c9e0f7734"];
const lineOf = (more: Partial<merchant.StatementItem>) =>
  ({ kind: "adjustment", balance: "available", leg: 0, ...more }) as merchant.StatementItem;

test("an adjustment leads to its transaction, and only what is about a payment leads to a charge", () => {
  assert.equal(addressOfCause(lineOf({ transactionId: MOVEMENT })), `/transactions?open=${MOVEMENT}`);
  const ofCharge = { transactionId: MOVEMENT, originalTransactionId: CHARGE };
  assert.equal(addressOfCause(lineOf(ofCharge)), `/charges/${CHARGE}`);
  assert.equal(addressOfCause(lineOf({ withdrawalId: MOVEMENT, ...ofCharge })), `/withdrawals?open=${MOVEMENT}`);
  assert.equal(addressOfCause(lineOf({ transferId: MOVEMENT, transactionId: MOVEMENT })), null);
  assert.equal(addressOfCause(lineOf({})), null);
});

test("what has no name is called by the end of its id, which ids of the same minute do not share", () => {
  assert.equal(shortId(MOVEMENT), "…5b7e2a41");
  assert.notEqual(shortId(MOVEMENT), shortId(CHARGE));
});
