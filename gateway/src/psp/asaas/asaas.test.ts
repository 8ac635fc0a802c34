/** What is sent to Asaas and how its answers are read, against the shapes that its documentation and integrators' code show. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import {
  E2E,
  error,
  KEY,
  list,
  PAY,
  payment,
  refund,
  startAsaas,
  TX,
  TXID,
  transaction,
  window,
} from "../../../test/psp/asaas-wire.ts";
import { bank } from "./bank.ts";

const TRANSFER = "777eb7c8-b1a2-4356-8fd8-a1b0644b5282";
const transfer = {
  object: "transfer",
  id: TRANSFER,
  dateCreated: "2026-08-02",
  status: "BANK_PROCESSING",
  effectiveDate: null,
  value: 12.34,
  netValue: 12.34,
  transferFee: 0,
  authorized: true,
  failReason: null,
  externalReference: "wd0001",
  operationType: "PIX",
};
const order = { id: "wd0001", amount: 1234, pixKey: "+5511999998888", holderDocument: "52998224725" };

async function start(t: TestContext, answers: Parameters<typeof startAsaas>[1] = {}) {
  const started = await startAsaas(t, answers);
  const { payouts } = started.psp;
  assert.ok(payouts?.listPayouts);
  return { ...started, payouts, listPayouts: payouts.listPayouts };
}

test("a charge is a static QR code with our reference, payable once, with the key in the header", async (t) => {
  const code = { id: "PIXG0001ASA", payload: "00020126", allowsMultiplePayments: false, externalReference: TXID };
  const { wire, psp } = await start(t, { "POST /pix/qrCodes/static": { json: code } });
  const created = await psp.createCharge({ txid: TXID, amount: 2590, expiresIn: 900, description: "Pedido 1042" });
  assert.ok(created.kind === "accepted", JSON.stringify(created));
  const { status, pixCopyPaste, pspPaymentId, createdAt, expiresAt } = created.value;
  assert.deepEqual([status, pixCopyPaste, pspPaymentId], ["active", "00020126", "PIXG0001ASA"]);
  assert.equal(Number(expiresAt) - Number(createdAt), 900_000);
  const [sent] = wire.heard;
  assert.equal(sent?.headers.access_token, "$aact_key");
  assert.deepEqual(JSON.parse(sent!.body), {
    ...{ addressKey: KEY, value: 25.9, description: "Pedido 1042", format: "PAYLOAD", expirationSeconds: 900 },
    ...{ allowsMultiplePayments: false, externalReference: TXID },
  });
  const due = { date: "2026-08-10", daysAfter: 0 };
  assert.equal((await psp.createCharge({ txid: TXID, amount: 1, expiresIn: 1, description: "", due })).kind, "unsent");
  assert.equal(wire.heard.length, 1);
});

test("an unpaid charge is absent, a paid one is found with its Pix, its fee and its payer", async (t) => {
  const { psp, at } = await start(t, { "GET /payments": list([]) });
  assert.deepEqual(await psp.findCharge(TXID, "immediate"), { kind: "absent" });
  at.answers = { "GET /payments": list([payment]), [`GET /pix/transactions/${TX}`]: { json: transaction } };
  const found = await psp.findCharge(TXID, "immediate");
  assert.ok(found.kind === "found", JSON.stringify(found));
  const [pix, ...others] = found.value.pix;
  assert.deepEqual([found.value.status, found.value.amount, others], ["paid", 2590, []]);
  assert.deepEqual([pix?.e2eId, pix?.txid, pix?.amount, pix?.tariff, pix?.returns], [E2E, TXID, 2590, 99, []]);
  assert.deepEqual(pix?.payer, { name: "Maria Teste", document: "12345678909" });
  // Its times have no zone: they are those of Brasília.
  assert.equal(pix?.paidAt.toISOString(), "2026-08-02T13:06:00.000Z");
});

test("a charge whose payment has a status that nobody knows is unrecognised, and one of another charge is not it", async (t) => {
  const { psp, at } = await start(t, { "GET /payments": list([{ ...payment, status: "SOMETHING_OF_2027" }]) });
  const found = await psp.findCharge(TXID, "immediate");
  assert.ok(found.kind === "found");
  assert.deepEqual(
    [found.value.status, found.value.unknownStatus, found.value.pix],
    ["unrecognised", "SOMETHING_OF_2027", []],
  );
  at.answers = { "GET /payments": list([{ ...payment, externalReference: "another" }]) };
  assert.deepEqual(await psp.findCharge(TXID, "immediate"), { kind: "absent" });
  // A filter that Asaas left out shows everybody's payments, of which ours may be on the next page.
  at.answers = { "GET /payments": list([{ ...payment, externalReference: "another" }], true) };
  assert.equal((await psp.findCharge(TXID, "immediate")).kind, "unknown");
  at.answers = { "GET /payments": list([payment]), [`GET /pix/transactions/${TX}`]: { status: 502, text: "" } };
  assert.equal((await psp.findCharge(TXID, "immediate")).kind, "unknown");
});

test("a charge is removed by the id of its code, and one that was paid before is not", async (t) => {
  const path = "DELETE /pix/qrCodes/static/PIXG0001ASA";
  const { psp, at, wire } = await start(t, {
    [path]: { json: { id: "PIXG0001ASA", deleted: true } },
    "GET /payments": list([]),
  });
  const cancel = () => psp.cancelCharge(TXID, "immediate", "PIXG0001ASA");
  assert.equal((await cancel()).kind, "accepted");
  at.answers[path] = error(404, "not_found");
  assert.equal((await cancel()).kind, "accepted", "a repeat");
  at.answers["GET /payments"] = list([payment]);
  assert.equal((await cancel()).kind, "rejected");
  at.answers["GET /payments"] = { status: 500, text: "" };
  assert.equal((await cancel()).kind, "unknown");
  const before = wire.heard.length;
  assert.equal((await psp.cancelCharge(TXID, "immediate")).kind, "rejected");
  assert.equal(wire.heard.length, before, "without the id of its code nothing can be asked for");
});

test("a Pix is found by its end-to-end id or by Asaas's own, and a filter that is left out proves nothing", async (t) => {
  const one = { [`GET /payments/${PAY}`]: { json: payment } };
  const { psp, at } = await start(t, {
    ...one,
    "GET /pix/transactions": list([transaction]),
    [`GET /pix/transactions/${TX}`]: { json: transaction },
  });
  for (const id of [E2E, TX]) {
    const found = await psp.findPix(id);
    assert.ok(found.kind === "found", JSON.stringify(found));
    assert.deepEqual([found.value.e2eId, found.value.txid, found.value.tariff], [E2E, TXID, 99]);
  }
  at.answers["GET /pix/transactions"] = list([]);
  assert.deepEqual(await psp.findPix(E2E), { kind: "absent" });
  at.answers["GET /pix/transactions"] = list([
    { ...transaction, endToEndIdentifier: "E00000000202608021305abcdef01234" },
  ]);
  assert.equal((await psp.findPix(E2E)).kind, "unknown");
});

test("the list of Pix is read from its newest on, names what it cannot read, and in another order has no early end", async (t) => {
  const at = (effectiveDate: string, more: object = {}) => ({ ...transaction, effectiveDate, ...more });
  const newest = [at("2026-08-02 11:30:00"), at("2026-08-02 10:59:00"), at("2026-08-02 10:30:00", { value: "x" })];
  const debit = at("2026-08-02 10:20:00", { type: "DEBIT" });
  const { psp, at: now, wire } = await start(t, { "GET /pix/transactions": list([...newest, debit], true) });
  const first = await psp.listPix(window);
  assert.ok(first.kind === "found", JSON.stringify(first));
  assert.deepEqual([first.value.pix.length, first.value.unreadable?.length, first.value.nextPage], [1, 1, 1]);
  assert.match(first.value.unreadable?.[0] ?? "", /^2026-08-02T13:30:00.000Z\/[\w-]{16}$/);
  assert.match(wire.heard[0]?.path ?? "", /type=CREDIT&offset=0&limit=100$/);
  // It ends where a whole page is six lengths of the window before it.
  for (const [times, nextPage] of [
    [["2026-08-02 10:30:00", "2026-08-02 03:00:00"], 1],
    [["2026-08-02 04:30:00", "2026-08-02 03:00:00"], 1],
    [["2026-08-02 03:30:00", "2026-08-02 03:00:00"], null],
    [["2026-08-02 03:00:00", "2026-08-02 03:30:00"], 1],
  ] as const) {
    now.answers["GET /pix/transactions"] = list(
      times.map((time) => at(time)),
      true,
    );
    const page = await psp.listPix(window);
    assert.ok(page.kind === "found" && page.value.nextPage === nextPage, JSON.stringify(times));
  }
  now.answers["GET /pix/transactions"] = { json: { data: [] } };
  assert.equal((await psp.listPix(window)).kind, "unknown", "it does not say whether there is more");
});

test("a refund carries our id in its description, is asked for once, and only whole", async (t) => {
  const one = { "GET /pix/transactions": list([transaction]), [`GET /payments/${PAY}`]: { json: payment } };
  const { psp, at, wire } = await start(t, {
    ...one,
    [`GET /payments/${PAY}/refunds`]: list([]),
    [`POST /payments/${PAY}/refund`]: { json: { ...payment, status: "REFUND_IN_PROGRESS" } },
  });
  const back = { e2eId: E2E, id: "ref1", amount: 2590, description: "Pedido cancelado" };
  const posts = () => wire.heard.filter(({ method }) => method === "POST");
  const part = await psp.returnPix({ ...back, amount: 1000 });
  assert.ok(part.kind === "rejected" && part.code === "only_whole" && posts().length === 0);
  const late = await psp.returnPix({ ...back, mayLeave: async () => false });
  assert.deepEqual([late, posts().length], [{ kind: "unsent", reason: "claim_over" }, 0]);
  const asked = await psp.returnPix(back);
  assert.ok(asked.kind === "accepted" && asked.value.status === "processing", JSON.stringify(asked));
  assert.deepEqual(JSON.parse(posts()[0]!.body), { value: 25.9, description: "devolucao ref1 Pedido cancelado" });
  at.answers[`GET /payments/${PAY}/refunds`] = list([refund]);
  const again = await psp.returnPix(back);
  assert.ok(again.kind === "accepted" && again.value.status === "settled" && again.value.med === false);
  assert.equal(again.value.settledAt?.toISOString(), "2026-08-02T14:00:05.000Z");
  assert.equal(posts().length, 1, "it is there, so nothing is asked for again");
  const found = await psp.findReturn({ e2eId: E2E, id: "ref1" });
  assert.ok(found.kind === "found" && found.value.rtrId === refund.endToEndIdentifier);
  assert.deepEqual(await psp.findReturn({ e2eId: E2E, id: "ref2" }), { kind: "absent" });
  // One that nobody asked for here: its nature is not shown.
  at.answers[`GET /payments/${PAY}`] = { json: { ...payment, status: "REFUNDED" } };
  at.answers[`GET /payments/${PAY}/refunds`] = list([{ ...refund, description: null }]);
  const pix = await psp.findPix(E2E);
  assert.deepEqual(pix.kind === "found" && pix.value.returns.map(({ id, med }) => [id, med]), [
    [refund.endToEndIdentifier, null],
  ]);
});

test("a transfer is sent once its list does not show it, and the one that it shows is the same", async (t) => {
  const { payouts, at, wire } = await start(t, { "GET /transfers": list([]), "POST /transfers": { json: transfer } });
  const sent = await payouts.sendPayout(order);
  assert.ok(sent.kind === "accepted", JSON.stringify(sent));
  assert.deepEqual([sent.value.id, sent.value.reference, sent.value.status], ["wd0001", TRANSFER, "processing"]);
  const posts = () => wire.heard.filter(({ method }) => method === "POST");
  assert.deepEqual(JSON.parse(posts()[0]!.body), {
    ...{ value: 12.34, operationType: "PIX", pixAddressKeyType: "PHONE", pixAddressKey: "11999998888" },
    ...{ externalReference: "wd0001", description: "Pixgate wd0001" },
  });
  at.answers["GET /transfers"] = list([transfer]);
  assert.equal((await payouts.sendPayout(order)).kind, "accepted");
  assert.deepEqual(await payouts.sendPayout({ ...order, amount: 1 }), {
    kind: "unknown",
    reason: "id_used_for_another_payout",
  });
  at.answers["GET /transfers"] = { status: 503, text: "" };
  assert.equal((await payouts.sendPayout(order)).kind, "unsent", "while nobody can search, nothing leaves");
  assert.equal(posts().length, 1);
});

test("nothing leaves after the search where another process may send, nor beside two transfers under one id", async (t) => {
  const { payouts, at, wire } = await start(t, { "GET /transfers": list([]) });
  assert.deepEqual(await payouts.sendPayout({ ...order, mayLeave: async () => false }), {
    kind: "unsent",
    reason: "claim_over",
  });
  at.answers["GET /transfers"] = list([transfer, { ...transfer, id: "another" }]);
  assert.equal((await payouts.sendPayout(order)).kind, "unsent");
  assert.equal((await payouts.findPayout("wd0001")).kind, "unknown");
  const unnamed = { externalReference: null, description: "Pixgate wd0001" };
  for (const more of [{ value: "R$ 12,34" }, { id: 7 }, { value: 0, ...unnamed }]) {
    at.answers["GET /transfers"] = list([{ ...transfer, ...more }]);
    assert.deepEqual(await payouts.sendPayout(order), { kind: "unsent", reason: "unreadable" }, JSON.stringify(more));
  }
  for (const json of [{ data: [] }, { data: [], hasMore: "false" }]) {
    at.answers["GET /transfers"] = { json };
    assert.equal((await payouts.sendPayout(order)).kind, "unsent", "it does not say whether there are more");
  }
  assert.deepEqual(new Set(wire.heard.map(({ method }) => method)), new Set(["GET"]));
});

test("a list that does not say whether there are more proves no absence", async (t) => {
  const { listPayouts } = await start(t, { "GET /transfers": { json: { data: [] } } });
  assert.deepEqual(await listPayouts(window), { kind: "unknown", reason: "unexpected_answer" });
});

test("a conflict with the same amount and key is neither paid nor refused, and a refusal has our reason", async (t) => {
  const { payouts, at } = await start(t, {
    "GET /transfers": list([]),
    "POST /transfers": error(409, "invalid_action"),
  });
  assert.deepEqual(await payouts.sendPayout(order), { kind: "unknown", reason: "http_409" });
  at.answers["POST /transfers"] = error(400, "invalid_action", "Saldo insuficiente para realizar a transferência.");
  const refused = await payouts.sendPayout(order);
  assert.ok(refused.kind === "rejected" && refused.code === "insufficient_psp_balance", JSON.stringify(refused));
  for (const said of [
    { status: 403, text: "<html>" },
    { status: 500, text: "" },
    { json: {} },
    { json: { ...transfer, value: 12.35 } },
  ]) {
    at.answers["POST /transfers"] = said;
    assert.equal((await payouts.sendPayout(order)).kind, "unknown", JSON.stringify(said));
  }
});

test("each status of a transfer is read as what it means for the money, and an unknown one as none of them", async (t) => {
  const { payouts, at } = await start(t);
  for (const [more, meaning] of [
    [{ status: "PENDING" }, "processing"],
    [{ status: "PENDING", authorized: false }, "awaiting_approval"],
    [{ status: "BLOCKED" }, "under_analysis"],
    [{ status: "DONE", effectiveDate: "2026-08-02 10:10:00", transferFee: 2 }, "settled"],
    [{ status: "FAILED", failReason: "Chave Pix não encontrada" }, "failed"],
    [{ status: "CANCELLED" }, "failed"],
    [{ status: "SOMETHING_OF_2027" }, "unrecognised"],
  ] as const) {
    at.answers = { [`GET /transfers/${TRANSFER}`]: { json: { ...transfer, ...more } } };
    const found = await payouts.findPayout("wd0001", TRANSFER);
    assert.ok(found.kind === "found", JSON.stringify(found));
    assert.equal(found.value.status, meaning);
    if (meaning === "settled")
      assert.deepEqual([found.value.tariff, found.value.settledAt?.toISOString()], [200, "2026-08-02T13:10:00.000Z"]);
    if (meaning === "failed")
      assert.equal(found.value.failure?.code, more.status === "FAILED" ? "key_not_found" : "not_approved");
  }
  at.answers = { [`GET /transfers/${TRANSFER}`]: { json: { ...transfer, externalReference: "wd0002" } } };
  assert.equal((await payouts.findPayout("wd0001", TRANSFER)).kind, "unknown");
});

test("the list of transfers leaves out what is certainly none of ours, and what hides its reference is unreadable", async (t) => {
  const foreign = { ...transfer, externalReference: null, description: "Aluguel" };
  const described = { ...transfer, id: "other", externalReference: null, description: "Pixgate wd0002" };
  const { externalReference: _, ...hidden } = transfer;
  const { listPayouts, payouts, at, wire } = await start(t, {
    "GET /transfers": list([transfer, foreign, described, hidden], true),
  });
  const listed = await listPayouts(window);
  assert.ok(listed.kind === "found", JSON.stringify(listed));
  assert.deepEqual(
    [listed.value.payouts.map(({ id }) => id), listed.value.unreadable?.length, listed.value.nextPage],
    [["wd0001", "wd0002"], 1, 1],
  );
  assert.match(wire.heard[0]?.path ?? "", /dateCreated%5Bge%5D=2026-08-02&dateCreated%5Ble%5D=2026-08-02/);
  at.answers = { "GET /transfers": list([]) };
  // Its filter by reference is not documented, so an absence there is none.
  assert.deepEqual(await payouts.findPayout("wd0001"), { kind: "unknown", reason: "no_bank_id" });
});

test("notifications name what Asaas is then asked for, and the address is registered once", async (t) => {
  const { psp, at, wire } = await start(t, { "GET /webhooks": list([]), "POST /webhooks": { json: {} } });
  assert.deepEqual(psp.readNotification({ id: "evt_1", event: "PAYMENT_RECEIVED", payment }), [
    { kind: "pix_named", about: "charge_paid", pixId: TX, txid: TXID },
  ]);
  assert.deepEqual(psp.readNotification({ event: "PAYMENT_PARTIALLY_REFUNDED", payment }), [
    { kind: "pix_named", about: "return_moved", pixId: TX, txid: TXID, returned: 1 },
  ]);
  assert.deepEqual(psp.readNotification({ event: "TRANSFER_DONE", transfer }), [
    { kind: "payout_moved", payoutId: TRANSFER },
  ]);
  for (const strange of [
    null,
    [],
    {},
    { event: "PAYMENT_RECEIVED" },
    { event: "PAYMENT_RECEIVED", payment: { ...payment, pixTransaction: null } },
    { event: "TRANSFER_DONE", transfer: { id: "../x" } },
  ])
    assert.deepEqual(psp.readNotification(strange), []);
  const url = "https://pay.example/psp/1/secret";
  assert.equal((await psp.registerNotifications!(url)).kind, "accepted");
  const { events, ...sent } = JSON.parse(wire.heard[1]!.body);
  assert.deepEqual(
    [sent.url, sent.enabled, sent.interrupted, events.includes("TRANSFER_DONE")],
    [url, true, false, true],
  );
  const ours = { id: "wh-1", name: "Pixgate", url, enabled: true, interrupted: true, events };
  at.answers = { "GET /webhooks": list([ours]), "PUT /webhooks/wh-1": { json: {} } };
  // Asaas has interrupted it.
  assert.deepEqual(await psp.findNotifications!(), { kind: "absent" });
  assert.equal((await psp.registerNotifications!(url)).kind, "accepted");
  at.answers = { "GET /webhooks": list([{ ...ours, interrupted: false }]) };
  assert.deepEqual(await psp.findNotifications!(), { kind: "found", value: url });
  assert.equal((await psp.registerNotifications!(url)).kind, "accepted");
});

test("the balance is read by its digits, and a setting that cannot work is named", async (t) => {
  const { psp, at } = await start(t, { "GET /finance/balance": { json: { balance: 1234567.8 } } });
  assert.deepEqual(await psp.balance?.(), { kind: "found", value: { total: 123_456_780, blocked: 0 } });
  assert.deepEqual(await psp.access(), { kind: "found", value: { missing: null } });
  at.answers = { "GET /finance/balance": error(401, "invalid_access_token") };
  assert.deepEqual(await psp.access(), { kind: "unknown", reason: "http_401_invalid_access_token" });
  const deps = { clock: { now: () => 0 }, log: () => {} };
  assert.throws(() => bank.create({ pixKey: KEY }, deps), /^TypeError: asaasKey: /);
  assert.throws(() => bank.create({ asaasKey: "k" }, deps), /^TypeError: pixKey: /);
  assert.throws(() => bank.create({ asaasKey: "k", pixKey: KEY, asaasUrl: "ftp://x" }, deps), /^TypeError: asaasUrl: /);
});
