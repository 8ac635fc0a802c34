/** Refunds of a part of a payment: how much of it, and what becomes of them when disputes, returns and repeats come between. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { settleCharge } from "../../src/charges/settle.ts";
import { type BlockBalance, blockBalance, resolveBlock } from "../../src/claims/blocks/block-balance.ts";
import { applyCase } from "../../src/claims/blocks/case.ts";
import { settleBlock } from "../../src/claims/blocks/settle.ts";
import { claimedOf, claimedPixTable, wentBack } from "../../src/claims/pix.ts";
import { type RequestRefund, requestRefund } from "../../src/claims/refunds/request.ts";
import { finishReturn } from "../../src/claims/returns/finish.ts";
import { type ForceReturn, forceReturn } from "../../src/claims/returns/force.ts";
import { bookPspReturn } from "../../src/claims/returns/psp-made.ts";
import { ApiError } from "../../src/http/errors.ts";
import { available } from "../../src/ledger/chart.ts";
import { ACCOUNT, at, BANK, CHARGE, Desk, object } from "./desk.ts";

const of = { accountId: ACCOUNT, e2eId: "E1", institutionId: BANK, environment: "sandbox" as const };
const PAID = 1_000;

/** A payment of 10, with a refund fee of 7 centavos and 5 % unless there is none. */
function paid(fee = { fixed: 0, percentBps: 0 }): Desk {
  const desk = new Desk({ fees: { refund: fee } }).charge();
  const pix = { e2eId: "E1", txid: "txid", amount: PAID, paidAt: at("11:30:00"), returns: [] };
  desk.run("paid", settleCharge, { ...of, chargeId: CHARGE, pix });
  return desk.begin();
}
const pixOf = (desk: Desk) => desk.find(claimedPixTable, "E1");
const ask = (desk: Desk, n: number, amount: number | null, changes: Partial<RequestRefund> = {}) =>
  desk.run("asked", requestRefund, {
    ...{ accountId: ACCOUNT, walletId: ACCOUNT, refundId: object(n), chargeId: CHARGE, e2eId: "E1", inParts: true },
    ...{ pspProvider: "simulator", amount, reason: null, idempotencyKey: null, ...changes },
  });
/** Makes a refund, which must be accepted. */
function made(desk: Desk, n: number, amount: number | null): void {
  const result = ask(desk, n, amount);
  assert.equal(result instanceof ApiError, false, String(result));
}
/** Asks for a refund that must be refused, and change nothing. */
function refused(desk: Desk, amount: number | null, changes: Partial<RequestRefund> = {}): [string, object] {
  desk.begin();
  const result = ask(desk, 0xfe, amount, changes);
  assert.ok(result instanceof ApiError, JSON.stringify(result));
  assert.doesNotMatch(desk.transcript, /->|insert|update/);
  return [result.code, result.details];
}
const finish = (desk: Desk, n: number, settled: boolean) => {
  const row = pixOf(desk).returns.find(({ returnId }) => returnId === object(n))!;
  const end = settled
    ? { kind: "settled" as const, rtrId: `D${n}`, settledAt: at("12:05:00") }
    : { kind: "failed" as const, reason: "no" };
  return desk.run("ended", finishReturn, { ...of, pspId: row.pspId, amount: row.amount, end });
};
const show = (desk: Desk, id: string, amount: number, med = false) => {
  const shown = { id, rtrId: `D${id}`, amount, status: "settled" as const, med, settledAt: at("12:06:00") };
  return desk.run("shown", bookPspReturn, { ...of, shown });
};
const listed = (desk: Desk, amount: number, status: "open" | "accepted" | "rejected") =>
  desk.run(status, applyCase, { ...of, shown: { id: "case", e2eId: "E1", amount, status } });
