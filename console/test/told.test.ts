import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { aboutOf, isAboutMoney, toldOf } from "../src/operator/audited.ts";

const [ANA, RUI] = ["Ana <ana@example.com>", "Rui <rui@example.com>"];
const entry = (actor: string, action: string, after: Record<string, unknown> | null = null) => ({
  ...{ id: randomUUID(), actor, action, after, before: null, accountId: null, objectId: null },
  createdAt: "2026-11-29T14:52:33.000Z",
});
const said = (entries: readonly ReturnType<typeof entry>[]) =>
  toldOf(entries.toReversed()).map(({ entry: { action }, before }) => [action, ...before.map((one) => one.action)]);

test("a decision is one: its end, after its approval and what it changed", () => {
  const told = said([
    entry(ANA, "case.propose", { proposalId: "p" }),
    entry(RUI, "case.approve", { proposalId: "p" }),
    entry(RUI, "treasury.book"),
    entry(RUI, "case.executed", { proposalId: "p" }),
  ]);
  assert.deepEqual(told, [["case.executed", "case.approve", "treasury.book"], ["case.propose"]]);
});

test("where one person is enough, the proposal begins it", () => {
  const told = said([
    entry(ANA, "case.propose", { proposalId: "p" }),
    entry(ANA, "withdrawal.force"),
    entry(ANA, "case.executed", { proposalId: "p" }),
  ]);
  assert.deepEqual(told, [["case.executed", "case.propose", "withdrawal.force"]]);
});

test("says what somebody asked for in an account's name, whichever of the two amounts they named", () => {
  const brl = (after: Record<string, unknown>) => aboutOf(entry(ANA, "call.withdrawals.create", after)).brl;
  assert.deepEqual([brl({ amount: 7.25 }), brl({ netAmount: 7 }), brl({})], [7.25, 7, null]);
});

test("a refund without an amount is of all that was left, where amounts are written at all", () => {
  const isRest = (after: Record<string, unknown> | null) => aboutOf(entry(ANA, "call.refunds.create", after)).isRest;
  assert.deepEqual([isRest({}), isRest({ amount: 5 }), isRest(null)], [true, false, false]);
});

test("of a withdrawal that was paid to another name it says whether that was meant", () => {
  const meant = (action: string, after: Record<string, unknown>) => aboutOf(entry(ANA, action, after)).meant;
  assert.deepEqual(
    [
      meant("withdrawal.receiver", { expected: true }),
      meant("withdrawal.receiver", { expected: false }),
      meant("withdrawal.receiver", {}),
      meant("withdrawal.cancel", { expected: true }),
    ],
    [true, false, null, null],
  );
});

test("what others did meanwhile, or the same person about something else, stays an entry of its own", () => {
  const told = said([
    entry(RUI, "case.approve", { proposalId: "p" }),
    entry(ANA, "account.update"),
    entry(RUI, "person.sign-in"),
    entry(RUI, "case.note", {}),
    entry(RUI, "treasury.book"),
    entry(RUI, "case.executed", { proposalId: "p" }),
  ]);
  assert.deepEqual(told, [
    ["case.executed", "case.approve", "treasury.book"],
    ["case.note"],
    ["person.sign-in"],
    ["account.update"],
  ]);
});

test("without its approval, which another page has, the end stands alone, and so does what came before it", () => {
  const told = said([
    entry(RUI, "case.approve", { proposalId: "other" }),
    entry(RUI, "treasury.book"),
    entry(RUI, "case.executed", { proposalId: "p" }),
  ]);
  assert.deepEqual(told, [["case.executed"], ["treasury.book"], ["case.approve"]]);
});

test("what moved money, held it back, or decided whose it is counts as a decision about money, also by people of the accounts", () => {
  for (const action of ["call.withdrawals.create", "call.refunds.create", "call.transfers.create", "withdrawal.reject"])
    assert.ok(isAboutMoney({ action }), action);
  for (const action of ["brake.set", "withdrawals.freeze", "treasury.book", "unmatched.return"])
    assert.ok(isAboutMoney({ action }), action);
  for (const action of ["call.charges.create", "person.sign-in", "account.see"])
    assert.ok(!isAboutMoney({ action }), action);
});
