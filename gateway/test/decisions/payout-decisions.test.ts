/** What persons decide about withdrawals: approval, rejection, cancellation, an end by force; and the cases about them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { walletsTable } from "../../src/accounts/wallet.ts";
import type { ApiError } from "../../src/http/errors.ts";
import { ERASED } from "../../src/lib/erased.ts";
import { receiversTable } from "../../src/webhooks/events/emit.ts";
import { approveWithdrawal, rejectWithdrawal } from "../../src/withdrawals/approve.ts";
import { cancelWithdrawal } from "../../src/withdrawals/cancel.ts";
import { reportWithdrawal } from "../../src/withdrawals/case.ts";
import { type ForceWithdrawal, forceWithdrawal, payoutStanding } from "../../src/withdrawals/force.ts";
import { receiverKeysTable } from "../../src/withdrawals/key.ts";
import { limitsTable } from "../../src/withdrawals/limits.ts";
import { type RequestWithdrawal, requestWithdrawal } from "../../src/withdrawals/request.ts";
import { resolveWithdrawal } from "../../src/withdrawals/resolve.ts";
import { walletLimitsTable } from "../../src/withdrawals/wallet-limits.ts";
import { type WithdrawalRow, withdrawalsTable } from "../../src/withdrawals/withdrawal.ts";
import { returnsOfWithdrawal } from "../../src/withdrawals/withdrawal-return.ts";
import { settingsOf } from "../model/tenant.ts";
import { ACCOUNT, at, BANK, type Desk, object, SUB } from "./desk.ts";
import { ask, back, fee, NO_LIMITS, open, row, shown, WITHDRAWAL } from "./payouts.ts";

const [ASKED_BY, ANOTHER] = [object(0x20), object(0x21)];
const HOUR = at("12:00:00").getTime();
const policy = (changes: object) => ({ payouts: { ...settingsOf(ACCOUNT).payouts, ...changes } });
const NEEDS_APPROVAL = policy({ approvalAbove: 0 });
const asked = (settings: ConstructorParameters<typeof Desk>[0] = {}, changes: Partial<RequestWithdrawal> = {}) => {
  const desk = open(settings);
  desk.run("asked", requestWithdrawal, ask({ createdBy: ASKED_BY, createdByOwners: [ASKED_BY], ...changes }));
  return desk.begin();
};
const change = (desk: Desk, changes: Partial<WithdrawalRow>) =>
  desk.put(withdrawalsTable, WITHDRAWAL, { ...row(desk), ...changes });
/** Each transfer, and what it is counted for. */
const moved = (desk: Desk) => [...desk.transcript.matchAll(/^ {2}(\S+ -> \S+: \S+ \S+) of/gm)].map((match) => match[1]);
const counted = (desk: Desk) => {
  const { hours, counts } = desk.find(limitsTable, ACCOUNT);
  return [hours.get(HOUR), counts?.get(HOUR)];
};
const code = (result: unknown) => (result as ApiError | null)?.code ?? null;
const opened = (desk: Desk) =>
  [...desk.transcript.matchAll(/update cases (\w+) .*?"to":"open"/g)].map((match) => match[1]);
/** Also of one that was closed before: then nothing of it changes. */
const closed = (desk: Desk) =>
  [...desk.transcript.matchAll(/update cases (\w+) (?!.*"to":"open")/g)].map((match) => match[1]);

