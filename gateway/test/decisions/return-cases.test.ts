/** Returns that have no end, or that cannot be made: what operators decide about them, and what comes late all the same. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CASE_KINDS, type CaseKind } from "../../src/cases/case.ts";
import { settleCharge } from "../../src/charges/settle.ts";
import { claimedPixTable } from "../../src/claims/pix.ts";
import { reportReturn } from "../../src/claims/returns/case.ts";
import { finishReturn } from "../../src/claims/returns/finish.ts";
import {
  confirmDecidedReturn,
  type ForceReturn,
  forceReturn,
  returnStanding,
  writeOffReturn,
} from "../../src/claims/returns/force.ts";
import { bookPspReturn } from "../../src/claims/returns/psp-made.ts";
import type { PixReturn } from "../../src/claims/returns/row.ts";
import { ApiError } from "../../src/http/errors.ts";
import type { Table } from "../../src/ledger/table.ts";
import { CASE_ACTIONS } from "../../src/program/case-actions.ts";
import type { PspReturn } from "../../src/psp/psp.ts";
import type { UnmatchedRow } from "../../src/unmatched/item.ts";
import { type RetryReturn, retryReturn } from "../../src/unmatched/resolve.ts";
import { TAKE_BACK, takeBackReturn } from "../../src/unmatched/take-back.ts";
import { ACCOUNT, at, BANK, CHARGE, Desk, object } from "./desk.ts";

const of = { accountId: ACCOUNT, e2eId: "E1", institutionId: BANK, environment: "sandbox" as const };
const AMOUNT = 1_001;

/** A payment of another amount than its charge's, on its way back. */
function blocked(): Desk {
  const desk = new Desk().charge();
  const pix = { e2eId: "E1", txid: "txid", amount: AMOUNT, paidAt: at("11:30:00"), returns: [] };
  desk.run("paid", settleCharge, { ...of, chargeId: CHARGE, institutionId: BANK, pix });
  return desk.begin();
}

const returnsOf = (desk: Desk): readonly PixReturn[] => desk.find(claimedPixTable, "E1").returns;
const last = (desk: Desk): PixReturn => returnsOf(desk).at(-1)!;
const finish = (desk: Desk, end: Parameters<typeof finishReturn.decide>[0]["end"], back = last(desk)) =>
  desk.run("ended", finishReturn, { ...of, pspId: back.pspId, amount: back.amount, end });
const SETTLED = { kind: "settled", rtrId: "D1", settledAt: at("12:05:00") } as const;
const failed = () => {
  const desk = blocked();
  finish(desk, { kind: "failed", reason: "the account is closed" });
  return desk;
};
const given = (rtrId: string, amount: number) => ({
  ...of,
  shown: { id: rtrId, rtrId, amount, status: "settled", med: false, settledAt: at("12:06:00") } as PspReturn,
});
const decision = (desk: Desk, n = 1, back = last(desk)) => ({
  ...{ accountId: ACCOUNT, e2eId: "E1", returnId: back.returnId, proposalId: object(n), actor: "ana" },
});
const writeOff = (desk: Desk, n = 1, back = last(desk)) =>
  said(desk.run("written off", writeOffReturn, decision(desk, n, back)));
const force = (desk: Desk, outcome: ForceReturn["outcome"], back = last(desk)) =>
  said(desk.run("forced", forceReturn, { ...decision(desk, 1, back), environment: "sandbox", outcome }));
const report = (desk: Desk) =>
  desk.run("reported", reportReturn, {
    ...{
      accountId: ACCOUNT,
      e2eId: "E1",
      returnId: last(desk).returnId,
      since: at("11:30:00"),
      latest: { state: "not_shown" as const },
    },
  });
const retry = (desk: Desk, reported: RetryReturn["reported"] = "failed") =>
  said(
    desk.run("tried again", retryReturn, {
      ...{ accountId: ACCOUNT, actor: "ana", reported },
      shown: { id: last(desk).returnId, e2eId: "E1" } as UnmatchedRow,
    }),
  );
