import assert from "node:assert/strict";
import { describe, snapshot, test } from "node:test";
import { walletsTable } from "../../src/accounts/wallet.ts";
import type { ApiError } from "../../src/http/errors.ts";
import type { Update } from "../../src/ledger/books.ts";
import type { PspPayout } from "../../src/psp/psp.ts";
import {
  countedWrites,
  exceeded,
  limitDetails,
  limitsTable,
  type WithdrawalLimits,
} from "../../src/withdrawals/limits.ts";
import { type RequestWithdrawal, requestWithdrawal } from "../../src/withdrawals/request.ts";
import { type ResolveWithdrawal, resolveWithdrawal } from "../../src/withdrawals/resolve.ts";
import { withdrawalsTable } from "../../src/withdrawals/withdrawal.ts";
import { returnsOfWithdrawal } from "../../src/withdrawals/withdrawal-return.ts";
import { settingsOf } from "../model/tenant.ts";
import { ACCOUNT, at, type Desk, object, SUB } from "./desk.ts";
import { ask, back, fee, NO_LIMITS, open, refused, row, shown, WITHDRAWAL } from "./payouts.ts";

snapshot.setDefaultSnapshotSerializers([String]);

describe("asking for a withdrawal", () => {
  test("holds its money, to the last centavo, and once", (t) => {
    const desk = open(fee(15));
    desk.run(
      "asked",
      requestWithdrawal,
      ask({ asked: { amount: 1_000 }, externalReference: "x", projectId: object(9) }),
    );
    desk.run("again", requestWithdrawal, ask({ asked: { amount: 1_000 } }));
    const net = open(fee(15));
    net.run("by what the receiver gets", requestWithdrawal, ask({ asked: { netAmount: 985 } }));
    t.assert.snapshot(`${desk.transcript}\n${net.transcript}`);
  });

  test("that needs approval is stored with its event; the limit itself needs none", (t) => {
    const payouts = { ...settingsOf(ACCOUNT).payouts, approvalAbove: 400 };
    const desk = open({ ...fee(15), payouts });
    desk.run("above the limit", requestWithdrawal, ask({ asked: { amount: 401 }, externalReference: "x" }));
    desk.run("again", requestWithdrawal, ask({ asked: { amount: 401 }, externalReference: "x" }));
    desk.run("at the limit", requestWithdrawal, ask({ withdrawalId: object(2) }));
    t.assert.snapshot(desk.transcript);
  });

  test("is refused with nothing moved: frozen, suspended, too much, nothing left of it, beyond a limit", () => {
    const refusal = (desk: Desk, changes: Partial<RequestWithdrawal> = {}) => {
      const { code, details } = desk.run("asked", requestWithdrawal, ask(changes)) as ApiError;
      assert.equal(desk.all(withdrawalsTable).length, 0);
      return [code, details];
    };
    assert.deepEqual(refusal(open({ withdrawalsFrozen: true })), ["WITHDRAWALS_FROZEN", {}]);
    assert.deepEqual(refusal(open({ status: "suspended" })), ["ACCOUNT_SUSPENDED", {}]);
    assert.deepEqual(refusal(open().wallet("suspended"), { walletId: SUB }), ["SUB_ACCOUNT_SUSPENDED", {}]);
    assert.deepEqual(refusal(open(), { asked: { amount: 1_001 } }), ["INSUFFICIENT_BALANCE", { available: 10, required: 10.01 }]);
    assert.equal(refusal(open(fee(400)), { asked: { amount: 400 } })[0], "VALIDATION_ERROR");
    assert.match(JSON.stringify(refusal(open(fee(400)), { asked: { amount: 400 } })), /"amount"/);
    assert.match(JSON.stringify(refusal(open(fee(400)), { asked: { netAmount: 999_999_999_999 } })), /netAmount/);
    const limited = open().put(limitsTable, ACCOUNT, { ...NO_LIMITS, perWithdrawal: 399 });
    assert.deepEqual(refusal(limited), ["WITHDRAWAL_LIMIT_EXCEEDED", { limitName: "perWithdrawal", period: "withdrawal", limit: 3.99, used: 0, resetsAt: null }]);
  }); // biome-ignore format: tables

  test("counts for the limits of its hour, beside what counts already", () => {
    const hour = at("12:00:00").getTime();
    const limits = { ...NO_LIMITS, perDay: 1_000 };
    const count = (before: WithdrawalLimits, amount: number, time: string): WithdrawalLimits => {
      const [{ set, key, op }] = countedWrites(before, { amount, at: at(time) }, at(time)) as [
        Update<WithdrawalLimits>,
      ];
      assert.deepEqual([op, key], ["update", { accountId: ACCOUNT, id: ACCOUNT }]);
      return { ...before, ...set };
    };
    const one = count(limits, 300, "12:59:59.999");
    assert.deepEqual([...one.hours], [[hour, 300]]);
    const two = count(one, 700, "12:00:00");
    assert.deepEqual([...two.hours], [[hour, 1_000]]);
    assert.equal(exceeded(one, 700, at("12:00:00")), null);
    assert.deepEqual(limitDetails(exceeded(two, 1, at("12:00:00"))!), {
      limitName: "perDay",
      period: "day",
      limit: 10,
      used: 10,
      resetsAt: "2026-03-11T03:00:00.000Z",
    });
  });

  test("hours are counted for 26 hours, and what is not counted is not taken out", () => {
    const now = at("12:30:00");
    const ago = (hours: number) => at("12:00:00").getTime() - hours * 3_600_000;
    const limits = { ...NO_LIMITS, hours: new Map([[ago(26), 1], [ago(25), 2], [ago(1), 3]]) };
    const write = (amount: number, hours: number) =>
      countedWrites(limits, { amount, at: new Date(ago(hours)) }, now).map(({ set }) => [...set.hours!]);
    assert.deepEqual(write(5, 1), [[[ago(25), 2], [ago(1), 8]]]);
    assert.deepEqual(write(-3, 1), [[[ago(25), 2], [ago(1), 0]]]);
    assert.deepEqual(write(-4, 2), [[[ago(25), 2], [ago(1), 3], [ago(2), 0]]]);
    assert.deepEqual(write(-1, 26), []);
    const exact = countedWrites(limits, { amount: 7, at: new Date(ago(26)) }, at("12:00:00"));
    assert.deepEqual(exact.map(({ set }) => set.hours!.get(ago(26))), [8]);
  }); // biome-ignore format: tables

  test("what was asked in the hour that ends a period does not count in it", () => {
    const night = { ...NO_LIMITS, perNight: 100, hours: new Map([[at("09:00:00").getTime(), 100]]) };
    // 06:00 in São Paulo is day again.
    assert.equal(exceeded(night, 100, at("08:59:59")), null);
  });
});