const order = (amount: number): BlockBalance => ({
  ...{ accountId: ACCOUNT, actor: "operator", blockId: object(0x50), walletId: ACCOUNT, blockType: "judicial", amount },
  ...{ institutionId: BANK, environment: "sandbox", chargeId: CHARGE, e2eId: "E1", referenceNumber: null, reason: null },
}); // biome-ignore format: pairs
/** Marks the refund's return as one that may have left. */
const sent = (desk: Desk, n: number) => {
  const pix = pixOf(desk);
  const returns = pix.returns.map((one) => (one.returnId === object(n) ? { ...one, status: "sending" as const } : one));
  desk.put(claimedPixTable, "E1", { ...pix, returns });
}; // biome-ignore format: one line each
/** The statuses of refunds, with what each gives back, and of blocks with what each holds. */
const standing = (desk: Desk) => {
  const { refunds, blocks } = pixOf(desk);
  return [
    refunds.map(({ status, amount, late }) => `${status} ${amount}${late ? " late" : ""}`),
    blocks.map(({ status, heldAmount, takenAmount }) => `${status} ${heldAmount} ${takenAmount}`),
  ];
};

describe("a refund of a part", () => {
  test("gives it back with the fee of it, and others follow until nothing is left", () => {
    const desk = paid({ fixed: 7, percentBps: 500 });
    made(desk, 1, 400);
    assert.deepEqual(pixOf(desk).refunds.map(({ amount, feeAmount }) => [amount, feeAmount]), [[400, 27]]);
    assert.equal(pixOf(desk).returns[0]!.amount, 400);
    assert.deepEqual(refused(desk, 1), ["REFUND_ALREADY_EXISTS", { refundTransactionId: object(1) }]);
    finish(desk, 1, true);
    assert.match(desk.transcript, /held:ACCOUNT -> psp:BANK: 4 refund_sent/);
    assert.match(desk.transcript, /held:ACCOUNT -> fees:: 0.27 refund_fee/);
    assert.deepEqual(refused(desk, 601), ["REFUND_EXCEEDS_PAYMENT", { left: 6 }]);
    assert.deepEqual(refused(desk, null), ["INSUFFICIENT_BALANCE", { available: 5.73, required: 6.37 }]);
    made(desk, 2, 500);
    finish(desk, 2, true);
    const done = paid();
    made(done, 1, 999);
    finish(done, 1, true);
    made(done, 2, null);
    finish(done, 2, true);
    assert.deepEqual(standing(done), [["confirmed 999", "confirmed 1"], []]);
    assert.deepEqual(refused(done, null), ["REFUND_ALREADY_EXISTS", { refundTransactionId: object(2) }]);
    assert.equal(wentBack(pixOf(done)), PAID);
  }); // biome-ignore format: pairs

  test("that fails leaves its part to another, and counts for none of the twenty", () => {
    const desk = paid();
    made(desk, 1, 600);
    finish(desk, 1, false);
    made(desk, 2, 600);
    finish(desk, 2, true);
    for (let n = 3; n <= 20; n += 1) {
      made(desk, n, 1);
      finish(desk, n, true);
    }
    // The twentieth leaves nothing, so no rest is ever out of reach.
    assert.deepEqual(refused(desk, 1), ["TRANSACTION_NOT_REFUNDABLE", { limit: 20 }]);
    made(desk, 21, null);
    assert.deepEqual(standing(desk)[0]!.at(-1), "pending 382");
  });

  test("is ended by operators as by the bank, and lets a dispute that it had taken over come back", () => {
    const decided = (desk: Desk, outcome: ForceReturn["outcome"]) => {
      const command = { ...of, returnId: object(1), proposalId: object(9), actor: "ana", outcome };
      const result = desk.run("forced", forceReturn, command);
      assert.equal(result instanceof ApiError, false, String(result));
      return standing(desk);
    };
    const part = paid();
    made(part, 1, 400);
    assert.deepEqual(decided(part, { to: "completed" }), [["confirmed 400"], []]);
    const whole = paid();
    listed(whole, 600, "open");
    made(whole, 1, null);
    const ended = [["error 1000"], ["rejected 0 0", "awaiting_response 600 0"]];
    assert.deepEqual(decided(whole, { to: "failed", reason: "no" }), ended);
  });

  test("is refused where the bank makes no returns in parts, and the whole is not", () => {
    const desk = paid();
    const needs = { institutionId: BANK, accountId: ACCOUNT, needs: "returns in parts" };
    assert.deepEqual(refused(desk, 1, { inParts: false }), ["NOT_SUPPORTED_BY_INSTITUTION", needs]);
    assert.equal(ask(desk, 1, PAID, { inParts: false }) instanceof ApiError, false);
    const gone = paid();
    show(gone, "a", 1);
    assert.deepEqual(refused(gone, null, { inParts: false }), ["NOT_SUPPORTED_BY_INSTITUTION", needs]);
  });

  test("under a MED case takes what the case leaves, or all with what it holds, and nothing between", () => {
    const desk = paid();
    listed(desk, 600, "open");
    assert.deepEqual(refused(desk, 401), ["TRANSACTION_NOT_REFUNDABLE", { free: 4, left: 10 }]);
    made(desk, 1, 400);
    finish(desk, 1, true);
    assert.deepEqual(standing(desk), [["confirmed 400"], ["awaiting_response 600 0"]]);
    made(desk, 2, null);
    assert.deepEqual(standing(desk), [["confirmed 400", "pending 600"], ["rejected 0 0"]]);
    finish(desk, 2, false);
    assert.deepEqual(standing(desk)[1], ["rejected 0 0", "awaiting_response 600 0"]);
    listed(desk, 600, "accepted");
    assert.equal(show(desk, "a", 600, true), "booked");
    assert.deepEqual(standing(desk)[1], ["rejected 0 0", "approved 0 600"]);
    assert.deepEqual(refused(desk, null), ["REFUND_ALREADY_EXISTS", { refundTransactionId: object(1) }]);
  });

  test("lowers no case that is listed later and that the payment still covers, also when it was settled late", () => {
    for (const late of [false, true]) {
      const desk = paid();
      made(desk, 1, 400);
      if (late) finish(desk, 1, false);
      finish(desk, 1, true);
      assert.equal(listed(desk, 600, "open"), "blocked");
      assert.deepEqual(standing(desk), [[`confirmed 400${late ? " late" : ""}`], ["awaiting_response 600 0"]]);
    }
  });

  test("is not made while an order holds a part", () => {
    const desk = paid();
    desk.run("ordered", blockBalance, order(1));
    assert.equal(refused(desk, 1)[0], "TRANSACTION_NOT_REFUNDABLE");
  });
});