describe("approval", () => {
  const of = { accountId: ACCOUNT, walletId: ACCOUNT, withdrawalId: WITHDRAWAL, deciders: [ANOTHER] };
  const rejection = { ...of, environment: "sandbox" as const, reason: "Nobody asked for it." };

  test("by another credential lets it leave now, or when its key may be paid", () => {
    const desk = asked(NEEDS_APPROVAL);
    assert.equal(row(desk).nextAt, null);
    desk.now = at("12:05:00");
    assert.equal(desk.run("approved", approveWithdrawal, of), null);
    const { awaitingApproval, approvedAt, nextAt, status } = row(desk);
    assert.deepEqual([awaitingApproval, approvedAt, nextAt, status], [false, desk.now, desk.now, "pending"]);
    assert.deepEqual(moved(desk), []);
    for (const [holdUntil, leavesAt] of [
      ["12:04:59.999", "12:05:00"],
      ["12:05:00", "12:05:00"],
      ["12:05:00.001", "12:05:00.001"],
    ] as const) {
      const held = change(asked(NEEDS_APPROVAL), { holdUntil: at(holdUntil) });
      held.now = at("12:05:00");
      held.run("approved", approveWithdrawal, of);
      assert.deepEqual(row(held).nextAt, at(leavesAt));
    }
  });

  test("and rejection stand in the audit log where an operator decided; a person's call is there by itself", () => {
    for (const [action, decide] of [
      ["withdrawal.approve", approveWithdrawal],
      ["withdrawal.reject", rejectWithdrawal],
    ] as const) {
      const log = (changes: object) => {
        const desk = asked(NEEDS_APPROVAL);
        assert.equal(desk.run("decided", decide as typeof rejectWithdrawal, { ...rejection, ...changes }), null);
        return [...desk.transcript.matchAll(/insert audit_log .*/g)].map(([line]) => line);
      };
      const [line, ...more] = log({ operator: "Ana" });
      assert.ok(line?.includes('"actor":"Ana"') && line.includes(`"action":"${action}"`), line);
      assert.deepEqual([more, log({})], [[], []], action);
    }
  });

  test("and rejection are refused by who asked, of another wallet, and of what awaits none; nothing moves", () => {
    for (const [decide, command] of [
      [approveWithdrawal, of],
      [rejectWithdrawal, rejection],
    ] as const) {
      const refusal = (desk: Desk, changes: object) => {
        const before = desk.all(withdrawalsTable);
        const result = desk.run("decided", decide as typeof rejectWithdrawal, { ...rejection, ...command, ...changes });
        assert.deepEqual(desk.all(withdrawalsTable), before);
        return code(result);
      };
      assert.equal(refusal(asked(NEEDS_APPROVAL), { deciders: [ANOTHER, ASKED_BY] }), "APPROVAL_BY_CREATOR");
      assert.equal(refusal(asked(NEEDS_APPROVAL), { walletId: SUB }), "RESOURCE_NOT_FOUND");
      assert.equal(refusal(asked(NEEDS_APPROVAL), { withdrawalId: object(9) }), "RESOURCE_NOT_FOUND");
      assert.equal(refusal(asked(), {}), "WITHDRAWAL_NOT_AWAITING_APPROVAL");
      const over = change(asked(NEEDS_APPROVAL), { status: "failed" });
      assert.equal(refusal(over, {}), "WITHDRAWAL_NOT_AWAITING_APPROVAL");
    }
  });

  test("that nobody has given here contradicts an institution that pays it, and nothing moves", () => {
    for (const [status, words] of [
      ["settled", "it shows it as paid, and nobody has approved it here"],
      ["processing", "it shows it as under way, and nobody has approved it here"],
    ] as const) {
      const desk = asked(NEEDS_APPROVAL);
      const { kind, about } = desk.run("reported", resolveWithdrawal, shown(desk, { status })) as {
        kind: string;
        about: string;
      };
      assert.deepEqual([kind, about, moved(desk), row(desk).status], ["contradiction", words, [], "pending"]);
    }
  });

  test("denied: its money is available again, it counts for no limit, and no institution is queried about it", () => {
    const desk = asked(NEEDS_APPROVAL);
    assert.deepEqual(counted(desk), [400, 1]);
    assert.equal(desk.run("rejected", rejectWithdrawal, rejection), null);
    const { status, failureCode, failureReason, nextAt, mayHaveLeft } = row(desk);
    assert.deepEqual(
      [status, failureCode, failureReason, nextAt, mayHaveLeft],
      ["failed", "rejected", "Nobody asked for it.", null, false],
    );
    assert.deepEqual(moved(desk), ["held:ACCOUNT -> available:ACCOUNT: 4 withdrawal_released"]);
    assert.deepEqual(counted(desk), [0, 0]);
    assert.match(desk.transcript, /insert events .*withdrawal_failed/);
  });
});

