import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chargesTable } from "../../src/charges/charge.ts";
import { offSince, type QrCodeRow, qrCodesTable } from "../../src/charges/qr-codes/qr-code.ts";
import { settleCode } from "../../src/charges/settle-code.ts";
import { receivedPixTable } from "../../src/claims/received-pix.ts";
import { available, fees as feesOf, psp, returns } from "../../src/ledger/chart.ts";
import type { PspPix } from "../../src/psp/psp.ts";
import { ACCOUNT, at, BANK, Desk, object, SUB } from "./desk.ts";

const CODE = object(1);
const code = (changes: Partial<QrCodeRow> = {}): QrCodeRow => ({
  accountId: ACCOUNT,
  qrCodeId: CODE,
  walletId: SUB,
  institutionId: BANK,
  name: "Table 4",
  amount: null,
  description: null,
  projectId: object(2),
  metadata: { table: 4 },
  txid: "code",
  pixCopyPaste: "000201",
  closedAt: null,
  offPeriods: [],
  ...changes,
});
const pix = (changes: Partial<PspPix> = {}): PspPix => ({
  e2eId: "E1",
  txid: "code",
  amount: 1_000,
  paidAt: at("11:30:00"),
  returns: [],
  ...changes,
});
type Command = Parameters<typeof settleCode.decide>[0];
const settle = (changes: Partial<Command> = {}): Command => ({
  accountId: ACCOUNT,
  chargeId: object(3),
  qrCodeId: CODE,
  institutionId: BANK,
  environment: "sandbox",
  pix: pix(),
  ...changes,
});
const desk = (of: Partial<QrCodeRow> = {}, settings: ConstructorParameters<typeof Desk>[0] = {}) =>
  new Desk(settings).put(qrCodesTable, CODE, code(of));

