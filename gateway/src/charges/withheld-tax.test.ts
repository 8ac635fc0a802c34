import assert from "node:assert/strict";
import { test } from "node:test";
import { available, psp, pspCosts } from "../ledger/chart.ts";
import { otherTax, taxOf, taxPassedOn, taxTakenBack } from "./withheld-tax.ts";

const [accountId, institutionId, pixId] = ["account", "bank", "pix"];
const paidAt = new Date("2026-03-10T11:30:00Z");
const of = (withheld?: number) => ({
  accountId,
  institutionId,
  pix: { paidAt, ...(withheld !== undefined && { withheld }) },
});
/** Every transfer of a tax; its leg tells apart those of one source. */
const tax = (leg: number) => ({ accountId, kind: "tax_withheld", sourceId: pixId, leg, amount: 7, occurredAt: paidAt });

test("a tax is taken off what the institution has, at whose cost is told, and goes on and back by legs of its own", () => {
  const to = psp(institutionId);
  assert.deepEqual(taxOf(of(7), pixId), [{ ...tax(0), from: pspCosts, to }]);
  assert.deepEqual(taxOf(of(7), pixId, available("wallet")), [{ ...tax(0), from: available("wallet"), to }]);
  assert.deepEqual(taxPassedOn(of(7), pixId), [{ ...tax(1), from: to, to: pspCosts }]);
  assert.deepEqual(taxTakenBack(of(7), pixId), [{ ...tax(2), from: pspCosts, to }]);
  for (const book of [taxOf, taxPassedOn, taxTakenBack]) assert.deepEqual(book(of(), pixId), []);
});

test("another tax than the booked one is a case of the house account, which says whether one is booked", () => {
  const caseOf = (booked: number) => otherTax({ houseId: "house", institutionId, e2eId: "E1", tax: 7, booked });
  const { evidence, ...about } = caseOf(0);
  assert.deepEqual(about, {
    ...{ accountId: "house", kind: "reconciliation_difference", institutionId, amount: null, deadline: null },
    objectId: "bank tax E1",
  });
  assert.match(evidence.says, /it is booked whole/);
  assert.deepEqual(evidence.data, { kind: "received", state: "tax_unbooked", key: "E1", amount: 7 });
  for (const booked of [1, 5]) {
    const other = caseOf(booked).evidence;
    assert.match(other.says, /than the one that is booked/);
    assert.deepEqual(other.data, { ...evidence.data, booked });
  }
});
