/** What an account says of a receiver of another name: it is said once, of what is paid and in question. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "../../src/http/errors.ts";
import { ERASED } from "../../src/lib/erased.ts";
import { decideReceiver } from "../../src/withdrawals/receiver-check.ts";
import type { ReceiverCheck, WithdrawalRow } from "../../src/withdrawals/withdrawal.ts";
import { at, object } from "./desk.ts";

const [BY, ANOTHER] = [object(0x20), object(0x21)];
const NOW = at("12:00:00");
const paid = {
  ...{ status: "completed", holderName: "Ana Lima", counterpartName: "Bruno Reis", paidToOther: true, adopted: false },
  ...{ receiverCheck: null, createdBy: null, createdByOwners: null },
} as unknown as WithdrawalRow;
const said: ReceiverCheck = { expected: false, reason: "The key was old.", by: BY, at: NOW.toISOString() };
const decide = (changes: Partial<WithdrawalRow>, expected = true, by = BY, isProgram = false, needsAnother = false) =>
  decideReceiver(
    { ...paid, ...changes },
    { expected, reason: "Because.", by, owners: [by], isProgram },
    needsAnother,
    NOW,
  );
const refusal = (changes: Partial<WithdrawalRow>, expected = true) => {
  const decided = decide(changes, expected);
  return decided instanceof ApiError ? [decided.code, decided.status] : decided;
};

test("is stored with who said it, when and why", () => {
  const check = { expected: true, reason: "Because.", by: BY, at: NOW.toISOString() };
  assert.deepEqual(decide({}), { check, isNew: true });
  // One that 0.1.0 completed has no flag: its names are compared.
  assert.deepEqual(decide({ paidToOther: null }), { check, isNew: true });
});

test("stays as it was said first, whoever says it again", () => {
  assert.deepEqual(decide({ receiverCheck: said }, false, ANOTHER), { check: said, isNew: false });
  // Also once the money came back, or the name was erased.
  assert.deepEqual(decide({ receiverCheck: said, status: "reversed" }, false), { check: said, isNew: false });
  assert.deepEqual(decide({ receiverCheck: said, counterpartName: null }, false), { check: said, isNew: false });
});

test("can be corrected to that it was not meant, and then stays", () => {
  const meant = { ...said, expected: true };
  const check = {
    expected: false,
    reason: "Because.",
    by: ANOTHER,
    at: NOW.toISOString(),
    earlier: { by: BY, at: said.at },
  };
  assert.deepEqual(decide({ receiverCheck: meant }, false, ANOTHER), { check, isNew: true });
  assert.deepEqual(refusal({ receiverCheck: check }, true), ["RECEIVER_CHECKED", 409]);
});

test("is confirmed by somebody else than whoever asked, who had said it alone", () => {
  const own = {
    createdBy: BY,
    createdByOwners: [BY],
    receiverCheck: { ...said, expected: true, byRequester: true },
  } as const;
  const check = {
    expected: true,
    reason: "Because.",
    by: ANOTHER,
    at: NOW.toISOString(),
    earlier: { by: BY, at: said.at },
  };
  assert.deepEqual(decide(own, true, ANOTHER), { check, isNew: true });
  // Whoever asked says nothing new, and neither does a third after the second.
  assert.deepEqual(decide(own, true, BY), { check: own.receiverCheck, isNew: false });
  assert.deepEqual(decide({ ...own, receiverCheck: check }, true, object(0x22)), { check, isNew: false });
  // Once the money came back, or the name was erased, there is nothing to confirm.
  for (const over of [{ status: "reversed" }, { counterpartName: null }] as const)
    assert.deepEqual(decide({ ...own, ...over }, true, ANOTHER), { check: own.receiverCheck, isNew: false });
  const wrong = { ...said, byRequester: true } as const;
  assert.deepEqual(refusal({ ...own, receiverCheck: wrong }), ["RECEIVER_CHECKED", 409]);
});

test("takes no words about a receiver who was erased", () => {
  const erased = { counterpartName: null, holderDocument: ERASED, receiverCheck: { ...said, expected: true } };
  const decided = decide(erased, false, ANOTHER);
  assert.ok(!(decided instanceof ApiError) && decided.isNew);
  assert.deepEqual([decided.check.expected, decided.check.reason], [false, null]);
});

test("is refused where it was said not to be meant", () => {
  assert.deepEqual(refusal({ receiverCheck: said }, true), ["RECEIVER_CHECKED", 409]);
});

test("is refused where nothing is in question", () => {
  for (const changes of [
    ...(["pending", "processing", "failed", "reversed"] as const).map((status) => ({ status })),
    ...[
      { paidToOther: false },
      { paidToOther: null, counterpartName: "ANA LIMA" },
      { counterpartName: null },
      { adopted: true },
    ],
  ]) {
    assert.deepEqual(refusal(changes), ["RECEIVER_NOT_IN_QUESTION", 400], JSON.stringify(changes));
  }
});

test("is not said to be right by the credential that asked for it, nor by its owner where two must withdraw", () => {
  const said = (expected: boolean, by: string, isProgram: boolean, needsAnother = false) => {
    const decided = decide({ createdBy: BY, createdByOwners: [BY] }, expected, by, isProgram, needsAnother);
    return decided instanceof ApiError ? decided.code : [decided.check.expected, decided.check.byRequester];
  };
  assert.equal(said(true, BY, true), "RECEIVER_BY_REQUESTER");
  assert.equal(said(true, BY, false, true), "RECEIVER_BY_REQUESTER");
  // Who withdraws alone may say it, and the operator sees who has.
  assert.deepEqual(said(true, BY, false), [true, true]);
  assert.deepEqual(said(false, BY, true, true), [false, true]);
  assert.deepEqual(said(true, ANOTHER, true, true), [true, undefined]);
});