describe("a return that the bank makes by itself", () => {
  test("leaves a refund under way that it leaves enough for, and ends one that it does not", () => {
    const desk = paid();
    made(desk, 1, 400);
    assert.equal(show(desk, "a", 600, true), "booked");
    assert.deepEqual(standing(desk), [["pending 400"], ["approved 0 600"]]);
    assert.equal(pixOf(desk).returns[0]!.status, "pending");
    finish(desk, 1, true);
    assert.equal(wentBack(pixOf(desk)), PAID);
    assert.equal(show(desk, "b", 1), "contradiction");
    const short = paid();
    made(short, 1, 400);
    assert.equal(show(short, "a", 601, true), "booked");
    assert.deepEqual(standing(short), [["error 400"], ["approved 0 601"]]);
  });

  test("leaves the rest to a refund: all of it, and not a centavo more", () => {
    const desk = paid();
    show(desk, "a", 250);
    assert.deepEqual(refused(desk, 751), ["REFUND_EXCEEDS_PAYMENT", { left: 7.5 }]);
    made(desk, 1, null);
    assert.deepEqual(standing(desk)[0], ["pending 750"]);
    finish(desk, 1, true);
    assert.equal(wentBack(pixOf(desk)), PAID);
    assert.equal(claimedOf(pixOf(desk)), PAID);
  });

  test("out of a case's block lowers what comes back of it when a refund that took it over fails", () => {
    const desk = paid();
    listed(desk, 600, "open");
    show(desk, "a", 200);
    assert.deepEqual(standing(desk)[1], ["awaiting_response 400 200"]);
    made(desk, 1, null);
    assert.deepEqual(standing(desk), [["pending 800"], ["rejected 0 200"]]);
    finish(desk, 1, false);
    assert.deepEqual(standing(desk)[1], ["rejected 0 200", "awaiting_response 400 0"]);
  });
});