describe("settling a Pix of a static code", () => {
  test("makes its charge and credits it in one decision; the same Pix again makes no other", () => {
    const paid = desk({}, { fees: { charge: { fixed: 50, percentBps: 0 } } });
    assert.deepEqual(paid.run("paid", settleCode, settle()), { outcome: "credited", already: false });
    const charge = paid.find(chargesTable, object(3));
    const wanted = {
      ...{ status: "completed", amount: 1_000, walletId: SUB, qrCodeId: CODE, projectId: object(2), txid: "code" },
      ...{ metadata: { table: 4 }, description: "Table 4", institutionId: BANK, pixCopyPaste: "000201" },
      ...{ pinned: false, expiresIn: 0, expiresAt: paid.now, createdAt: paid.now, paidAfterExpiry: false },
    };
    assert.deepEqual({ ...charge, ...wanted }, charge);
    const again = paid.run("reported again", settleCode, settle({ chargeId: object(4) }));
    assert.equal(again.outcome, "credited");
    assert.equal(again.already, true);
    assert.equal(again.chargeId, object(3));
    assert.equal(paid.all(chargesTable).length, 1);
    assert.deepEqual(
      [available(SUB), available(ACCOUNT), feesOf, psp(BANK)].map((name) => paid.balance(name) + 0),
      [950, 0, 50, -1_000],
    );
  });

  test("two Pix are two charges, each with its own amount and the code's description", () => {
    const paid = desk({ description: "Lunch" });
    paid.run("first", settleCode, settle());
    paid.run("second", settleCode, settle({ chargeId: object(4), pix: pix({ e2eId: "E2", amount: 7 }) }));
    assert.deepEqual(
      paid.all(chargesTable).map(({ amount, description }) => [amount, description]),
      [
        [1_000, "Lunch"],
        [7, "Lunch"],
      ],
    );
    assert.equal(paid.balance(available(SUB)), 1_007);
  });

  test("of a code with an amount, another one goes back", () => {
    for (const [amount, outcome] of [
      [1_000, "credited"],
      [999, "blocked"],
      [1_001, "blocked"],
    ] as const) {
      const fixed = desk({ amount: 1_000 });
      assert.equal(fixed.run("paid", settleCode, settle({ pix: pix({ amount }) })).outcome, outcome);
      const { status, amount: asked } = fixed.find(chargesTable, object(3));
      assert.deepEqual([status, asked], [outcome === "credited" ? "completed" : "failed", 1_000]);
      assert.equal(fixed.balance(available(SUB)), outcome === "credited" ? amount : 0);
      assert.equal(fixed.balance(returns), outcome === "credited" ? 0 : amount);
    }
  });

  test("belongs to nobody where its txid or its institution is another, or the code does not exist", () => {
    const others: readonly Partial<Command>[] = [
      { pix: pix({ txid: "other" }) },
      { institutionId: object(9) },
      { qrCodeId: object(8) },
      { qrCodeId: object(8), assigned: true },
    ];
    for (const other of others) {
      const shown = desk();
      assert.deepEqual(shown.run("paid", settleCode, settle(other)), { outcome: "unmatched", already: false });
      assert.deepEqual([shown.all(chargesTable), shown.all(receivedPixTable)], [[], []]);
    }
    const assigned = desk().run("assigned", settleCode, settle({ assigned: true, pix: pix({ txid: "other" }) }));
    assert.equal(assigned.outcome, "credited");
  });

  test("is late by its own time, and only while the code was off", () => {
    const off = [[at("10:00:00").toISOString(), at("11:00:00").toISOString()]] as const;
    const outcomes = (of: Partial<QrCodeRow>, paidAt: string) =>
      (["credit", "return"] as const).map((latePayments) => {
        const paid = desk(of, { latePayments });
        const { outcome } = paid.run("paid", settleCode, settle({ pix: pix({ paidAt: at(paidAt) }) }));
        const { paidAfterExpiry, blockedReason } = paid.find(chargesTable, object(3)) as never;
        return [outcome, paidAfterExpiry, blockedReason];
      });
    const inTime = [
      ["credited", false, null],
      ["credited", false, null],
    ];
    const late = [
      ["credited", true, null],
      ["blocked", false, "late_payment"],
    ];
    assert.deepEqual(outcomes({ closedAt: at("11:00:00") }, "11:00:00"), inTime);
    assert.deepEqual(outcomes({ closedAt: at("11:00:00") }, "11:00:00.001"), late);
    assert.deepEqual(outcomes({ offPeriods: off }, "10:00:00"), inTime);
    assert.deepEqual(outcomes({ offPeriods: off }, "10:59:59.999"), late);
    assert.deepEqual(outcomes({ offPeriods: off }, "11:00:00"), inTime);
    assert.deepEqual(outcomes({ offPeriods: off, closedAt: at("11:15:00") }, "11:30:00"), late);
  });

  test("waits for its payer where the policy depends on who paid, and makes no charge meanwhile", () => {
    const waiting = desk({}, { blockCnpjPayers: true });
    const awaited = waiting.run("polled", settleCode, settle({ payerMayCome: true }));
    assert.deepEqual(awaited, { outcome: "awaiting_payer", already: false });
    assert.deepEqual([waiting.all(chargesTable), waiting.all(receivedPixTable)], [[], []]);
    assert.equal(waiting.run("nobody named", settleCode, settle()).outcome, "credited");
  });
});

test("a code that is on again remembers since when it was off", () => {
  const [from, to] = [at("10:00:00"), at("11:00:00")];
  const reopened = { closedAt: at("12:00:00"), offPeriods: [[from.toISOString(), to.toISOString()]] as const };
  assert.deepEqual(offSince(reopened, at("10:30:00")), from);
  assert.deepEqual(offSince(reopened, at("12:30:00")), at("12:00:00"));
  for (const on of ["09:00:00", "10:00:00", "11:00:00", "12:00:00"]) assert.equal(offSince(reopened, at(on)), null);
});