describe("what the PSP shows of a withdrawal", () => {
  const asked = (
    settings: ConstructorParameters<typeof Desk>[0] = fee(15),
    changes: Partial<RequestWithdrawal> = {},
  ) => {
    const desk = open(settings);
    desk.run("asked", requestWithdrawal, ask(changes));
    return desk.begin();
  };
  const processing = (desk: Desk) => desk.put(withdrawalsTable, WITHDRAWAL, { ...row(desk), status: "processing" });

  test("under way: its end-to-end id is kept, once", (t) => {
    const desk = processing(asked());
    desk.run("without an id", resolveWithdrawal, shown(desk, { status: "processing" }));
    desk.run("with an id", resolveWithdrawal, shown(desk, { status: "processing", e2eId: "E1" }));
    desk.run("with another", resolveWithdrawal, shown(desk, { status: "processing", e2eId: "E2" }));
    t.assert.snapshot(desk.transcript);
  });

  test("settled: what was held leaves with its fee; reported again it changes nothing", (t) => {
    const desk = processing(asked(fee(15), { externalReference: "x" }));
    const receiver = { name: "Ana", document: "11144477735" };
    const settled = shown(desk, { e2eId: "E1", receiver, settledAt: at("12:01:00") });
    desk.run("settled", resolveWithdrawal, settled);
    desk.run("reported again", resolveWithdrawal, settled);
    desk.run("reported as under way", resolveWithdrawal, shown(desk, { status: "processing" }));
    const plain = asked(fee(0));
    plain.run("settled before it was sent by us, without a fee", resolveWithdrawal, shown(plain, {}));
    const one = processing(asked(fee(1)));
    one.run("with the smallest fee", resolveWithdrawal, shown(one, {}));
    t.assert.snapshot([desk, plain, one].map(({ transcript }) => transcript).join("\n"));
  });

  test("failed: what was held is available again, and why is reported", (t) => {
    const desk = processing(asked());
    const failed = shown(desk, { status: "failed", failure: { code: "key_not_found", message: "" } });
    desk.run("failed", resolveWithdrawal, failed);
    desk.run("reported again", resolveWithdrawal, failed);
    const worded = asked();
    worded.run(
      "in the PSP's words",
      resolveWithdrawal,
      shown(worded, { status: "failed", failure: { code: "denied", message: "No." } }),
    );
    const unsaid = processing(asked());
    unsaid.run("without a reason", resolveWithdrawal, shown(unsaid, { status: "failed" }));
    t.assert.snapshot([desk, worded, unsaid].map(({ transcript }) => transcript).join("\n"));
  });

  test("refused: as failed, unless it is over", (t) => {
    const desk = processing(asked());
    desk.run("refused", resolveWithdrawal, refused(desk, "holder_mismatch", ""));
    desk.run("refused again", resolveWithdrawal, refused(desk, "denied", ""));
    const settled = processing(asked());
    settled.run("settled", resolveWithdrawal, shown(settled, {}));
    settled.run("refused after that", resolveWithdrawal, refused(settled, "denied", ""));
    t.assert.snapshot(`${desk.transcript}\n${settled.transcript}`);
  });

  test("settled after it was reported failed: the money is taken from the wallet again", (t) => {
    const desk = processing(asked());
    desk.run("failed", resolveWithdrawal, shown(desk, { status: "failed" }));
    desk.run("settled after all", resolveWithdrawal, shown(desk, { e2eId: "E1" }));
    t.assert.snapshot(desk.transcript);
  });

  test("given back in parts: each is credited once, and the last one brings the fee", (t) => {
    const desk = processing(asked());
    const parts = [back(2, 100, "12:20:00"), back(1, 285, "12:10:00")];
    desk.run(
      "given back before we knew of it",
      resolveWithdrawal,
      shown(desk, { status: "processing", returns: parts.slice(0, 1) }),
    );
    desk.run("the first part", resolveWithdrawal, shown(desk, { returns: parts.slice(0, 1) }));
    desk.run("reported again", resolveWithdrawal, shown(desk, { returns: parts.slice(0, 1) }));
    desk.run("the rest", resolveWithdrawal, shown(desk, { returns: parts }));
    desk.run("reported again", resolveWithdrawal, shown(desk, { returns: parts }));
    const atOnce = processing(asked(fee(1)));
    atOnce.run("settled", resolveWithdrawal, shown(atOnce, {}));
    const both = [back(2, 100, "12:20:00"), back(1, 299, "12:10:00")];
    atOnce.run("all of it, reported in another order", resolveWithdrawal, shown(atOnce, { returns: both }));
    const free = processing(asked(fee(0)));
    free.run("settled", resolveWithdrawal, shown(free, {}));
    free.run("without a fee", resolveWithdrawal, shown(free, { returns: [back(1, 400, "12:10:00")] }));
    t.assert.snapshot([desk, atOnce, free].map(({ transcript }) => transcript).join("\n"));
  });

  test("given back under one name gets the other when it is shown, and is not credited again", () => {
    const desk = processing(asked());
    const first = { ...back(1, 100, "12:10:00"), rtrId: undefined, id: "a" };
    desk.run("settled", resolveWithdrawal, shown(desk, { returns: [first] }));
    desk.run("credited", resolveWithdrawal, shown(desk, { returns: [first] }));
    const names = () => desk.find(returnsOfWithdrawal, WITHDRAWAL).map(({ pspId, rtrId }) => [pspId, rtrId]);
    assert.deepEqual(names(), [["a", null]]);
    desk.run("its other name alone", resolveWithdrawal, shown(desk, { returns: [back(1, 100, "12:10:00")] }));
    assert.deepEqual(names(), [["a", null]]);
    const whole = { ...back(1, 100, "12:10:00"), id: "a" };
    desk.run("both names", resolveWithdrawal, shown(desk, { returns: [whole] }));
    assert.deepEqual(names(), [["a", "D1"]]);
    assert.equal(row(desk).returnedAmount, 100);
  });

  test("what cannot be is no news, and changes nothing", () => {
    const desk = processing(asked());
    const reported = (payout: Partial<PspPayout>, changes: Partial<ResolveWithdrawal> = {}) => {
      const before = row(desk);
      const result = desk.run("reported", resolveWithdrawal, shown(desk, payout, changes));
      // Beside the case that it opens.
      assert.deepEqual({ ...row(desk), caseOpenedAt: null }, { ...before, caseOpenedAt: null });
      assert.equal(row(desk).caseOpenedAt !== null, before.caseOpenedAt !== null || result.kind === "contradiction");
      return result;
    };
    const notOurs = { kind: "not_ours" };
    assert.deepEqual(reported({}, { institutionId: object(5) }), notOurs);
    assert.deepEqual(reported({ id: "another" }), notOurs);
    assert.deepEqual(reported({}, { withdrawalId: object(6) }), notOurs);
    assert.deepEqual(reported({ amount: 1 }), {
      kind: "contradiction",
      about: "it shows 1 centavos",
      unclear: 0,
      status: "processing",
    });
    const gone = { kind: "contradiction", about: "it failed, and was given back", unclear: 0, status: "processing" };
    assert.deepEqual(reported({ status: "failed", returns: [back(1, 1, "12:10:00")] }), gone);
    desk.run("settled", resolveWithdrawal, shown(desk, {}));
    const late = {
      kind: "contradiction",
      about: "it shows it as failed, and it was completed",
      unclear: 0,
      status: "completed",
    };
    assert.deepEqual(reported({ status: "failed" }), late);
    const more = { kind: "contradiction", about: "386 centavos came back", unclear: 0, status: "completed" };
    assert.deepEqual(reported({ returns: [back(1, 386, "12:10:00")] }), more);
    desk.run("a part", resolveWithdrawal, shown(desk, { returns: [back(1, 200, "12:10:00")] }));
    assert.deepEqual(reported({ returns: [back(1, 200, "12:10:00"), back(2, 186, "12:11:00")] }), more);
    const unread = { ...more, about: "it shows a return that cannot be read" };
    assert.deepEqual(reported({ returns: [back(1, 200, "12:10:00")], unreadableReturns: 1 }), unread);
    const lost = processing(asked());
    lost.put(withdrawalsTable, WITHDRAWAL, { ...row(lost), walletId: object(7) });
    assert.equal(lost.find(walletsTable, object(7)), undefined);
    assert.throws(() => lost.run("reported", resolveWithdrawal, shown(lost, {})), /wallet that does not exist/);
  });
});