describe("a refund that failed and was settled all the same", () => {
  test("ends its repeat where nothing of that has left, so that the payer does not get both", () => {
    const desk = paid();
    made(desk, 1, 400);
    finish(desk, 1, false);
    made(desk, 2, 400);
    finish(desk, 1, true);
    assert.deepEqual(standing(desk)[0], ["confirmed 400 late", "error 400"]);
    assert.equal(wentBack(pixOf(desk)), 400);
    made(desk, 3, null);
    assert.deepEqual(standing(desk)[0]!.at(-1), "pending 600");
  });

  test("leaves a repeat under way that may have left and fits, and ends one that does not fit any more", () => {
    const fits = paid();
    made(fits, 1, 400);
    finish(fits, 1, false);
    made(fits, 2, 600);
    sent(fits, 2);
    finish(fits, 1, true);
    assert.deepEqual(standing(fits)[0], ["confirmed 400 late", "pending 600"]);
    finish(fits, 2, true);
    assert.equal(wentBack(pixOf(fits)), PAID);
    const short = paid();
    made(short, 1, 400);
    finish(short, 1, false);
    made(short, 2, 601);
    sent(short, 2);
    finish(short, 1, true);
    assert.deepEqual(standing(short)[0], ["confirmed 400 late", "error 601"]);
  });

  test("is paid by what no block holds, and by a block only beyond that", () => {
    const beside = paid();
    made(beside, 1, 400);
    finish(beside, 1, false);
    listed(beside, 600, "open");
    finish(beside, 1, true);
    assert.deepEqual(standing(beside), [["confirmed 400 late"], ["awaiting_response 600 0"]]);
    const beyond = paid();
    made(beyond, 1, 400);
    finish(beyond, 1, false);
    listed(beyond, 700, "open");
    finish(beyond, 1, true);
    assert.deepEqual(standing(beyond), [["confirmed 400 late"], ["awaiting_response 600 100"]]);
    assert.equal(claimedOf(pixOf(beyond)), PAID);
  });
});