const said = (result: unknown) => (result instanceof ApiError ? [result.code, result.details.status] : result);
const taken = (status: string) => ["UNMATCHED_RESOLVED", status];

/** What moves and what becomes of cases in a step, in its order. */
function after(desk: Desk, step: () => unknown): string[] {
  desk.begin();
  step();
  return desk.transcript.split("\n").flatMap((line) => {
    const moved = /^ {2}(\S+) -> (\S+): (\S+) (\S+) of/.exec(line);
    if (moved) return [`${moved[4]} ${moved[1]}>${moved[2]} ${moved[3]}`];
    const opened = /update cases (\S+) .*"to":"open".*"amount":(\d+)/.exec(line);
    if (opened) return [`${opened[1]} open ${opened[2]}`];
    const about = /update cases (\S+) .*"because":"(\w+)"/.exec(line);
    return about ? [`${about[1]} ${about[2]}`] : [];
  });
}

test("every kind of case can be ended by an operator's decision, but for those that say what to do instead", () => {
  const without = (Object.keys(CASE_KINDS) as CaseKind[]).filter(
    (kind) => !CASE_ACTIONS.some(({ kinds }) => kinds.includes(kind)),
  );
  assert.deepEqual(without, ["block_overdue", "books_broken", "token_expiring", "certificate_expiring"]);
});

