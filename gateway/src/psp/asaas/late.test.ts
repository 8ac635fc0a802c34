/** What Asaas shows late: refunds that no list has yet, and Pix that stand where they were made and not where they were done. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  E2E,
  error,
  list,
  PAY,
  payment,
  refund,
  startAsaas,
  TX,
  transaction,
  window,
} from "../../../test/psp/asaas-wire.ts";
import type { Heard } from "../../../test/psp/wire-server.ts";
import { lacksReturns } from "../../booking/identify.ts";
import { inPix } from "../../claims/returns/in-pix.ts";

test("a Pix that was held for analysis hides none beside it, and ends no list", async (t) => {
  const at = (n: number, dateCreated: string, effectiveDate: string) => ({
    ...{ ...transaction, id: `tx${n}`, endToEndIdentifier: `E1234567820260802130500000000000${n}` },
    ...{ dateCreated: `2026-08-02 ${dateCreated}:00`, effectiveDate: `2026-08-02 ${effectiveDate}:00` },
  });
  // The newest made first: the second was made at 10:20 and done at 10:50.
  const page = [at(1, "10:30", "10:30"), at(2, "10:20", "10:50"), at(3, "10:10", "10:10")];
  const { psp, at: now } = await startAsaas(t, { "GET /pix/transactions": list(page) });
  const all = await psp.listPix(window);
  assert.ok(all.kind === "found" && all.value.pix.length === 3, JSON.stringify(all));
  // On a page of which all else is older than the window.
  now.answers["GET /pix/transactions"] = list([at(1, "10:30", "10:30"), at(2, "10:20", "10:20")], true);
  const late = { ...window, from: new Date("2026-08-02T13:45:00Z") };
  const first = await psp.listPix(late);
  assert.ok(first.kind === "found" && first.value.nextPage === 1 && first.value.pix.length === 0);
  // Without the time when they were made, and with it.
  for (const more of [{ dateCreated: undefined }, {}]) {
    now.answers["GET /pix/transactions"] = list([at(1, "10:30", "10:30"), { ...at(2, "10:20", "10:50"), ...more }]);
    const found = await psp.listPix({ ...late, page: 1 });
    assert.deepEqual(found.kind === "found" && found.value.pix.map(({ paidAt }) => paidAt.toISOString()), [
      "2026-08-02T13:50:00.000Z",
    ]);
  }
});

test("a refund that Asaas shows by the payment and not in its list is neither absent nor refused", async (t) => {
  const shown = { pix: transaction as object, pay: payment as object, refunds: [] as object[] };
  const { psp, wire } = await startAsaas(t, {
    "GET /pix/transactions": (_: Heard) => list([shown.pix]),
    [`GET /payments/${PAY}`]: (_: Heard) => ({ json: shown.pay }),
    [`GET /payments/${PAY}/refunds`]: (_: Heard) => list(shown.refunds),
    // Asaas has made the first one, whose answer was lost.
    [`POST /payments/${PAY}/refund`]: (_: Heard) => {
      shown.pay = { ...payment, status: "REFUNDED" };
      return error(400, "invalid_action", "A cobrança já foi estornada.");
    },
  });
  const back = { e2eId: E2E, id: "ref1", amount: 2590 };
  const posts = () => wire.heard.filter(({ method }) => method === "POST").length;
  assert.deepEqual(await psp.returnPix(back), { kind: "unknown", reason: "refused_then_refunds_unreadable" });
  for (const [pix, pay, refunds] of [
    [{ ...transaction, refundedValue: 25.9 }, payment, []],
    [transaction, { ...payment, status: "REFUNDED" }, []],
    [transaction, { ...payment, status: "REFUND_IN_PROGRESS" }, []],
    [transaction, { ...payment, refunds: [refund] }, []],
    [transaction, { ...payment, status: "REFUNDED" }, [{ ...refund, value: 5, description: null }]],
    [transaction, { ...payment, status: "REFUNDED" }, [{ ...refund, status: "CANCELLED", description: null }]],
  ] as const) {
    Object.assign(shown, { pix, pay, refunds });
    const about = JSON.stringify({ pix, pay, refunds });
    assert.deepEqual(await psp.findReturn(back), { kind: "unknown", reason: "refunds_unreadable" }, about);
    assert.equal((await psp.returnPix(back)).kind, "unsent", about);
    const found = await psp.findPix(E2E);
    assert.ok(found.kind === "found" && found.value.unreadableReturns === 1, about);
    assert.equal(inPix(found, { pspId: "ref1", amount: 2590 }, new Set()).kind, "unknown", about);
  }
  assert.equal(posts(), 1, "while it is unclear, nothing is asked for");
  // The list explains all of it: that of another return.
  Object.assign(shown, {
    pay: { ...payment, status: "REFUNDED" },
    refunds: [{ ...refund, description: "devolucao ref2" }],
  });
  assert.deepEqual(await psp.findReturn(back), { kind: "absent" });
  assert.equal((await psp.returnPix(back)).kind, "rejected");
  // One that was cancelled, of a payment that has its status again.
  Object.assign(shown, { pay: { ...payment, refunds: [refund] }, refunds: [{ ...refund, status: "CANCELLED" }] });
  const cancelled = await psp.findPix(E2E);
  assert.ok(cancelled.kind === "found" && cancelled.value.unreadableReturns === undefined);
});

test("a notification of a refund is not done with before the Pix shows what went back", async (t) => {
  const shown = { pix: transaction as object, pay: payment as object, refunds: [] as object[] };
  const { psp } = await startAsaas(t, {
    [`GET /pix/transactions/${TX}`]: (_: Heard) => ({ json: shown.pix }),
    [`GET /payments/${PAY}`]: (_: Heard) => ({ json: shown.pay }),
    [`GET /payments/${PAY}/refunds`]: (_: Heard) => list(shown.refunds),
  });
  const lacks = async (event: string, more: object = {}) => {
    const found = await psp.findPix(TX);
    assert.ok(found.kind === "found", JSON.stringify(found));
    return lacksReturns(psp, found.value, JSON.stringify({ event, payment: { ...payment, ...more } }));
  };
  const part = { ...refund, value: 5, description: null };
  const two = { refunds: [part, { ...part, value: 2.5 }, { ...part, status: "PENDING" }] };
  assert.equal(await lacks("PAYMENT_RECEIVED"), false);
  assert.equal(await lacks("PAYMENT_REFUND_IN_PROGRESS"), false);
  assert.equal(await lacks("PAYMENT_PARTIALLY_REFUNDED"), true);
  assert.equal(await lacks("PAYMENT_REFUNDED"), true);
  Object.assign(shown, { pix: { ...transaction, refundedValue: 5 }, refunds: [part] });
  assert.equal(await lacks("PAYMENT_PARTIALLY_REFUNDED"), false);
  assert.equal(await lacks("PAYMENT_PARTIALLY_REFUNDED", two), true);
  assert.equal(await lacks("PAYMENT_REFUNDED"), true);
  Object.assign(shown, { pay: { ...payment, status: "REFUNDED" }, refunds: [{ ...refund, status: "PENDING" }] });
  assert.equal(await lacks("PAYMENT_REFUNDED"), true);
  shown.refunds = [refund];
  assert.equal(await lacks("PAYMENT_REFUNDED"), false);
});