describe("an open or accepted dispute stays held", () => {
  const balance = (desk: Desk) => desk.balance(available(ACCOUNT));

  test("when a late refund uses a part of it: the bank's return is still to come, and is missed", () => {
    for (const acceptedFirst of [false, true]) {
      const desk = paid();
      made(desk, 1, 600);
      finish(desk, 1, false);
      listed(desk, PAID, acceptedFirst ? "accepted" : "open");
      finish(desk, 1, true);
      if (!acceptedFirst) listed(desk, PAID, "accepted");
      const refund = { rtrId: "D1", amount: 600, status: "settled" as const, med: null, settledAt: at("12:05:00") };
      const poll = () => {
        const [pix, block] = [pixOf(desk), pixOf(desk).blocks[0]!];
        const all = [{ ...refund, id: pix.returns[0]!.pspId }];
        return desk.run("queried", settleBlock, { ...of, blockId: block.blockId, shown: all });
      };
      assert.equal(poll(), "awaited");
      assert.deepEqual(standing(desk), [["confirmed 600 late"], ["approved 400 600"]]);
      assert.equal(balance(desk), 0);
      // The bank returns what it has left for the case.
      assert.equal(show(desk, "a", 400, true), "booked");
      assert.deepEqual(standing(desk)[1], ["approved 0 1000"]);
      assert.equal(balance(desk), 0);
    }
  });

  test("and undecided when a late refund uses all of it, and what that used is held again if a repeat fails", () => {
    const desk = paid();
    made(desk, 1, 500);
    finish(desk, 1, false);
    made(desk, 2, 500);
    sent(desk, 2);
    listed(desk, 500, "open");
    desk.begin();
    finish(desk, 1, true);
    assert.deepEqual(standing(desk)[1], ["awaiting_response 0 500", "rejected 0 0"]);
    assert.doesNotMatch(desk.transcript, /balance_block_approved/);
    finish(desk, 2, false);
    assert.deepEqual(standing(desk)[1]!.at(-1), "awaiting_response 500 0");
    listed(desk, 500, "accepted");
    assert.equal(show(desk, "a", 500, true), "booked");
    assert.deepEqual(standing(desk)[1], ["approved 0 500", "rejected 0 0", "approved 0 500"]);
    assert.equal(balance(desk), 0);
    assert.equal(wentBack(pixOf(desk)), PAID);
  });

  test("in full when a refund fails that was under way as the dispute was listed, however often that is shown", () => {
    for (const amount of [400, PAID]) {
      for (const status of ["open", "accepted"] as const) {
        const desk = paid();
        made(desk, 1, amount);
        for (let times = 0; times < 2; times += 1) listed(desk, PAID, status);
        const rest = amount === PAID ? [] : [`${status === "open" ? "awaiting_response" : "approved"} 600 0`];
        assert.deepEqual(standing(desk)[1], [...rest, "rejected 0 0"]);
        finish(desk, 1, false);
        assert.deepEqual(standing(desk)[1], [...rest, "rejected 0 0", `awaiting_response ${amount} 0`]);
        assert.equal(balance(desk), 0);
        listed(desk, PAID, "accepted");
        assert.equal(show(desk, "a", PAID, true), "booked");
        assert.deepEqual(
          pixOf(desk).blocks.filter(({ status }) => status === "approved").map(({ takenAmount }) => takenAmount),
          rest.length > 0 ? [600, 400] : [PAID],
        );
        assert.equal(balance(desk), 0);
        const refusedCase = paid();
        made(refusedCase, 1, amount);
        listed(refusedCase, PAID, "open");
        finish(refusedCase, 1, false);
        listed(refusedCase, PAID, "rejected");
        assert.equal(balance(refusedCase), PAID);
      }
    }
  }); // biome-ignore format: pairs

  test("from its beginning when it is refused and begins again: what a late refund used of it is not returned for it", () => {
    const used = (amount: number, contested: number, beside: (desk: Desk) => void = () => {}): Desk => {
      const desk = paid();
      made(desk, 1, amount);
      finish(desk, 1, false);
      beside(desk);
      listed(desk, contested, "open");
      finish(desk, 1, true);
      return desk;
    };
    const ofOrder = (desk: Desk) => void desk.run("ordered", blockBalance, order(500));
    const lift = (desk: Desk) => {
      const { accountId, blockId, walletId, institutionId, e2eId } = pixOf(desk).blocks[0]!;
      const end = { actor: "operator", outcome: "rejected" as const, resolutionReason: null, resolutionText: null };
      desk.run("lifted", resolveBlock, { accountId, blockId, walletId, institutionId, e2eId, ...end });
    };
    for (const status of ["open", "accepted"] as const) {
      const desk = used(500, 500, ofOrder);
      listed(desk, 500, "rejected");
      lift(desk);
      listed(desk, 500, status);
      const begun = status === "open" ? "awaiting_response" : "approved";
      assert.deepEqual(standing(desk)[1], ["rejected 0 0", "rejected 0 500", `${begun} 500 0`]);
    }
    const lifted = used(600, PAID);
    listed(lifted, PAID, "accepted");
    listed(lifted, PAID, "rejected");
    assert.deepEqual(standing(lifted)[1], ["rejected 0 600"]);
    assert.equal(balance(lifted), 400);
  });

  test("but holds nothing again when that refund is settled", () => {
    const desk = paid();
    made(desk, 1, 400);
    listed(desk, PAID, "open");
    finish(desk, 1, true);
    assert.deepEqual(standing(desk), [["confirmed 400"], ["awaiting_response 600 0", "rejected 0 0"]]);
    assert.equal(balance(desk), 0);
  });
});