describe("a failed return of a deposit", () => {
  test("is a case of what is left of it, whoever ended it, until nothing is left", () => {
    const desk = blocked();
    assert.deepEqual(
      after(desk, () => desk.run("a part by itself", bookPspReturn, given("D8", 300))),
      ["psp_return returns:>psp:BANK 3", "return_failed open 701"],
    );
    assert.deepEqual(
      after(desk, () => desk.run("the rest", bookPspReturn, given("D9", 701))),
      ["psp_return returns:>psp:BANK 7.01", "return_failed resolved"],
    );
    assert.deepEqual(writeOff(desk), taken("returned"));
    assert.deepEqual(force(desk, { to: "completed" }), taken("returned"));
  });

  test("is decided about as it stands: its status, what is left, and where its money is", () => {
    const desk = blocked();
    const facts = (returnId = last(desk).returnId) =>
      desk.facts(returnStanding, { accountId: ACCOUNT, e2eId: "E1", returnId });
    const { pspId } = last(desk);
    const waits = { status: "pending", amount: AMOUNT, pspId, writtenOffAmount: null, left: AMOUNT, money: "pending" };
    assert.deepEqual([facts(), facts(object(9))], [waits, {}]);
    finish(desk, { kind: "failed", reason: "the account is closed" });
    assert.deepEqual(facts(), { ...waits, status: "failed", money: "return_failed" });
    writeOff(desk);
    assert.deepEqual(facts(), { ...waits, status: "failed", writtenOffAmount: AMOUNT, money: "booked" });
  });

  test("is not booked as made by a decision where more than the Pix would have gone back", () => {
    const desk = blocked();
    report(desk);
    const pix = desk.find(claimedPixTable, "E1");
    const more = { ...pix, amount: AMOUNT - 1 };
    desk.put(claimedPixTable, "E1", more);
    assert.deepEqual(
      after(desk, () => assert.deepEqual(force(desk, { to: "completed" }), taken("returning"))),
      [],
    );
    assert.equal(last(desk).status, "pending");
  });

  test("is a case of the last centavo", () => {
    const desk = blocked();
    const steps = after(desk, () => desk.run("all but one", bookPspReturn, given("D8", AMOUNT - 1)));
    assert.deepEqual(steps[1], "return_failed open 1");
    assert.deepEqual(force(desk, { to: "completed" }), taken("return_failed"));
    assert.deepEqual(writeOff(desk), { status: "failed", amount: 1 });
  });

  test("is written off once, out of returns, with the operator's name", () => {
    const desk = failed();
    const steps = after(desk, () => assert.deepEqual(writeOff(desk), { status: "failed", amount: AMOUNT }));
    assert.deepEqual(steps[0], "return_written_off returns:>write_offs: 10.01");
    assert.ok(steps.includes("return_failed decided"));
    assert.match(desk.transcript, /insert audit_log .*"actor":"ana","action":"return.write_off"/);
    assert.match(desk.transcript, /10.01 return_written_off of \S+ \(0\)/);
    assert.deepEqual(
      after(desk, () => assert.deepEqual(writeOff(desk), { status: "failed", amount: AMOUNT })),
      [],
    );
    for (const late of [() => writeOff(desk, 2), () => retry(desk), () => force(desk, { to: "completed" })]) {
      assert.deepEqual(
        after(desk, () => assert.deepEqual(late(), taken("booked"))),
        [],
      );
    }
    assert.equal(last(desk).restoredAt, null);
  });

  test("of which a part went back is written off as to the rest alone", () => {
    const desk = blocked();
    desk.run("a part by itself", bookPspReturn, given("D8", 300));
    assert.deepEqual(force(desk, { to: "completed" }), taken("return_failed"));
    assert.deepEqual(after(desk, () => writeOff(desk))[0], "return_written_off returns:>write_offs: 7.01");
  });

  test("that was written off and is settled after all leaves out of returns, and the operator has no gain", () => {
    const desk = failed();
    writeOff(desk);
    assert.deepEqual(
      after(desk, () => finish(desk, SETTLED)),
      ["return_written_off write_offs:>returns: 10.01", "deposit_returned returns:>psp:BANK 10.01"],
    );
    assert.deepEqual([last(desk).status, last(desk).restoredAt], ["confirmed", desk.now]);
    assert.match(desk.transcript, /10.01 return_written_off of \S+ \(1\)/);
    assert.deepEqual(
      after(desk, () => finish(desk, SETTLED)),
      [],
    );
  });

  test("that was written off is taken back by a decision, once and whole, and is a case again", () => {
    const desk = failed();
    const take = (amount = AMOUNT, { returnId } = last(desk)) =>
      said(desk.run("taken back", takeBackReturn, { accountId: ACCOUNT, e2eId: "E1", returnId, amount, actor: "bia" }));
    const refused = (status: string, amount?: number) =>
      assert.deepEqual(
        after(desk, () => assert.deepEqual(take(amount), taken(status))),
        [],
      );
    refused("return_failed");
    writeOff(desk);
    refused("booked", AMOUNT - 1);
    assert.deepEqual((take(AMOUNT, { ...last(desk), returnId: object(9) }) as string[])[0], "RESOURCE_NOT_FOUND");
    assert.deepEqual(
      after(desk, () => assert.deepEqual(take(), { amount: AMOUNT, retriedAt: null })),
      ["return_written_off write_offs:>returns: 10.01", "return_failed open 1001"],
    );
    assert.match(desk.transcript, /10.01 return_written_off of \S+ \(1\)/);
    assert.match(desk.transcript, /insert audit_log .*"actor":"bia","action":"return.take_back"/);
    assert.deepEqual([last(desk).restoredAt, last(desk).writtenOffAmount], [desk.now, AMOUNT]);
    refused("return_failed");
    assert.deepEqual(writeOff(desk, 2), taken("return_failed"));
    retry(desk, "failed");
    assert.deepEqual([returnsOf(desk).length, last(desk).amount, last(desk).writtenOffBy], [2, AMOUNT, null]);
    assert.deepEqual(
      after(desk, () => finish(desk, SETTLED)),
      ["deposit_returned returns:>psp:BANK 10.01"],
    );
    refused("returned");
  });

  test("that is taken back by two persons answers with the amount, or with why it was refused", async () => {
    const carriedOut = (done: unknown) =>
      TAKE_BACK.execute(
        { lanes: { run: async () => done } } as never,
        { accountId: ACCOUNT, e2eId: "E1", returnId: object(1), amount: AMOUNT },
        { actor: "bia", proposalId: object(2) } as never,
      );
    assert.deepEqual(await carriedOut({ amount: AMOUNT, retriedAt: null }), { amount: 10.01 });
    const refusal = new ApiError("UNMATCHED_RESOLVED");
    await assert.rejects(carriedOut(refusal), refusal);
  });

  test("that was written off and goes back in part is a case again; the rest gets a return of its own", () => {
    const desk = failed();
    writeOff(desk);
    assert.deepEqual(
      after(desk, () => desk.run("a part by itself", bookPspReturn, given("D8", 300))),
      ["return_written_off write_offs:>returns: 10.01", "psp_return returns:>psp:BANK 3", "return_failed open 701"],
    );
    assert.deepEqual(writeOff(desk, 2), taken("return_failed"));
    retry(desk, "unclear");
    assert.deepEqual([returnsOf(desk).length, last(desk).amount, last(desk).writtenOffBy], [2, 701, null]);
    assert.deepEqual(writeOff(desk, 2), taken("returning"));
    finish(desk, { kind: "failed", reason: "closed" });
    assert.deepEqual(after(desk, () => writeOff(desk, 2))[0], "return_written_off returns:>write_offs: 7.01");
    const [first] = returnsOf(desk);
    assert.deepEqual(writeOff(desk, 3, first!), taken("retried"));
  });

  test("can be decided as made, as if its institution had shown it", () => {
    const desk = failed();
    const steps = after(desk, () => assert.deepEqual(force(desk, { to: "completed" }), { status: "confirmed", amount: 0 }));
    assert.deepEqual([steps[0], steps.at(-1)], ["deposit_returned returns:>psp:BANK 10.01", "return_failed decided"]);
    assert.match(desk.transcript, /insert audit_log .*"action":"return.force"/);
    assert.deepEqual(after(desk, () => assert.deepEqual(force(desk, { to: "completed" }), { status: "confirmed", amount: 0 })), []);
    assert.deepEqual(force(desk, { to: "failed", reason: "no" }), taken("returned"));
  }); // biome-ignore format: one row for each
});

