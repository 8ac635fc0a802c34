import assert from "node:assert/strict";
import { test } from "node:test";
import { judgeTaken, type Place, type Taken } from "./judge-crowd.ts";

const BANK = "00000000-0000-4000-8000-00000000000a";
const row = (more: Partial<Taken> = {}): Taken => ({
  ...{
    account_id: "t1",
    withdrawal_id: "w1",
    status: "completed",
    amount: 1_100,
    net_amount: 1_000,
    returned_amount: 0,
  },
  ...{ psp_id: "p1", institution_id: BANK, idempotency_key: "k1", latest: null },
  ...more,
});
type Payout = Place["payouts"][number];
const payout = (more: Partial<Payout> = {}): Payout => {
  return { idEnvio: "p1", status: "REALIZADO", amountCentavos: 1_000, ...more };
};
const at = (payouts: readonly Payout[], isDead = false): Place[] => [{ institutionId: BANK, isDead, payouts }];
const CALL = { accountId: "t1", key: "k1", amount: 1_100, status: 201, body: { id: "w1" } };

test("a withdrawal that was paid once, failed unpaid, or whose end only a dead bank knows is no finding", () => {
  const waiting = row({ status: "processing", latest: "no_bank_id" });
  for (const [taken, places] of [
    [row(), at([payout()])],
    [row(), at([payout({ idEnvio: "x", own: { descricao: "p1" } }), payout({ prepared: true })])],
    [row({ status: "failed" }), at([payout({ status: "NAO_REALIZADO" })])],
    [row({ status: "failed" }), at([])],
    [row({ status: "processing" }), at([payout()], true)],
    [waiting, at([payout({ prepared: true })])],
  ] as const)
    assert.deepEqual(judgeTaken([CALL], [taken], places), [], JSON.stringify([taken, places]));
});

test("one that was paid twice, elsewhere, wrongly or not as booked is a finding", () => {
  const other: Place = { institutionId: "other", isDead: false, payouts: [payout()] };
  for (const [taken, places, says] of [
    [row(), at([payout(), payout()]), /asked 2 times/],
    [row(), [...at([payout()]), other], /also at another bank/],
    [row(), at([payout({ amountCentavos: 999 })]), /another amount/],
    [row(), at([]), /is completed/],
    [row({ status: "failed" }), at([payout()]), /is failed/],
    [row({ status: "failed" }), at([payout({ status: "EM_PROCESSAMENTO" })], true), /is failed/],
    [row({ status: "processing" }), at([payout()]), /is processing/],
    [row({ status: "processing", latest: "no_bank_id" }), at([payout()]), /is processing/],
    [row({ returned_amount: 1 }), at([payout()]), /is completed/],
    [row({ amount: 1_200 }), at([payout()]), /not in its books as that/],
  ] as const)
    assert.match(judgeTaken([CALL], [taken], places).join("; "), says, JSON.stringify([taken, places]));
  const twice = [row(), row({ withdrawal_id: "w2", psp_id: "p2" })];
  const both = at([payout(), payout({ idEnvio: "p2" })]);
  assert.match(judgeTaken([CALL], twice, both).join(), /key t1 k1 made 2 withdrawals/);
});
