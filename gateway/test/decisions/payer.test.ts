import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { admit } from "../../src/charges/admit.ts";
import { chargesTable } from "../../src/charges/charge.ts";
import { customerIdOf } from "../../src/charges/customer-id.ts";
import { learnPayer } from "../../src/charges/learn-payer.ts";
import { settleCharge } from "../../src/charges/settle.ts";
import { isExpected } from "../../src/charges/terms.ts";
import { receivedPixTable } from "../../src/claims/received-pix.ts";
import type { PspPix } from "../../src/psp/psp.ts";
import { ACCOUNT, at, BANK, CHARGE, Desk, object } from "./desk.ts";

const CNPJ = "11222333000181";
const CPF = "52998224725";
const pix = (changes: Partial<PspPix> = {}): PspPix => ({
  e2eId: "E1",
  txid: "txid",
  amount: 1_000,
  paidAt: at("11:30:00"),
  returns: [],
  ...changes,
});

describe("admitting a payment", () => {
  const charge = {
    ...{ amount: 1_000, due: null, dueEdits: null, status: "pending" as const },
    ...{ closedAt: null, expiresAt: at("13:00:00") },
  };
  const open = { latePayments: "credit", blockCnpjPayers: false, unknownPayers: "credit" } as const;
  const barring = { ...open, blockCnpjPayers: true } as const;
  const returning = { ...barring, unknownPayers: "return" } as const;
  const said = (...of: Parameters<typeof admit>) => {
    const admitted = admit(...of);
    return admitted.kind === "blocked" ? admitted.reason : admitted.kind;
  };

  test("waits for the payer only where the policy depends on the payer, nobody is named, and somebody still may be", () => {
    for (const settings of [barring, returning]) {
      assert.equal(said(settings, charge, pix(), true), "awaiting_payer");
      assert.equal(said(settings, charge, pix({ payer: { name: "Ana" } }), true), "awaiting_payer");
      assert.equal(said(settings, charge, pix({ payer: { document: CPF } }), true), "credited");
      assert.equal(said(settings, charge, pix({ payer: { document: CNPJ } }), true), "cnpj_payer_not_allowed");
    }
    assert.equal(said(open, charge, pix(), true), "credited");
    assert.equal(said(barring, charge, pix(), false), "credited");
    assert.equal(said(returning, charge, pix(), false), "unknown_payer_not_allowed");
  });

  test("does not wait for what the payer cannot change: the amount, the time", () => {
    assert.equal(said(returning, charge, pix({ amount: 999 }), true), "amount_mismatch");
    const late = pix({ paidAt: at("13:00:01") });
    assert.equal(said({ ...returning, latePayments: "return" }, charge, late, true), "late_payment");
    assert.equal(said(returning, charge, late, true), "awaiting_payer");
  });

  test("of a link that has taken its last one goes back, whoever paid it", () => {
    assert.equal(admit(returning, charge, pix(), true, true).kind, "blocked");
    assert.deepEqual(admit(open, charge, pix(), false, true), { kind: "blocked", reason: "sold_out" });
  });

  test("that waits writes nothing, and is settled by the same command later", () => {
    const desk = new Desk({ blockCnpjPayers: true }).charge();
    const command = { accountId: ACCOUNT, chargeId: CHARGE, institutionId: BANK, environment: "sandbox" as const };
    const waits = desk.run("polled", settleCharge, { ...command, pix: pix(), payerMayCome: true });
    assert.deepEqual(waits, { outcome: "awaiting_payer", already: false });
    assert.deepEqual([desk.find(chargesTable, CHARGE).status, desk.all(receivedPixTable)], ["pending", []]);
    const named = pix({ payer: { document: CPF } });
    assert.equal(desk.run("notified", settleCharge, { ...command, pix: named }).outcome, "credited");
  });
});