describe("cancelling", () => {
  const cancel = {
    ...{ accountId: ACCOUNT, withdrawalId: WITHDRAWAL, environment: "sandbox" as const },
    ...{ walletId: ACCOUNT as string | null, operator: null as string | null },
  };

  test("what has not left gives the hold back, once; an operator's is in the audit log", () => {
    for (const operator of [null, "Ana"]) {
      const desk = asked();
      const command = { ...cancel, walletId: operator === null ? ACCOUNT : null, operator };
      assert.equal(desk.run("cancelled", cancelWithdrawal, command), null);
      const once = [row(desk), moved(desk), counted(desk)] as const;
      assert.deepEqual([once[0].status, once[0].failureCode, once[0].nextAt], ["failed", "cancelled", null]);
      assert.equal(once[0].failureReason, "It was cancelled before it was sent.");
      assert.deepEqual(once[1], ["held:ACCOUNT -> available:ACCOUNT: 4 withdrawal_released"]);
      assert.deepEqual(once[2], [0, 0]);
      assert.equal(desk.transcript.includes("withdrawal.cancel"), operator !== null);
      assert.equal(
        /audit_log.*"before":\{"status":"pending"\}.*"after":\{"status":"failed"\}/.test(desk.transcript),
        operator !== null,
      );
      assert.equal(desk.run("again", cancelWithdrawal, command), null);
      assert.deepEqual([row(desk), moved(desk), counted(desk)], once);
    }
    const sending = change(asked(), { status: "processing" });
    assert.equal(sending.run("no request has left", cancelWithdrawal, cancel), null);
    assert.equal(row(sending).status, "failed");
  });

  test("of an account without its limits is no decision: nothing could be counted", () => {
    const desk = asked().put(limitsTable, ACCOUNT, undefined as never);
    assert.throws(
      () => desk.run("cancelled", cancelWithdrawal, cancel),
      /a withdrawal of an account that does not exist/,
    );
  });

  test("what may have left, is over, or is another wallet's is refused, and nothing moves", () => {
    const refusal = (desk: Desk, changes: object = {}) => {
      const before = row(desk);
      const result = desk.run("cancelled", cancelWithdrawal, { ...cancel, ...changes }) as ApiError;
      assert.deepEqual([row(desk), moved(desk)], [before, []]);
      return [result.code, result.details.status];
    };
    const left = change(asked(), { status: "processing", mayHaveLeft: true });
    assert.deepEqual(refusal(left), ["WITHDRAWAL_NOT_CANCELLABLE", "processing"]);
    const waiting = change(asked(), { mayHaveLeft: true });
    assert.deepEqual(refusal(waiting), ["WITHDRAWAL_NOT_CANCELLABLE", "pending"]);
    const paid = change(asked(), { status: "completed" });
    assert.deepEqual(refusal(paid), ["WITHDRAWAL_NOT_CANCELLABLE", "completed"]);
    assert.equal(refusal(asked(), { walletId: SUB })[0], "RESOURCE_NOT_FOUND");
    assert.equal(refusal(asked(), { withdrawalId: object(9) })[0], "RESOURCE_NOT_FOUND");
  });
});

