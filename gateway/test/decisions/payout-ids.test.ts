/** Banks that give payouts ids of their own, or pay in two steps: which of several payouts an answer is about. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { PspPayout } from "../../src/psp/psp.ts";
import { requestWithdrawal } from "../../src/withdrawals/request.ts";
import { type ResolveWithdrawal, resolveWithdrawal } from "../../src/withdrawals/resolve.ts";
import { type WithdrawalRow, withdrawalsTable } from "../../src/withdrawals/withdrawal.ts";
import { returnsOfWithdrawal } from "../../src/withdrawals/withdrawal-return.ts";
import { at, type Desk } from "./desk.ts";
import { ask, back, open, row, shown, WITHDRAWAL } from "./payouts.ts";

const EARLIER = at("11:00:00").toISOString();
/** A payout under way, with what the bank has prepared for it. */
function sent(pspReferences: WithdrawalRow["pspReferences"], changes: Partial<WithdrawalRow> = {}): Desk {
  const desk = open();
  desk.run("asked", requestWithdrawal, ask());
  const under = { status: "processing" as const, mayHaveLeft: true, attempts: 2, pspReferences, ...changes };
  return desk.put(withdrawalsTable, WITHDRAWAL, { ...row(desk), ...under }).begin();
}
const AUTHORISED = { reference: "a", at: EARLIER, authorisedAt: EARLIER };
const TWIN = { reference: "b", at: EARLIER };

type Shown = Extract<ResolveWithdrawal["reported"], { kind: "shown" }>;
/** What the bank shows is booked as: news of the status, a contradiction, or nothing. */
function show(desk: Desk, payout: Partial<PspPayout>, more: Partial<Omit<Shown, "kind" | "payout">> = {}): string {
  const command = shown(desk, payout);
  const reported = { ...(command.reported as Shown), ...more };
  const result = desk.run("shown", resolveWithdrawal, { ...command, reported });
  return result.kind === "contradiction" ? result.about : `${result.kind} ${row(desk).status}`;
}
const isSilent = (desk: Desk) => !/->|insert|update/.test(desk.transcript);
const references = (desk: Desk) =>
  row(desk).pspReferences.map(({ reference, overAt }) => `${reference}${overAt === undefined ? "" : " over"}`);

/** What the case of a contradiction says of the bank's ids. */
const idsOfCase = (desk: Desk) => [
  Number(/"shownIds":(\d+)/.exec(desk.transcript)?.[1] ?? 0),
  JSON.parse(/"bankIds":(\{[^}]*\})/.exec(desk.transcript)?.[1] ?? "null"),
];