describe("learning a payer", () => {
  const settled = (payer?: PspPix["payer"], changes: Parameters<Desk["charge"]>[0] = {}) => {
    const desk = new Desk().charge(changes);
    const command = { accountId: ACCOUNT, chargeId: CHARGE, institutionId: BANK, environment: "sandbox" as const };
    desk.run("paid", settleCharge, { ...command, pix: pix({ payer }) });
    return desk.begin();
  };
  const learn = (desk: Desk, payer: NonNullable<PspPix["payer"]>, e2eId = "E1") =>
    desk.run("learnt", learnPayer, { accountId: ACCOUNT, e2eId, payer });
  const shown = (desk: Desk) => {
    const { payerName, payerDocument } = desk.find(receivedPixTable, "E1");
    return [payerName, payerDocument];
  };

  test("fills in what is missing, of the receipt and of the charge, once", () => {
    const desk = settled();
    assert.equal(learn(desk, { name: "Ana", document: CPF }), true);
    assert.deepEqual(shown(desk), ["Ana", CPF]);
    const charge = desk.find(chargesTable, CHARGE) as unknown as Record<string, unknown>;
    assert.deepEqual(
      [charge.counterpartName, charge.counterpartDocument, charge.customerId],
      ["Ana", CPF, customerIdOf(ACCOUNT, CPF)],
    );
    assert.equal(learn(desk, { name: "Ana", document: CPF }), false);
  });

  test("never overwrites: a name, a document, the customer of the request", () => {
    const desk = settled({ name: "Ana" }, { customerId: object(1) });
    assert.equal(learn(desk, { name: "Bia", document: CPF }), true);
    assert.deepEqual(shown(desk), ["Ana", CPF]);
    assert.equal(desk.find(chargesTable, CHARGE).customerId, object(1));
    assert.equal(learn(desk, { name: "Bia", document: CNPJ }), false);
    assert.deepEqual(shown(desk), ["Ana", CPF]);
  });

  test("of a second payment does not touch the charge, which somebody else has paid", () => {
    const desk = settled({ name: "Ana", document: CPF });
    const command = { accountId: ACCOUNT, chargeId: CHARGE, institutionId: BANK, environment: "sandbox" as const };
    desk.run("paid again", settleCharge, { ...command, pix: pix({ e2eId: "E2" }) });
    const before = desk.find(chargesTable, CHARGE);
    assert.equal(learn(desk, { name: "Bia", document: CNPJ }, "E2"), true);
    assert.equal(desk.find(receivedPixTable, "E2").payerName, "Bia");
    assert.deepEqual(desk.find(chargesTable, CHARGE), before);
  });

  test("of a receipt without a charge is the receipt's alone", () => {
    const desk = settled();
    const before = desk.find(chargesTable, CHARGE);
    desk.put(receivedPixTable, "E1", { ...desk.find(receivedPixTable, "E1"), chargeId: null, outcome: "unmatched" });
    assert.equal(learn(desk, { name: "Ana", document: CPF }), true);
    assert.deepEqual(shown(desk), ["Ana", CPF]);
    assert.deepEqual(desk.find(chargesTable, CHARGE), before);
  });

  test("does nothing of a Pix that is not there, and after 90 days, when the payer may have been erased", () => {
    const desk = settled();
    assert.equal(learn(desk, { name: "Ana" }, "E9"), false);
    desk.now = new Date(at("11:30:00").getTime() + 90 * 86_400_000 + 1);
    assert.equal(learn(desk, { name: "Ana" }), false);
    desk.now = new Date(at("11:30:00").getTime() + 90 * 86_400_000);
    assert.equal(learn(desk, { name: "Ana" }), true);
  });
});

test("interest is counted to a year after the last day, however far in the future the Pix says it was paid", () => {
  const interest = { percentBps: 100, per: "month", days: "business" } as const;
  const charge = { amount: 10_000, due: { date: "2026-12-10", daysAfter: 30, interest }, dueEdits: null };
  const paid = (paidAt: string, amount: number) => isExpected(charge, { amount, paidAt: new Date(paidAt) });
  // To Wednesday 12 January 2028: 284 weekdays of 1 % in 21, and one centavo of rounding for each.
  const most = 10_000 + 1_352 + 284;
  for (const time of ["2028-01-20T12:00:00Z", "2999-12-31T12:00:00Z", "9999-12-31T12:00:00Z"])
    assert.deepEqual([paid(time, 10_000), paid(time, most), paid(time, most + 1)], [true, true, false], time);
});

test("a Pix that the bank let in on a last day of its own is not late, and one of a charge that was cancelled before is", () => {
  const settings = { latePayments: "return", blockCnpjPayers: false, unknownPayers: "credit" } as const;
  const due = { date: "2026-12-10", daysAfter: 0 };
  const charge = { amount: 1_000, due, dueEdits: null, closedAt: null, expiresAt: new Date("2026-12-11T03:00:00Z") };
  // Thursday the 10th is a holiday of the bank's town, so its last day is Friday the 11th.
  const pix = { amount: 1_000, paidAt: new Date("2026-12-11T15:00:00Z"), returns: [] };
  for (const status of ["pending", "expired"] as const)
    assert.deepEqual(admit(settings, { ...charge, status }, pix, false), { kind: "credited", late: false });
  const late = { kind: "blocked", reason: "late_payment" };
  const closedAt = new Date("2026-12-09T12:00:00Z");
  assert.deepEqual(admit(settings, { ...charge, status: "cancelled", closedAt }, pix, false), late);
  const beyond = { ...pix, paidAt: new Date("2026-12-12T03:00:01Z") };
  assert.deepEqual(admit(settings, { ...charge, status: "expired" }, beyond, false), late);
  // Due on a Friday that is such a holiday: the ten days are counted from Monday, and end on a Thursday.
  const counted = {
    ...charge,
    due: { date: "2026-12-04", daysAfter: 10 },
    expiresAt: new Date("2026-12-15T03:00:00Z"),
  };
  const on = (time: string) =>
    admit(settings, { ...counted, status: "expired" }, { ...pix, paidAt: new Date(time) }, false);
  assert.deepEqual(on("2026-12-18T02:59:59Z"), { kind: "credited", late: false });
  assert.deepEqual(on("2026-12-18T03:00:01Z"), late);
  // A later end that the bank itself has shown.
  const [from, at] = [due, "2026-12-05T12:00:00.000Z"];
  const to = { date: "2026-12-16", daysAfter: 0 };
  const shown = { from, to, askedAt: at, endedAt: at, sentAt: at, requests: 0, mayArrive: true } as const;
  const learnt = { ...charge, due: to, dueEdits: [{ ...shown, status: "done", by: "institution" } as const] };
  const expiresAt = new Date("2026-12-17T03:00:00Z");
  const later = { ...pix, paidAt: new Date("2026-12-17T12:00:00Z") };
  assert.deepEqual(admit(settings, { ...learnt, expiresAt, status: "expired" }, later, false), {
    ...{ kind: "credited", late: false },
  });
  // Ended by the sandbox before its time.
  const ended = { ...charge, status: "expired" as const, expiresAt: new Date("2026-12-09T12:00:00Z") };
  assert.deepEqual(admit(settings, ended, { ...pix, paidAt: new Date("2026-12-09T12:00:01Z") }, false), late);
});