describe("a return without an end", () => {
  test("that may be a second one of its Pix leaves once two persons have confirmed it, as it stood then", () => {
    const proposalId = object(7);
    const confirm = (desk: Desk, returnId = last(desk).returnId, object = facts(desk, returnId)) => {
      const command = { accountId: ACCOUNT, e2eId: "E1", returnId, proposalId, actor: "ana", reason: "both" };
      const decided = { accountId: ACCOUNT, proposalId, command };
      let proposals: Table<unknown> | undefined;
      const want = { row: (table: Table<unknown>) => (proposals ??= table), ledger() {} };
      confirmDecidedReturn.wants(decided, want as never);
      desk.put(proposals!, proposalId, {
        ...{ accountId: ACCOUNT, proposalId, approved: true, begunAt: null, status: "open", amount: AMOUNT },
        ...{ basis: { case: {}, object, outside: {} }, evidence: { says: "", source: "gateway" } },
      });
      desk.begin();
      return said(desk.run("confirmed", confirmDecidedReturn, decided));
    };
    const facts = (desk: Desk, returnId: string) =>
      desk.facts(returnStanding, { accountId: ACCOUNT, e2eId: "E1", returnId });
    const desk = blocked();
    assert.deepEqual((confirm(desk, object(9)) as string[])[0], "RESOURCE_NOT_FOUND");
    assert.deepEqual(confirm(desk), { status: "pending", amount: 0 });
    assert.doesNotMatch(desk.transcript, /return.confirm/, "no case is open");
    report(desk);
    assert.ok(last(desk).caseOpenedAt);
    assert.deepEqual((confirm(desk, last(desk).returnId, { status: "sending" }) as string[])[0], "CASE_CHANGED");
    assert.ok(last(desk).caseOpenedAt);
    assert.deepEqual(confirm(desk), { status: "pending", amount: 0 });
    const { caseOpenedAt, nextAt, retriedAt, status } = last(desk);
    assert.deepEqual([caseOpenedAt, nextAt, retriedAt, status], [null, desk.now, desk.now, "pending"]);
    assert.match(desk.transcript, /insert audit_log .*"action":"return.confirm".*"reason":"both"/);
    assert.match(desk.transcript, /update cases return_unresolved .*"because":"decided"/);
    finish(desk, { kind: "failed", reason: "the account is closed" });
    assert.deepEqual(confirm(desk), taken("return_failed"));
  });

  test("is a case once, which closes when it has ended", () => {
    const desk = blocked();
    assert.deepEqual(
      after(desk, () => report(desk)),
      ["return_unresolved open 1001"],
    );
    assert.deepEqual(
      after(desk, () => report(desk)),
      [],
      "it is one already",
    );
    const steps = after(desk, () => finish(desk, SETTLED));
    assert.deepEqual(steps, ["deposit_returned returns:>psp:BANK 10.01", "return_unresolved resolved"]);
    assert.equal(last(desk).caseOpenedAt, null);
    assert.deepEqual(
      after(desk, () => report(desk)),
      [],
      "it is over",
    );
  });

  test("ends as operators decide: as made, or as failed, which is the next case", () => {
    const made = blocked();
    report(made);
    const paid = after(made, () => force(made, { to: "completed" }));
    assert.deepEqual(paid.slice(0, 2), ["deposit_returned returns:>psp:BANK 10.01", "return_unresolved resolved"]);
    const desk = blocked();
    report(desk);
    const bankIsGone = { to: "failed", reason: "the bank is gone" } as const;
    const steps = after(desk, () => assert.deepEqual(force(desk, bankIsGone), { status: "failed", amount: 0 }));
    assert.deepEqual(steps, ["return_failed open 1001", "return_unresolved resolved", "return_unresolved decided"]);
    assert.deepEqual([last(desk).status, last(desk).failureReason], ["failed", "the bank is gone"]);
    assert.match(desk.transcript, /insert audit_log .*"actor":"ana","action":"return.force"/);
    assert.deepEqual(
      after(desk, () => force(desk, { to: "failed", reason: "again" })),
      [],
    );
    assert.deepEqual(after(desk, () => writeOff(desk))[0], "return_written_off returns:>write_offs: 10.01");
  });

  test("that its institution made by itself in part is a case of the rest", () => {
    const desk = blocked();
    report(desk);
    assert.deepEqual(
      after(desk, () => desk.run("a part by itself", bookPspReturn, given("D8", 1))),
      ["psp_return returns:>psp:BANK 0.01", "return_failed open 1000", "return_unresolved resolved"],
    );
  });

  test("is refused where there is none", () => {
    const desk = blocked();
    const none = { ...last(desk), returnId: object(9) };
    for (const [e2eId, returnId] of [["E9", last(desk).returnId], ["E1", object(9)]] as const) {
      const command = { accountId: ACCOUNT, e2eId, returnId, since: at("11:30:00"), latest: { state: "not_shown" as const } };
      assert.deepEqual(after(desk, () => assert.equal(desk.run("of nothing", reportReturn, command), null)), []);
    } // biome-ignore format: pairs
    for (const no of [() => writeOff(desk, 1, none), () => force(desk, { to: "completed" }, none)]) {
      assert.deepEqual(
        after(desk, () => assert.equal((no() as string[])[0], "RESOURCE_NOT_FOUND")),
        [],
      );
    }
  });
});

describe("the network's id of a return that was settled without one", () => {
  test("is filled in when it is named later, once, and nothing moves", () => {
    const desk = blocked();
    finish(desk, { ...SETTLED, rtrId: null });
    assert.equal(last(desk).rtrId, null);
    const named = (rtrId: string | null) => {
      desk.begin();
      assert.deepEqual(finish(desk, { ...SETTLED, rtrId }), { status: "confirmed", already: true });
      assert.doesNotMatch(desk.transcript, /->|insert/);
      return last(desk).rtrId;
    };
    assert.deepEqual([named(null), named("D1"), named("D1"), named(null)], [null, "D1", "D1", "D1"]);
    // Under another name in the network it is another return, which is none of ours.
    assert.equal(finish(desk, { ...SETTLED, rtrId: "D2" }), null);
    const late = finish(desk, { kind: "failed", reason: "no" });
    assert.deepEqual([late, last(desk).rtrId], [{ status: "confirmed", already: true }, "D1"]);
  });
});
