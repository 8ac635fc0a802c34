/** What an account can do, by the health of the institutions that it uses. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { canOf } from "../src/operator/accounts/can-of.ts";

type Args = Parameters<typeof canOf>;
const account = {
  ...{ id: "account", status: "active" },
  ...{ limits: { perWithdrawal: 100 }, payouts: { approvalAbove: null } },
} as unknown as Args[0];
const bank = (id: string, health: string, charges: string[], payouts: object | null) =>
  ({ id, health, capabilities: { charges, payouts } }) as unknown as Args[1][number];
const both = (health: string) => bank("both", health, ["immediate"], {});
const chargesOnly = (health: string) => bank("charges", health, ["immediate"], null);
const paysOnly = (health: string) => bank("pays", health, [], {});
const word = (...used: Args[1][number][]) => canOf(account, used, []).word;

test("an account can do what an institution that answers does", () => {
  assert.equal(word(both("up"), chargesOnly("up")), "all");
  assert.equal(word(both("up"), paysOnly("down"), chargesOnly("down")), "all");
  assert.equal(word(both("down"), chargesOnly("up")), "payoutsDown");
  assert.equal(word(both("down"), paysOnly("up")), "chargesDown");
  assert.equal(word(both("down"), paysOnly("down")), "down");
  assert.equal(word(chargesOnly("up")), "chargesOnly");
  assert.equal(word(paysOnly("up")), "payoutsOnly");
});

test("a brake on the only institution that pays out and answers stops withdrawals", () => {
  const brakes = [{ scope: "institution", targetId: "pays", paused: true }] as unknown as Args[2];
  assert.equal(canOf(account, [both("down"), paysOnly("up"), chargesOnly("up")], brakes).word, "braked");
  assert.equal(canOf(account, [both("up"), paysOnly("up")], brakes).word, "all");
});