describe("of several payouts at the bank", () => {
  test("a case names each with what became of it, where there are several", () => {
    const said = (known: WithdrawalRow["pspReferences"], payout: Partial<PspPayout>) => {
      const desk = sent(known);
      show(desk, { amount: 1, ...payout });
      return idsOfCase(desk);
    };
    const states = { a: EARLIER, b: "not_authorised" };
    assert.deepEqual(said([AUTHORISED, TWIN], { reference: "a" }), [2, states]);
    assert.deepEqual(said([AUTHORISED, TWIN], {}), [2, states]);
    assert.deepEqual(said([AUTHORISED, TWIN], { reference: "c" }), [3, { ...states, c: "not_stored" }]);
    assert.deepEqual(said([AUTHORISED], { reference: "c" }), [2, { a: EARLIER, c: "not_stored" }]);
    for (const payout of [{ reference: "a" }, {}]) assert.deepEqual(said([AUTHORISED], payout), [0, null]);
    for (const payout of [{ reference: "c" }, {}]) assert.deepEqual(said([], payout), [0, null]);
  });

  test("one that an earlier claim prepared says nothing, unless its id is stored or it was paid", () => {
    const desk = sent([AUTHORISED]);
    for (const status of ["processing", "failed"] as const) {
      assert.equal(show(desk, { status, reference: "z" }, { preparedBy: 1 }), "known processing");
      assert.ok(isSilent(desk), desk.transcript);
    }
    // Another amount is none of ours to doubt.
    assert.equal(
      show(desk, { status: "processing", reference: "z", amount: 1 }, { preparedBy: 1 }),
      "known processing",
    );
    assert.ok(isSilent(desk));
    const paid = "it has given it a second id, and may have paid it twice";
    assert.equal(show(desk, { status: "settled", reference: "z" }, { preparedBy: 1 }), paid);
    assert.equal(show(sent([]), { status: "failed", reference: "z" }, { preparedBy: 2 }), "known failed");
    assert.equal(show(sent([AUTHORISED]), { status: "failed", reference: "a" }, { preparedBy: 1 }), "known failed");
  });

  test("the failure of one beside the authorised one fails nothing, and is remembered: the other may still pay alone", () => {
    const desk = sent([TWIN, AUTHORISED]);
    assert.equal(show(desk, { status: "failed", reference: "b" }), "known processing");
    assert.deepEqual(references(desk), ["a", "b over"]);
    desk.begin();
    assert.equal(show(desk, { status: "failed", reference: "b" }), "known processing");
    assert.ok(isSilent(desk), desk.transcript);
    assert.equal(show(desk, { status: "settled", reference: "a" }), "known completed");
    assert.deepEqual(references(desk), ["a", "b over"]);
    const unknown = sent([AUTHORISED]);
    assert.equal(show(unknown, { status: "failed", reference: "b" }), "known processing");
    assert.deepEqual(references(unknown), ["a", "b over"]);
  });

  test("the authorised one fails it; with another that may pay, with a return, or unauthorised it contradicts the books", () => {
    const twice = "it has given it a second id, and may have paid it twice";
    const over = { ...TWIN, overAt: EARLIER };
    assert.equal(show(sent([over, AUTHORISED]), { status: "failed", reference: "a" }), "known failed");
    assert.equal(show(sent([TWIN, AUTHORISED]), { status: "failed", reference: "a" }), twice);
    assert.equal(show(sent([TWIN, AUTHORISED]), { status: "settled", reference: "a" }), twice);
    assert.equal(show(sent([TWIN, { reference: "a", at: EARLIER }]), { status: "failed", reference: "b" }), twice);
    assert.equal(show(sent([over, { reference: "a", at: EARLIER }]), { status: "settled", reference: "a" }), twice);
    const returned = { status: "failed" as const, reference: "b", returns: [back(1, 1, "12:10:00")] };
    assert.equal(show(sent([TWIN, AUTHORISED]), returned), twice);
    assert.equal(show(sent([TWIN, AUTHORISED]), { status: "failed", reference: "b", unreadableReturns: 1 }), twice);
  });

  test("one that was paid after it counted as over pays: it counts as over no more", () => {
    const desk = sent([{ ...TWIN, overAt: EARLIER }, AUTHORISED]);
    assert.equal(
      show(desk, { status: "settled", reference: "b" }),
      "it has given it a second id, and may have paid it twice",
    );
    assert.deepEqual(references(desk), ["a", "b"]);
  });

  test("the payment of another withdrawal contradicts this one, and its id is not kept", () => {
    const desk = sent([]);
    const another = "it shows the payment of another withdrawal";
    assert.equal(show(desk, { status: "settled", reference: "z" }, { isClaimedByAnother: true }), another);
    assert.deepEqual([references(desk), row(desk).status], [[], "processing"]);
    assert.match(desk.transcript, /"shownAnothers":true/);
    assert.doesNotMatch(desk.transcript, /->/);
  });
});

test("an ended payout that its bank contradicts is queried again soon, from the first contradiction on", () => {
  const desk = sent([], { status: "failed", caseOpenedAt: null, nextAt: null, attempts: 7 });
  assert.equal(show(desk, { status: "processing" }), "it shows it as under way");
  const { caseOpenedAt, nextAt, attempts } = row(desk);
  assert.deepEqual([caseOpenedAt, attempts], [desk.now, 0]);
  assert.ok(nextAt! > desk.now);
  desk.put(withdrawalsTable, WITHDRAWAL, { ...row(desk), attempts: 3 });
  desk.now = at("13:00:00");
  show(desk, { status: "processing" });
  assert.deepEqual([row(desk).caseOpenedAt, row(desk).nextAt, row(desk).attempts], [caseOpenedAt, nextAt, 3]);
  const open = sent([], { caseOpenedAt: null, nextAt: null, attempts: 7 });
  show(open, { amount: 1 });
  assert.deepEqual([row(open).caseOpenedAt, row(open).nextAt, row(open).attempts], [open.now, null, 7]);
});

test("a return of a completed payout that cannot be told from a booked one, or cannot be read, is a case; nothing is credited", () => {
  const completed = (...returns: PspPayout["returns"]) => {
    const desk = sent([]);
    show(desk, { returns });
    show(desk, { returns });
    return desk.begin();
  };
  const unreadable = completed(back(1, 100, "12:10:00"));
  const cannot = "it shows a return that cannot be read";
  assert.equal(show(unreadable, { returns: [back(1, 100, "12:10:00")], unreadableReturns: 1 }), cannot);
  assert.equal(row(unreadable).returnedAmount, 100);
  const bare = { ...back(1, 100, "12:10:00"), rtrId: undefined, id: "x" };
  const twice = completed(bare);
  const another = { ...bare, amount: 7 };
  assert.equal(show(twice, { returns: [bare, another] }), "it shows a return that cannot be told from another");
  assert.match(twice.transcript, /"shownUnclear":1/);
  assert.deepEqual([row(twice).returnedAmount, twice.find(returnsOfWithdrawal, WITHDRAWAL).length], [100, 1]);
  const together = completed();
  assert.equal(show(together, { returns: [bare, another] }), "known completed");
  assert.equal(row(together).returnedAmount, 100, "of two under one name the first is credited");
});
