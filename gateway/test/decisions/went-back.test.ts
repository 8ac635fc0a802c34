/** What goes back of a Pix: never more than was paid, and never by the word of a bank that does not hold it. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { settleCharge } from "../../src/charges/settle.ts";
import { type BlockBalance, blockBalance } from "../../src/claims/blocks/block-balance.ts";
import { applyCase } from "../../src/claims/blocks/case.ts";
import { claimedOf, claimedPixTable, sumOf, wentBack } from "../../src/claims/pix.ts";
import { requestRefund } from "../../src/claims/refunds/request.ts";
import { finishReturn } from "../../src/claims/returns/finish.ts";
import { bookPspReturn } from "../../src/claims/returns/psp-made.ts";
import type { PspReturn } from "../../src/psp/psp.ts";
import { keepUnmatched } from "../../src/unmatched/keep.ts";
import { ACCOUNT, at, BANK, CHARGE, Desk, object } from "./desk.ts";

const OTHER = object(0xff);
const of = { accountId: ACCOUNT, e2eId: "E1", institutionId: BANK, environment: "sandbox" as const };
const PAID = 1_000;

/** A Pix for a charge of 10: credited, or on its way back where the amount differs. */
function paid(amount = PAID): Desk {
  const desk = new Desk().charge();
  const pix = { e2eId: "E1", txid: "txid", amount, paidAt: at("11:30:00"), returns: [] };
  desk.run("paid", settleCharge, { ...of, chargeId: CHARGE, pix });
  return desk.begin();
}
const pixOf = (desk: Desk) => desk.find(claimedPixTable, "E1");
const back = (id: string, rtrId: string | undefined, amount: number, med = false): PspReturn => ({
  ...{ id, rtrId, amount, status: "settled", med, settledAt: at("12:06:00") },
});
const show = (desk: Desk, shown: PspReturn, institutionId = BANK, all: readonly PspReturn[] = [shown]) =>
  desk.run("shown", bookPspReturn, { ...of, institutionId, shown: shown, all });
const finish = (desk: Desk, n: number, settled: boolean, rtrId: string | null = `D${n}`) => {
  const row = pixOf(desk).returns[n];
  const end = settled
    ? { kind: "settled" as const, rtrId, settledAt: at("12:05:00") }
    : { kind: "failed" as const, reason: "no" };
  return row && desk.run("ended", finishReturn, { ...of, pspId: row.pspId, amount: row.amount, end });
};
const refund = (desk: Desk, n: number, amount: number | null = null) =>
  desk.run("refund", requestRefund, {
    ...{ accountId: ACCOUNT, walletId: ACCOUNT, refundId: object(n), chargeId: CHARGE, e2eId: "E1" },
    ...{ pspProvider: "simulator", inParts: true, amount, reason: null, idempotencyKey: null },
  });
/** Centavos that left the bank, by the transfers of everything that was decided since `begin`. */
const left = ({ transcript }: Desk): number =>
  [...transcript.matchAll(/-> psp:?\S*: (\S+) /g)].reduce((sum, [, brl]) => sum + Math.round(Number(brl) * 100), 0);
/** Fails when it writes or moves anything. */
function nothing<T>(desk: Desk, act: () => T): T {
  desk.begin();
  const result = act();
  assert.doesNotMatch(desk.transcript, /->|insert|update/);
  return result;
}

describe("a return that a bank shows", () => {
  for (const [name, amount] of [
    ["a credited Pix", PAID],
    ["one that is on its way back", PAID + 1],
  ] as const) {
    test(`of ${name} is booked up to the last centavo of it, and beyond that contradicts the books`, () => {
      const whole = paid(amount);
      assert.equal(nothing(whole, () => show(whole, back("a", "Da", amount + 1))), "contradiction");
      assert.equal(show(whole, back("a", "Da", amount)), "booked");
      assert.equal(nothing(whole, () => show(whole, back("b", "Db", 1))), "contradiction");
      const parts = paid(amount);
      show(parts, back("a", "Da", amount - 2));
      assert.equal(nothing(parts, () => show(parts, back("b", "Db", 3))), "contradiction");
      assert.equal(show(parts, back("b", "Db", 2)), "booked");
      assert.equal(wentBack(pixOf(parts)), amount);
    }); // biome-ignore format: pairs

    test(`of ${name}, after which ours is settled all the same: that is not booked too`, () => {
      const desk = paid(amount);
      if (amount === PAID) refund(desk, 1);
      assert.equal(show(desk, back("a", "Da", 1)), "booked");
      assert.equal(pixOf(desk).returns[0]!.status, "failed");
      assert.equal(
        nothing(desk, () => finish(desk, 0, true)),
        null,
      );
      const { pspId } = pixOf(desk).returns[0]!;
      assert.equal(
        nothing(desk, () => show(desk, back(pspId, "D0", amount))),
        "contradiction",
      );
    });
  }

  test("by a bank that does not hold the Pix moves nothing, nor does its end of ours, nor its MED case", () => {
    const desk = paid();
    refund(desk, 1);
    assert.equal(
      nothing(desk, () => show(desk, back("a", "Da", 1), OTHER)),
      "nothing",
    );
    const { pspId, amount } = pixOf(desk).returns[0]!;
    const end = { kind: "settled" as const, rtrId: null, settledAt: null };
    const told = { ...of, institutionId: OTHER, pspId, amount, end };
    assert.equal(
      nothing(desk, () => desk.run("ended", finishReturn, told)),
      null,
    );
    const shown = { id: "case", e2eId: "E1", amount: 1, status: "open" as const };
    assert.equal(
      nothing(desk, () => desk.run("case", applyCase, { ...of, institutionId: OTHER, shown: shown })),
      "not_credited",
    );
  });

  test("under one id with another is booked where the network's ids differ, and else a contradiction", () => {
    const desk = paid();
    const [one, two, bare] = [back("a", "D1", 300), back("a", "D2", 100), back("a", undefined, 7)];
    assert.deepEqual([show(desk, one, BANK, [one, two]), show(desk, two, BANK, [one, two])], ["booked", "booked"]);
    assert.deepEqual([show(desk, two, BANK, [two]), show(desk, bare, BANK, [bare])], ["already", "already"]);
    const other = paid();
    assert.equal(show(other, back("a", undefined, 300), BANK, [back("a", undefined, 300), bare]), "booked");
    const all = [back("a", undefined, 300), bare];
    assert.equal(
      nothing(other, () => show(other, bare, BANK, all)),
      "contradiction",
    );
    const ours = paid();
    refund(ours, 1);
    finish(ours, 0, true, "D1");
    assert.equal(
      nothing(ours, () => finish(ours, 0, true, "D2")),
      null,
    );
    assert.equal(
      nothing(ours, () => show(ours, back(pixOf(ours).returns[0]!.pspId, "D2", PAID))),
      "contradiction",
    );
  });
});