describe("an end by force", () => {
  const force = (outcome: ForceWithdrawal["outcome"], changes: Partial<ForceWithdrawal> = {}): ForceWithdrawal => ({
    ...{ accountId: ACCOUNT, withdrawalId: WITHDRAWAL, environment: "sandbox", outcome },
    ...{ proposalId: object(0x30), actor: "Ana", ...changes },
  });
  const completed = (e2eId: string | null = null) => force({ to: "completed", e2eId });
  const failed = (reason = "") => force({ to: "failed", reason });
  const processing = (changes: Partial<WithdrawalRow> = {}) =>
    change(asked(fee(15)), { status: "processing", mayHaveLeft: true, caseOpenedAt: at("11:00:00"), ...changes });
  const CASES = ["payout_unresolved", "payout_contradiction"];
  const NEWS = { kind: "known", changed: true, more: false };
  const NO_NEWS = { kind: "known", changed: false, more: false };

  test("completed: the money has left with its fee, and the cases are closed by that decision", () => {
    const desk = processing({ e2eId: "E1" });
    assert.deepEqual(desk.run("forced", forceWithdrawal, completed()), { ...NEWS, status: "completed" });
    assert.deepEqual([row(desk).status, row(desk).e2eId, row(desk).caseOpenedAt], ["completed", "E1", null]);
    assert.deepEqual(moved(desk), ["held:ACCOUNT -> psp:BANK: 3.85 withdrawal_sent", "held:ACCOUNT -> fees:: 0.15 withdrawal_fee"]);
    assert.deepEqual(closed(desk), CASES);
    assert.match(desk.transcript, /"because":"decided","actor":"Ana"/);
    assert.match(desk.transcript, /audit_log .*"before":\{"status":"processing"\},"after":\{"status":"completed",/);
    const once = [row(desk), moved(desk)];
    assert.deepEqual(desk.run("again", forceWithdrawal, completed()), { ...NO_NEWS, status: "completed" });
    assert.deepEqual([row(desk), moved(desk)], once);
    const named = processing();
    named.run("forced", forceWithdrawal, completed("E2"));
    assert.equal(row(named).e2eId, "E2");
    const nameless = processing();
    nameless.run("forced", forceWithdrawal, completed());
    assert.equal(row(nameless).e2eId, null);
  });

  test("of one that waits for a person at the institution closes that case too, and it waits no more", () => {
    for (const outcome of [completed(), failed("Nobody approved it.")]) {
      const desk = processing({ awaitingBankSince: at("11:30:00") });
      desk.run("forced", forceWithdrawal, outcome);
      assert.equal(row(desk).awaitingBankSince, null);
      assert.deepEqual(closed(desk), [...CASES, "payout_awaiting_bank"]);
    }
  });

  test("of one that a restore has left unconfirmed closes that case too; another end-to-end id than the shown one is refused", () => {
    const desk = processing({ unconfirmedSince: at("11:30:00"), e2eId: "E1" });
    const refused = desk.run("forced", forceWithdrawal, completed("E2")) as ApiError;
    assert.deepEqual([refused.code, row(desk).status], ["VALIDATION_ERROR", "processing"]);
    assert.match(refused.message, /its institution has shown E1/);
    desk.begin().run("forced", forceWithdrawal, completed("E1"));
    assert.deepEqual([row(desk).status, row(desk).unconfirmedSince], ["completed", null]);
    assert.match(desk.transcript, /update cases payout_unconfirmed .*"because":"decided","actor":"Ana"/);
  });

  test("completed after it had failed, and after its receiver was erased: the receiver does not come back", () => {
    const receiver = { name: "Ana", document: "***529982**" };
    for (const [holderDocument, kept] of [["52998224725", [receiver.name, receiver.document]], [ERASED, [null, null]]] as const) {
      const desk = processing();
      desk.run("failed", resolveWithdrawal, shown(desk, { status: "failed" }));
      change(desk, { holderDocument });
      desk.run("settled", resolveWithdrawal, shown(desk, { receiver }));
      const { status, counterpartName, counterpartDocument } = row(desk);
      assert.deepEqual([status, counterpartName, counterpartDocument], ["completed", ...kept]);
    }
  });

  test("to a holder of another name is marked as such; one that a restore had lost is not judged, since nobody knows who was asked for", () => {
    const receiver = { name: "Rosana Figueiredo", document: "***529982**" };
    for (const [adopted, paidToOther] of [[false, true], [true, null]] as const) {
      const desk = processing({ adopted });
      desk.run("settled", resolveWithdrawal, shown(desk, { receiver }));
      assert.deepEqual([row(desk).counterpartName, row(desk).paidToOther], [receiver.name, paidToOther]);
    }
  });

  test("completed after it had failed: the money is taken from the wallet again", () => {
    const desk = processing();
    desk.run("failed", forceWithdrawal, failed("The bank said so."));
    assert.deepEqual([row(desk).failureCode, row(desk).failureReason], ["not_carried_out", "The bank said so."]);
    assert.deepEqual(counted(desk), [0, 0]);
    desk.begin();
    assert.deepEqual(desk.run("forced", forceWithdrawal, completed()), { ...NEWS, status: "completed" });
    assert.equal(moved(desk)[0], "available:ACCOUNT -> held:ACCOUNT: 4 withdrawal_reclaimed");
    assert.deepEqual(counted(desk), [400, 1]);
  });

  test("failed after it was completed: what has not come back yet comes back whole, with the fee, once", () => {
    const desk = processing();
    desk.run("settled", resolveWithdrawal, shown(desk, { returns: [back(1, 85, "12:10:00")] }));
    desk.run("a part", resolveWithdrawal, shown(desk, { returns: [back(1, 85, "12:10:00")] }));
    desk.begin().now = at("12:30:00");
    assert.deepEqual(desk.run("forced", forceWithdrawal, failed()), { ...NEWS, status: "reversed" });
    assert.deepEqual(moved(desk), ["psp:BANK -> available:ACCOUNT: 3 withdrawal_returned", "fees: -> available:ACCOUNT: 0.15 withdrawal_fee_returned"]);
    assert.equal(row(desk).returnedAmount, 385);
    assert.deepEqual(closed(desk), CASES);
    const once = [row(desk), moved(desk)];
    assert.deepEqual(desk.run("again", forceWithdrawal, failed()), { ...NO_NEWS, status: "reversed" });
    // The institution's list shows the two returns by other names; the forced one is booked.
    const shownBack = [back(1, 85, "12:10:00"), back(2, 300, "12:20:00")];
    assert.equal(desk.run("shown", resolveWithdrawal, shown(desk, { returns: shownBack })).kind, "known");
    assert.deepEqual(moved(desk), once[1]);
    const reversed = desk.run("forced", forceWithdrawal, completed()) as ApiError;
    assert.deepEqual([reversed.code, reversed.details.status], ["WITHDRAWAL_NOT_FORCEABLE", "reversed"]);
    assert.deepEqual(moved(desk), once[1]);
  });

  test("rests on the payout as it stands, also on whether a restore has left it unconfirmed", () => {
    const desk = asked();
    const facts = (withdrawalId = WITHDRAWAL) => desk.facts(payoutStanding, { accountId: ACCOUNT, withdrawalId });
    const stands = { status: "pending", netAmount: 400, returnedAmount: 0, e2eId: null, failureCode: null };
    assert.deepEqual([facts(), facts(object(9))], [{ ...stands, unconfirmed: false }, {}]);
    change(desk, { unconfirmedSince: at("11:00:00"), e2eId: "E7", returnedAmount: 5 });
    assert.deepEqual(facts(), { ...stands, unconfirmed: true, e2eId: "E7", returnedAmount: 5 });
  });

  test("of a failed one, or of none, changes nothing", () => {
    const desk = processing();
    desk.run("failed", resolveWithdrawal, shown(desk, { status: "failed" }));
    desk.begin();
    assert.deepEqual(desk.run("forced", forceWithdrawal, failed()), { ...NO_NEWS, status: "failed" });
    assert.equal(code(desk.run("forced", forceWithdrawal, { ...failed(), withdrawalId: object(9) })), "RESOURCE_NOT_FOUND");
    assert.deepEqual([moved(desk), desk.transcript.includes("audit_log"), closed(desk)], [[], false, []]);
  });
}); // biome-ignore format: tables

describe("cases of withdrawals", () => {
  const processing = (changes: Partial<WithdrawalRow> = {}) =>
    change(asked(fee(15)), { status: "processing", mayHaveLeft: true, ...changes });
  const report = { accountId: ACCOUNT, withdrawalId: WITHDRAWAL, latest: { state: "timeout", code: "timeout" } } as const;

  test("a long uncertainty is reported once, while there is one", () => {
    const desk = processing();
    desk.run("reported", reportWithdrawal, report);
    assert.deepEqual(opened(desk), ["payout_unresolved"]);
    assert.deepEqual(row(desk).caseOpenedAt, desk.now);
    desk.run("again", reportWithdrawal, report);
    assert.deepEqual(opened(desk), ["payout_unresolved"]);
    for (const status of ["pending", "completed", "failed"] as const) {
      const other = processing({ status });
      other.run("reported", reportWithdrawal, report);
      other.run("of none", reportWithdrawal, { ...report, withdrawalId: object(9) });
      assert.deepEqual([opened(other), row(other).caseOpenedAt], [[], null], status);
    }
  });

  test("a contradiction opens one with what was shown, and keeps the time of the first", () => {
    const desk = processing({ e2eId: "E1" });
    desk.run("shown", resolveWithdrawal, shown(desk, { amount: 1, returns: [back(1, 2, "12:10:00"), back(2, 3, "12:11:00")] }));
    assert.deepEqual(opened(desk), ["payout_contradiction"]);
    assert.match(desk.transcript, /The books say processing; of the institution: it shows 1 centavos\./);
    assert.match(desk.transcript, /"amount":385,"e2eId":"E1","shownStatus":"settled","shownAmount":1,"shownReturned":5,"shownUnreadable":0,"shownUnclear":0,"failure":null/);
    const first = row(desk).caseOpenedAt;
    desk.now = at("12:30:00");
    desk.run("shown", resolveWithdrawal, shown(desk, { status: "unrecognised", e2eId: "E2" }));
    assert.deepEqual(row(desk).caseOpenedAt, first);
    assert.match(desk.transcript, /"e2eId":"E2","shownStatus":"unrecognised"/);
    assert.deepEqual(moved(desk), []);
  });

  test("a second id of the bank is a case that stays, moves nothing, and keeps both ids with their times", () => {
    const desk = asked();
    const held = moved(desk);
    const show = (reference: string, status: "processing" | "settled") =>
      desk.run("shown", resolveWithdrawal, shown(desk, { status, reference })).kind;
    assert.deepEqual([show("a", "processing"), show("a", "processing")], ["known", "known"]);
    assert.deepEqual([show("b", "settled"), show("b", "settled"), show("a", "settled")], Array(3).fill("contradiction"));
    assert.deepEqual(
      row(desk).pspReferences.map(({ reference, at: learned }) => [reference, learned]),
      ["a", "b"].map((reference) => [reference, desk.now.toISOString()]),
    );
    assert.ok(opened(desk).includes("payout_contradiction"), desk.transcript);
    assert.match(desk.transcript, /"shownIds":2/);
    assert.deepEqual([moved(desk), row(desk).status], [held, "pending"]);
  });

  test("what agrees again closes the contradiction, and an end closes both", () => {
    const desk = processing({ caseOpenedAt: at("11:00:00") });
    desk.run("under way", resolveWithdrawal, shown(desk, { status: "processing" }));
    assert.deepEqual(closed(desk), ["payout_contradiction"]);
    assert.deepEqual(row(desk).caseOpenedAt, at("11:00:00"));
    desk.begin().run("settled", resolveWithdrawal, shown(desk, {}));
    assert.deepEqual(closed(desk), ["payout_contradiction", "payout_unresolved"]);
    assert.equal(row(desk).caseOpenedAt, null);
    desk.begin().run("settled", resolveWithdrawal, shown(desk, {}));
    assert.deepEqual(closed(desk), []);
    const plain = processing();
    plain.run("settled", resolveWithdrawal, shown(plain, {}));
    assert.deepEqual(closed(plain), []);
  });

  test("one that waits for a person at the institution is a case of its own, until it is shown otherwise", () => {
    const waiting = (desk: Desk, e2eId?: string) =>
      shown(desk, { status: "awaiting_approval", ...(e2eId === undefined ? {} : { e2eId }) });
    const desk = processing({ e2eId: "E1" });
    desk.run("waits", resolveWithdrawal, waiting(desk));
    const since = desk.now;
    assert.deepEqual([opened(desk), closed(desk)], [["payout_awaiting_bank"], ["payout_unresolved"]]);
    assert.match(desk.transcript, /"data":\{"amount":385,"e2eId":"E1"\}/);
    assert.deepEqual([row(desk).awaitingBankSince, row(desk).caseOpenedAt, moved(desk)], [since, since, []]);
    desk.begin().now = at("12:30:00");
    desk.run("still", resolveWithdrawal, waiting(desk));
    assert.deepEqual([opened(desk), row(desk).awaitingBankSince], [[], since]);
    desk.run("reported", reportWithdrawal, report);
    assert.deepEqual(opened(desk), []);
    change(desk, { caseOpenedAt: null });
    desk.run("reported", reportWithdrawal, report);
    assert.deepEqual(opened(desk), [], "it has an outcome at the institution");
    desk.begin().run("under way", resolveWithdrawal, shown(desk, { status: "processing" }));
    assert.deepEqual([closed(desk).includes("payout_awaiting_bank"), row(desk).awaitingBankSince], [true, null]);
    const named = processing({ e2eId: "E1", caseOpenedAt: at("11:00:00") });
    named.run("waits", resolveWithdrawal, waiting(named, "E2"));
    assert.match(named.transcript, /"data":\{"amount":385,"e2eId":"E2"\}/);
    assert.deepEqual(row(named).caseOpenedAt, at("11:00:00"));
    const plain = processing();
    plain.run("under way", resolveWithdrawal, shown(plain, { status: "processing" }));
    assert.deepEqual([opened(plain), closed(plain), row(plain).awaitingBankSince], [[], [], null]);
  });
}); // biome-ignore format: tables

describe("the safety of payouts", () => {
  const outcome = (desk: Desk, changes: Partial<RequestWithdrawal> = {}) => {
    const n = desk.all(withdrawalsTable).length + 1;
    const result = desk.run("asked", requestWithdrawal, ask({ withdrawalId: object(n), asked: { amount: 100 }, ...changes }));
    return "code" in result ? (result.details.limitName as string) : result.status;
  };

  test("an hour of the clock has its count and its sum, to the last one and the last centavo", () => {
    const few = open(policy({ perHourCount: 2 }));
    assert.deepEqual([outcome(few), outcome(few), outcome(few)], ["pending", "pending", "perHourCount"]);
    few.now = at("13:00:00");
    assert.equal(outcome(few), "pending");
    const little = open(policy({ perHourSum: 250 }));
    assert.deepEqual([outcome(little), outcome(little), outcome(little)], ["pending", "pending", "perHourSum"]);
    assert.equal(outcome(little, { asked: { amount: 50 } }), "pending");
    assert.equal(outcome(little, { asked: { amount: 1 } }), "perHourSum");
    assert.equal(outcome(open(policy({ perHourCount: 0 }))), "perHourCount");
  });

  test("a key that was never paid gets no more than its part, together with what is on its way to it", () => {
    const desk = open(policy({ newKeyMaxAmount: 250 }));
    assert.deepEqual([outcome(desk), outcome(desk), outcome(desk)], ["pending", "pending", "newKeyAmount"]);
    assert.equal(outcome(desk, { pixKey: "bia@example.com" }), "pending");
    assert.equal(outcome(desk, { asked: { amount: 50 } }), "pending");
    assert.equal(outcome(desk, { asked: { amount: 1 } }), "newKeyAmount");
  });

  test("a key that was never paid waits, and no other", () => {
    const desk = open(policy({ newKeyWaitMinutes: 30 }));
    assert.equal(outcome(desk), "pending");
    assert.deepEqual([row(desk).holdUntil, row(desk).nextAt], [at("12:30:00"), at("12:30:00")]);
    const known = open(policy({ newKeyWaitMinutes: 30 }));
    outcome(known.put(receiverKeysTable, "ana@example.com", { wasPaid: true, open: 0 }));
    assert.deepEqual([row(known).holdUntil, row(known).nextAt], [null, known.now]);
    const at0 = open(policy({ newKeyWaitMinutes: 0 }));
    outcome(at0);
    assert.deepEqual([row(at0).holdUntil, row(at0).nextAt], [null, at0.now]);
    const both = open(policy({ newKeyWaitMinutes: 30, approvalAbove: 99 }));
    outcome(both);
    assert.deepEqual([row(both).holdUntil, row(both).nextAt, row(both).awaitingApproval], [at("12:30:00"), null, true]);
    const enough = open(policy({ approvalAbove: 100 }));
    outcome(enough);
    assert.equal(row(enough).awaitingApproval, false);
  });

  test("a key that has a largest sum and no waiting time does not wait", () => {
    const desk = open(policy({ newKeyMaxAmount: 250 }));
    outcome(desk);
    assert.deepEqual([row(desk).holdUntil, row(desk).nextAt], [null, desk.now]);
  });

  test("what a policy does not ask about is not read; one that awaits approval notifies whoever receives that event", () => {
    const wanted = (changes: object) => {
      const desk = open(policy(changes));
      outcome(desk);
      return desk.wanted.filter((table) => ["receiver keys", receiversTable.name].includes(table));
    };
    assert.deepEqual(wanted({}), []);
    for (const asks of [{ newKeyMaxAmount: 250 }, { newKeyWaitMinutes: 0 }]) assert.deepEqual(wanted(asks), ["receiver keys"]);
    assert.deepEqual(wanted({ approvalAbove: 100 }), [receiversTable.name]);
    const desk = open(policy({ approvalAbove: 99 }));
    const receiver = { endpointId: object(0x30), walletId: ACCOUNT, events: ["withdrawal_awaiting_approval" as const], enabled: true };
    desk.put(receiversTable, ACCOUNT, [receiver]);
    outcome(desk);
    assert.match(desk.transcript, new RegExp(`insert events .*"endpointId":"${receiver.endpointId}"`));
  });

  test("news of a payout reads its returns only where the institution shows one, and the limits only where it may fail", () => {
    const desk = change(asked(), { status: "processing", mayHaveLeft: true });
    const wanted = (payout: Parameters<typeof shown>[1]) => {
      desk.run("shown", resolveWithdrawal, shown(desk, payout));
      return desk.wanted.filter((table) => table === limitsTable.name || table === returnsOfWithdrawal.name);
    };
    assert.deepEqual(wanted({ status: "processing" }), []);
    assert.deepEqual(wanted({ status: "failed" }), [limitsTable.name]);
    assert.deepEqual(wanted({ status: "processing" }), [limitsTable.name]);
    const completed = change(asked(), { status: "completed" });
    completed.run("shown", resolveWithdrawal, shown(completed, { returns: [back(1, 1, "12:10:00")] }));
    assert.equal(completed.wanted.filter((table) => table === returnsOfWithdrawal.name).length, 1);
  });

  test("a reference that must be its wallet's only one is read, and refused with who has it; others may repeat", () => {
    const desk = open();
    const again = (changes: Partial<RequestWithdrawal>) =>
      desk.run("asked", requestWithdrawal, ask({ withdrawalId: object(2), externalReference: "order-1", asked: { amount: 1 }, ...changes }));
    desk.run("asked", requestWithdrawal, ask({ externalReference: "order-1", uniqueReference: true }));
    assert.ok(desk.wanted.includes("used references"));
    const refused = again({ uniqueReference: true }) as ApiError;
    const has = { withdrawalId: WITHDRAWAL, status: "pending" };
    assert.deepEqual([refused.code, refused.details, desk.all(withdrawalsTable).length], ["WITHDRAWAL_REFERENCE_TAKEN", has, 1]);
    assert.equal(code(again({ uniqueReference: true, externalReference: "order-2" })), null);
    assert.equal(code(again({ uniqueReference: true, externalReference: null, withdrawalId: object(3) })), null);
    assert.equal(code(again({ withdrawalId: object(4) })), null);
    assert.ok(!desk.wanted.includes("used references"));
    assert.equal(desk.all(withdrawalsTable).length, 4);
  });

  test("a sub-account's own limit is named by its refusal, beside the account's", () => {
    const ofWallet = { ...NO_LIMITS, walletId: ACCOUNT, reference: "loja", perWithdrawal: 99 };
    const desk = open().put(walletLimitsTable, ACCOUNT, ofWallet);
    const refused = desk.run("asked", requestWithdrawal, ask()) as ApiError;
    assert.deepEqual([refused.code, refused.details.subAccount], ["WITHDRAWAL_LIMIT_EXCEEDED", "loja"]);
    assert.deepEqual([moved(desk), desk.all(withdrawalsTable)], [[], []]);
    assert.equal((desk.run("less", requestWithdrawal, ask({ asked: { amount: 99 } })) as { status: string }).status, "pending");
  });

  test("one that is refused moves nothing", () => {
    const desk = open(policy({ perHourSum: 99 }));
    assert.equal(outcome(desk), "perHourSum");
    assert.deepEqual([moved(desk), desk.all(withdrawalsTable)], [[], []]);
    assert.equal(desk.find(walletsTable, ACCOUNT).status, "approved");
    assert.equal(BANK.length, 36);
  });
}); // biome-ignore format: tables