test("a Pix that another bank has is neither kept nor settled at this one", () => {
  const desk = paid();
  const pix = { e2eId: "E1", txid: "txid", amount: PAID, paidAt: at("11:30:00"), returns: [] };
  const command = { ...of, institutionId: OTHER, chargeId: CHARGE, pix };
  const contradiction = { outcome: "contradiction", already: true };
  assert.deepEqual(
    nothing(desk, () => desk.run("settled", settleCharge, command)),
    contradiction,
  );
  const keep = { accountId: ACCOUNT, institutionId: OTHER, pix, reason: "no_txid" as const };
  assert.deepEqual(
    nothing(desk, () => desk.run("kept", keepUnmatched, keep)),
    contradiction,
  );
});

const step = fc.oneof(
  fc.record({
    do: fc.constant("refund" as const),
    amount: fc.oneof(fc.constant(null), fc.constantFrom(1, 400, 600, PAID)),
  }),
  fc.record({
    do: fc.constant("end" as const),
    n: fc.nat(2),
    settled: fc.boolean(),
    rtrId: fc.constantFrom("D1", "D2"),
  }),
  fc.record({
    do: fc.constant("return" as const),
    id: fc.constantFrom("a", "b", "c"),
    rtrId: fc.constantFrom(undefined, "D1", "D2", "D3"),
    amount: fc.integer({ min: 1, max: PAID + 200 }),
    med: fc.boolean(),
    by: fc.constantFrom(BANK, BANK, BANK, OTHER),
  }),
  fc.record({
    do: fc.constant("case" as const),
    amount: fc.integer({ min: 1, max: PAID }),
    status: fc.constantFrom("open" as const, "accepted" as const, "rejected" as const),
  }),
  fc.record({ do: fc.constant("order" as const), amount: fc.integer({ min: 1, max: PAID }) }),
);

const order = (n: number, amount: number): BlockBalance => ({
  ...{ accountId: ACCOUNT, actor: "operator", blockId: object(n), walletId: ACCOUNT, blockType: "judicial", amount },
  ...{
    institutionId: BANK,
    environment: "sandbox",
    chargeId: CHARGE,
    e2eId: "E1",
    referenceNumber: null,
    reason: null,
  },
});

test("what went back never exceeds the payment, whatever order and whoever reports it", () => {
  fc.assert(
    fc.property(fc.constantFrom(PAID, PAID + 1), fc.array(step, { maxLength: 12 }), (amount, steps) => {
      const desk = paid(amount);
      steps.forEach((one, i) => {
        if (one.do === "refund") refund(desk, 1 + i, one.amount);
        else if (one.do === "end") finish(desk, one.n, one.settled, one.rtrId);
        else if (one.do === "order") desk.run("order", blockBalance, order(100 + i, one.amount));
        else if (one.do === "case") {
          const shown = { id: "case", e2eId: "E1", amount: one.amount, status: one.status };
          desk.run("case", applyCase, { ...of, shown: shown });
        } else show(desk, back(one.id, one.rtrId, one.amount, one.med), one.by);
        const pix = pixOf(desk);
        const sent = sumOf(pix.returns.filter(({ status }) => status === "confirmed"));
        assert.ok(wentBack(pix) <= amount, `${wentBack(pix)} went back`);
        assert.ok(sent <= amount, `${sent} was sent back`);
        assert.ok(left(desk) <= amount, `${left(desk)} left the bank`);
        assert.ok(claimedOf(pix) <= amount, `${claimedOf(pix)} is claimed`);
      });
    }),
    { numRuns: 2_000 },
  );
});
