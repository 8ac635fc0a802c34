/** What Mercado Pago is sent and how its answers are read, against the shapes of its documentation and recorded payments. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { type TestContext, test } from "node:test";
import { type Said, startWireServer } from "../../../test/psp/wire-server.ts";
import { pursue } from "../../outgoing/pursue.ts";
import { bank } from "./bank.ts";

const TXID = "3f6c1d0a7b9e4c2f8a5d6e7f80912b3c";
const E2E = "E18236120202512292332s098f3b9e48";
const ID = "139301856905";
const ORDER = { txid: TXID, amount: 2_590, expiresIn: 900, description: "Pedido 1042" };

/** As a recorded payment of 2025 has it, with its texts left out. */
const PENDING = {
  ...{ id: 139301856905, status: "pending", status_detail: "pending_waiting_transfer", transaction_amount: 25.9 },
  ...{ transaction_amount_refunded: 0, payment_method_id: "pix", external_reference: TXID, refunds: [] },
  ...{ date_created: "2025-12-29T19:32:14.000-04:00", date_of_expiration: "2025-12-30T19:32:14.000-04:00" },
  ...{ date_approved: null, fee_details: [], live_mode: true },
  point_of_interaction: { transaction_data: { qr_code: "00020126", e2e_id: null } },
  transaction_details: { transaction_id: null },
};
const PAID = {
  ...PENDING,
  ...{ status: "approved", status_detail: "accredited", date_approved: "2025-12-29T19:32:40.000-04:00" },
  fee_details: [
    { amount: 0.26, fee_payer: "collector", type: "mercadopago_fee" },
    { amount: 9, fee_payer: "payer", type: "financing_fee" },
  ],
  point_of_interaction: { transaction_data: { qr_code: "00020126", e2e_id: null, transaction_id: `PIX${E2E}` } },
  transaction_details: { net_received_amount: 25.64, transaction_id: `PIX${E2E}` },
};
const REFUND = {
  ...{ id: 1627096680, payment_id: 139301856905, amount: 25.9, metadata: {}, e2e_id: null, status: "approved" },
  ...{ source: { id: "1", name: "Loja", type: "collector" }, date_created: "2025-12-30T10:04:03.000-04:00" },
};
const refusal = (status: number, code: number, error = "bad_request"): Said => ({
  status,
  json: { message: "Words", error, status, cause: [{ code, description: "Words", data: null }] },
});
const page = (...results: object[]): Said => ({
  json: { paging: { total: results.length, limit: 50, offset: 0 }, results },
});

async function start(t: TestContext, more: object = {}) {
  const wire = await startWireServer(t);
  const settings = { mercadoPagoUrl: wire.origin, mercadoPagoToken: "APP_USR-1", payerEmail: "loja@example.com" };
  const deps = { clock: { now: () => Date.UTC(2025, 11, 29, 23) }, log: () => {} };
  const psp = bank.create({ ...settings, ...more }, deps);
  t.after(() => psp.close());
  return { wire, psp };
}
const sentBy = ({ heard }: Awaited<ReturnType<typeof start>>["wire"]) =>
  heard.map(({ method, path, headers, body }) => ({ method, path, headers, body: body && JSON.parse(body) }));

test("a charge is sent in reais under our txid, lives half an hour at least, and its key is the same in a repeat", async (t) => {
  const { wire, psp } = await start(t);
  wire.answer = () => ({ status: 201, json: PENDING });
  const made = await psp.createCharge({ ...ORDER, payer: { name: "Dan", document: "31324227036" } });
  assert.ok(made.kind === "accepted", JSON.stringify(made));
  const { status, amount, pixCopyPaste, pspPaymentId, expiresAt } = made.value;
  assert.deepEqual([status, amount, pixCopyPaste, pspPaymentId], ["active", 2_590, "00020126", ID]);
  assert.deepEqual(expiresAt, new Date("2025-12-30T23:32:14Z"));
  await psp.createCharge(ORDER);
  const [first, second] = sentBy(wire);
  assert.deepEqual(
    [first!.method, first!.path, first!.headers.authorization],
    ["POST", "/v1/payments", "Bearer APP_USR-1"],
  );
  assert.deepEqual(first!.body, {
    ...{ transaction_amount: 25.9, payment_method_id: "pix", external_reference: TXID, description: "Pedido 1042" },
    date_of_expiration: "2025-12-29T23:30:00.000Z",
    payer: { email: "loja@example.com", first_name: "Dan", identification: { type: "CPF", number: "31324227036" } },
  });
  const key = first!.headers["x-idempotency-key"];
  assert.match(String(key), /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(second!.headers["x-idempotency-key"], key);
  assert.equal((await psp.createCharge({ ...ORDER, due: { date: "2027-01-31", daysAfter: 0 } })).kind, "unsent");
  assert.equal(wire.heard.length, 2);
});

test("a charge of another amount or txid, a proxy's page and an undecided answer are unknown; its own refusal is a refusal", async (t) => {
  const { wire, psp } = await start(t);
  for (const said of [
    { json: { ...PENDING, transaction_amount: 25.91 } },
    { json: { ...PENDING, external_reference: "another" } },
    { json: { ...PENDING, id: undefined } },
    { status: 404, json: { message: "no route", error: "not_found", status: 404 } },
    { status: 502, text: "<html>" },
    { status: 409, json: { message: "key", error: "conflict", status: 409, cause: [] } },
    { status: 429, json: { message: "slow", error: "too_many", status: 429, cause: [] } },
  ] as Said[]) {
    wire.answer = () => said;
    assert.equal((await psp.createCharge(ORDER)).kind, "unknown", JSON.stringify(said));
  }
  wire.answer = ({ method }) => (method === "POST" ? refusal(400, 4_050) : page());
  const refused = await psp.createCharge(ORDER);
  assert.deepEqual([refused.kind, refused.kind === "rejected" && refused.code], ["rejected", "4050"]);
  // Of a repeat with another expiry it may refuse what it has: the search says so.
  wire.answer = ({ method }) => (method === "POST" ? refusal(400, 4_050) : page(PENDING));
  assert.equal((await psp.createCharge(ORDER)).kind, "accepted");
  wire.answer = ({ method }) => (method === "POST" ? refusal(400, 4_050) : { status: 500, text: "" });
  assert.equal((await psp.createCharge(ORDER)).kind, "unknown");
});

test("a paid payment is its Pix: end-to-end id, amount, time and the fee of the account that received it", async (t) => {
  const { wire, psp } = await start(t);
  const places = [
    PAID,
    { ...PAID, point_of_interaction: { transaction_data: { e2e_id: E2E } }, transaction_details: {} },
    { ...PAID, point_of_interaction: {} },
  ];
  for (const shown of places) {
    wire.answer = ({ path }) => ({ json: path.endsWith("/refunds") ? [] : shown });
    const found = await psp.findPix(ID);
    assert.ok(found.kind === "found", JSON.stringify(found));
    const { said: _, ...pix } = found.value;
    const paidAt = new Date("2025-12-29T23:32:40Z");
    assert.deepEqual(pix, { e2eId: E2E, txid: TXID, amount: 2_590, paidAt, returns: [], tariff: 26 });
  }
  for (const [shown, kind] of [
    [PENDING, "absent"],
    [{ ...PENDING, status: "cancelled" }, "absent for good"],
    [{ ...PENDING, status: "rejected" }, "absent for good"],
    // Money is there, and nobody can say which Pix it is.
    [{ ...PAID, point_of_interaction: {}, transaction_details: { transaction_id: "1" } }, "unknown"],
    [{ ...PAID, date_approved: null }, "unknown"],
    [{ ...PAID, id: 1 }, "unknown"],
    [{ ...PAID, payment_method_id: "visa" }, "absent for good"],
    [{ ...PAID, payment_method_id: "visa", id: 1 }, "unknown"],
  ] as const) {
    wire.answer = () => ({ json: shown });
    const found = await psp.findPix(ID);
    const isForGood = found.kind === "absent" && found.forGood === true;
    assert.equal(`${found.kind}${isForGood ? " for good" : ""}`, kind, JSON.stringify(shown));
  }
  wire.answer = () => refusal(404, 2_000, "not_found");
  assert.deepEqual(await psp.findPix(ID), { kind: "absent" });
});

test("a Pix is found by its end-to-end id among those approved near its minute, and then within the Central Bank's twelve hours", async (t) => {
  const { wire, psp } = await start(t, { pageSize: 2 });
  const other = { ...PAID, id: 7, transaction_details: {}, point_of_interaction: {}, status: "pending" };
  const asked = () => wire.heard.map(({ path }) => new URL(path, "http://x").searchParams);
  wire.answer = ({ path }) => {
    if (path.endsWith("/refunds")) return { json: [] };
    return path.includes("offset=2") ? page(PAID) : { json: { paging: { total: 3 }, results: [other, other] } };
  };
  const found = await psp.findPix(E2E);
  assert.ok(found.kind === "found" && found.value.e2eId === E2E, JSON.stringify(found));
  const [first] = asked();
  assert.equal(first!.get("range"), "date_approved");
  assert.deepEqual(
    [first!.get("begin_date"), first!.get("end_date")],
    ["2025-12-29T23:31:00.000Z", "2025-12-29T23:42:00.000Z"],
  );
  wire.heard.length = 0;
  wire.answer = () => page();
  assert.deepEqual(await psp.findPix(E2E), { kind: "absent" });
  assert.deepEqual(
    asked().map((query) => query.get("begin_date")),
    ["2025-12-29T23:31:00.000Z", "2025-12-29T10:32:00.000Z"],
  );
  // More than is searched, or one that hides its id: nothing is absent.
  wire.answer = () => ({ json: { paging: { total: 1_000_000 }, results: [other, other] } });
  assert.deepEqual(await psp.findPix(E2E), { kind: "unknown", reason: "too_many_to_search" });
  const nameless = { ...PAID, point_of_interaction: {}, transaction_details: {} };
  wire.answer = (heard) => (heard.path.includes("search") ? page(nameless) : { json: nameless });
  assert.deepEqual(await psp.findPix(E2E), { kind: "unknown", reason: "no_end_to_end_id" });
  assert.deepEqual(await psp.findPix("E1823612020259929233200000000000"), { kind: "unknown", reason: "no_time_in_id" });
});

test("a return is the refund of the whole payment, with one key however often it is asked for", async (t) => {
  const { wire, psp } = await start(t);
  let refunds: object[] = [];
  wire.answer = ({ method, path }) => {
    if (path.includes("search")) return page(PAID);
    if (method === "GET") return { json: refunds };
    return { status: 201, json: { ...REFUND, status: "in_process" } };
  };
  const order = { e2eId: E2E, id: "ref1", amount: 2_590 };
  assert.deepEqual(await psp.findReturn(order), { kind: "absent" });
  assert.deepEqual(await psp.returnPix({ ...order, mayLeave: async () => false }), {
    kind: "unsent",
    reason: "claim_over",
  });
  assert.ok(wire.heard.every(({ method }) => method === "GET"));
  wire.heard.length = 0;
  const made = await psp.returnPix(order);
  assert.ok(made.kind === "accepted", JSON.stringify(made));
  const { id, rtrId, amount, status, med } = made.value;
  assert.deepEqual([id, rtrId, amount, status, med], ["ref1", "1627096680", 2_590, "processing", false]);
  const post = sentBy(wire).find(({ method }) => method === "POST")!;
  assert.deepEqual([post.path, post.body], [`/v1/payments/${ID}/refunds`, { amount: 25.9 }]);
  assert.equal(post.headers["x-render-in-process-refunds"], "true");
  await psp.returnPix(order);
  await psp.returnPix({ ...order, id: "ref2" });
  const keys = sentBy(wire).flatMap(({ method, headers }) => (method === "POST" ? [headers["x-idempotency-key"]] : []));
  assert.deepEqual([keys.length, new Set(keys).size, keys[0] === keys[1]], [3, 2, true]);
  // Once it is shown, nothing is sent any more.
  refunds = [{ ...REFUND, status: "in_process" }];
  wire.heard.length = 0;
  assert.equal((await psp.returnPix(order)).kind, "accepted");
  assert.deepEqual(await psp.returnPix({ ...order, amount: 1 }), {
    kind: "unknown",
    reason: "id_used_for_another_return",
  });
  assert.ok(wire.heard.every(({ method }) => method === "GET"));
  const found = await psp.findReturn(order);
  assert.ok(found.kind === "found" && found.value.status === "processing" && found.value.id === "ref1");
  refunds = [];
  const part = await psp.returnPix({ ...order, amount: 100 });
  assert.deepEqual([part.kind, part.kind === "rejected" && part.code], ["rejected", "only_whole"]);
  assert.ok(wire.heard.every(({ method }) => method === "GET"));
});

test("how a return ended is read with care: another's, one that failed, and money that is gone without a refund", async (t) => {
  const { wire, psp } = await start(t);
  let hasFailed = false;
  const read = async (payment: object, ...refunds: object[]) => {
    wire.answer = ({ path }) => (path.includes("search") ? page(payment) : { json: refunds });
    const found = await psp.findReturn({ e2eId: E2E, id: "ref1", hasFailed });
    return found.kind === "found" ? found.value.status : found.kind;
  };
  assert.equal(await read(PAID, REFUND), "settled");
  assert.equal(await read(PAID, { ...REFUND, source: [{ id: "1", type: "Collector" }] }), "settled");
  const rejected = { ...REFUND, status: "rejected" };
  for (const [booked, status] of [
    // It may be an earlier try, and this one is not shown yet.
    [false, "absent"],
    [true, "failed"],
  ] as const) {
    hasFailed = booked;
    assert.equal(await read(PAID, rejected), status);
    assert.equal(await read(PAID, rejected, { ...REFUND, id: 5, status: "cancelled" }), status);
    assert.equal(await read(PAID, rejected, { ...REFUND, amount: "?" }), "unknown");
    assert.equal(await read(PAID, rejected, { ...REFUND, id: 5, status: "in_process" }), "processing");
  }
  hasFailed = false;
  assert.equal(await read(PAID, { ...REFUND, status: "a_new_word" }), "unrecognised");
  assert.equal(
    await read(PAID, { ...REFUND, source: { type: "bpp" } }),
    "absent",
    "one that the bank made is not ours",
  );
  assert.equal(await read(PAID, { ...REFUND, amount: 5 }), "absent");
  assert.equal(await read({ ...PAID, status: "refunded" }), "unknown", "the payment says that it is gone");
  wire.answer = ({ path }) => (path.includes("search") ? page(PAID) : refusal(404, 2_000, "not_found"));
  assert.equal((await psp.findReturn({ e2eId: E2E, id: "ref1" })).kind, "unknown");
  wire.answer = ({ path }) => (path.includes("search") ? page() : { json: [] });
  assert.deepEqual(await psp.findReturn({ e2eId: E2E, id: "ref1" }), { kind: "absent" });
});

test("after a refund that failed another one, whose answer is lost and that is not shown yet, is under way until it is shown", async (t) => {
  const { wire, psp } = await start(t);
  const failed = { ...REFUND, status: "rejected" };
  const executed: Record<string, object> = {};
  let [shown, answers] = [[failed], false];
  wire.answer = ({ method, path, headers }) => {
    if (path.includes("search")) return page(PAID);
    if (method === "GET") return { json: shown };
    const key = String(headers["x-idempotency-key"]);
    executed[key] ??= { ...REFUND, id: 1_627_096_681 };
    return answers ? { status: 201, json: executed[key] } : { status: 504, text: "lost" };
  };
  const key = { e2eId: E2E, id: "second" };
  const order = { find: () => psp.findReturn(key), send: () => psp.returnPix({ ...key, amount: 2_590 }) };
  const step = async (mayHaveLeft: boolean) => {
    const state = { mayHaveLeft, refusedAt: null, absentAt: null };
    const rules = { absentFor: 0, inconclusive: new Set<number>() };
    const pursued = await pursue({ ...order, search: () => psp.findReturn(key) }, state, rules, Date.now);
    return pursued.kind === "shown" ? [pursued.value.id, pursued.value.status] : pursued.kind;
  };
  assert.equal(await step(false), "open");
  assert.equal(await step(true), "open", "the refund that failed was another one");
  answers = true;
  assert.deepEqual(await step(true), ["second", "settled"]);
  shown = [failed, { ...REFUND, id: 1_627_096_681 }];
  assert.deepEqual(await step(true), ["second", "settled"]);
  assert.equal(Object.keys(executed).length, 1);
});

test("a refund that failed after its answer fails by its number, whatever the answer to its repeat says", async (t) => {
  const { wire, psp } = await start(t);
  const order = { e2eId: E2E, id: "ref1", amount: 2_590 };
  const shown = [
    { ...REFUND, id: 5, status: "cancelled" },
    { ...REFUND, status: "rejected" },
  ];
  for (const status of ["in_process", "rejected"]) {
    wire.answer = ({ method, path }) => {
      if (path.includes("search")) return page(PAID);
      return method === "GET" ? { json: shown } : { status: 201, json: { ...REFUND, status } };
    };
    const again = await psp.returnPix(order);
    assert.ok(again.kind === "accepted", JSON.stringify(again));
    assert.deepEqual([again.value.id, again.value.rtrId, again.value.status], ["ref1", "1627096680", "failed"]);
  }
  // A number that is not among those that failed is a new try.
  wire.answer = ({ method, path }) => {
    if (path.includes("search")) return page(PAID);
    return method === "GET" ? { json: shown } : { status: 201, json: { ...REFUND, id: 6, status: "in_process" } };
  };
  const fresh = await psp.returnPix(order);
  assert.ok(fresh.kind === "accepted" && fresh.value.status === "processing", JSON.stringify(fresh));
});

test("a refund that is refused was not made, unless the refunds show it or cannot be read", async (t) => {
  const { wire, psp } = await start(t);
  const order = { e2eId: E2E, id: "ref1", amount: 2_590 };
  for (const [after, kind] of [
    [{ json: [] }, "rejected"],
    [{ json: [REFUND] }, "accepted"],
    [{ json: [{ ...REFUND, amount: "?" }] }, "unknown"],
    [{ status: 500, text: "" }, "unknown"],
  ] as const) {
    let posted = false;
    wire.answer = ({ method, path }) => {
      if (path.includes("search")) return page(PAID);
      if (method === "GET") return posted ? after : { json: [] };
      posted = true;
      return refusal(400, 2_063);
    };
    assert.equal((await psp.returnPix(order)).kind, kind, JSON.stringify(after));
    assert.ok(posted);
  }
});

test("a list has the Pix of a window with what went back, and names what it cannot read", async (t) => {
  const { wire, psp } = await start(t, { pageSize: 3 });
  const card = { ...PAID, id: 8, payment_method_id: "master" };
  const nameless = { ...PAID, id: 9, point_of_interaction: {}, transaction_details: {} };
  wire.answer = ({ path }) => {
    if (path.includes("search"))
      return { json: { paging: { total: 4 }, results: [{ ...PAID, status: "refunded" }, card, nameless] } };
    return path.endsWith("refunds") ? { json: [REFUND] } : { json: nameless };
  };
  const window = { from: new Date("2025-12-29T23:32:40.500Z"), to: new Date("2025-12-29T23:59:00Z"), page: 0 };
  const found = await psp.listPix(window);
  assert.ok(found.kind === "found", JSON.stringify(found));
  const { pix, nextPage, unreadable } = found.value;
  assert.deepEqual([pix.length, nextPage, unreadable?.length], [1, 1, 1]);
  const [back] = pix[0]!.returns;
  // Without an id of ours, its own stands for the network's.
  assert.deepEqual([back?.id, back?.rtrId, back?.status, back?.amount], ["1627096680", "1627096680", "settled", 2_590]);
  const returned = await psp.listPix({ ...window, onlyReturned: true });
  assert.equal(returned.kind === "found" && returned.value.pix.length, 1);
  wire.answer = () => ({ json: { results: [] } });
  assert.equal((await psp.listPix(window)).kind, "unknown");
  wire.answer = () => refusal(404, 2_000, "not_found");
  assert.equal((await psp.listPix(window)).kind, "unknown");
});

test("an approved payment in a status that is not known is named in a list, and unknown by itself", async (t) => {
  const { wire, psp } = await start(t);
  const window = { from: new Date("2025-12-29T23:00:00Z"), to: new Date("2025-12-29T23:59:00Z"), page: 0 };
  const odd = { ...PAID, status: "partially_settled" };
  const bare = { ...odd, point_of_interaction: {}, transaction_details: {} };
  for (const shown of [odd, bare]) {
    wire.answer = ({ path }) => {
      if (path.endsWith("/refunds")) return { json: [] };
      return path.includes("/search") ? page(shown) : { json: shown };
    };
    const listed = await psp.listPix(window);
    assert.ok(listed.kind === "found", JSON.stringify(listed));
    assert.deepEqual([listed.value.pix, listed.value.unreadable?.length], [[], 1]);
    assert.equal((await psp.findPix(ID)).kind, "unknown");
    assert.equal((await psp.findPix(E2E)).kind, "unknown", "nobody can say that it is not this one");
  }
});

test("a page with a payment whose own query has no answer now is unknown; one that shows no id for good is named", async (t) => {
  const { wire, psp } = await start(t);
  const window = { from: new Date("2025-12-29T23:00:00Z"), to: new Date("2025-12-29T23:59:00Z"), page: 0 };
  const bare = { ...PAID, point_of_interaction: {}, transaction_details: {} };
  let own: Said = { status: 500, text: "" };
  wire.answer = ({ path }) => {
    if (path.endsWith("/refunds")) return { json: [] };
    return path.includes("/search") ? page(bare) : own;
  };
  for (const said of [own, { status: 429, json: {} }, { status: 503, text: "<html>" }]) {
    own = said;
    assert.equal((await psp.listPix(window)).kind, "unknown", JSON.stringify(said));
    assert.equal((await psp.findPix(E2E)).kind, "unknown");
  }
  for (const said of [{ json: bare }, { json: { ...bare, id: 1 } }, refusal(404, 2_000, "not_found")]) {
    own = said;
    const listed = await psp.listPix(window);
    assert.ok(listed.kind === "found" && listed.value.unreadable?.length === 1, JSON.stringify(listed));
  }
  own = { json: PAID };
  const listed = await psp.listPix(window);
  assert.ok(listed.kind === "found" && listed.value.pix[0]?.e2eId === E2E && !listed.value.unreadable);
});

test("a charge is cancelled only while it is pending", async (t) => {
  const { wire, psp } = await start(t);
  for (const [shown, answer, kind] of [
    [PENDING, { json: { ...PENDING, status: "cancelled" } }, "accepted"],
    [PENDING, { json: PENDING }, "unknown"],
    [PENDING, refusal(400, 2_063), "rejected"],
    [PAID, { json: PAID }, "rejected"],
  ] as const) {
    wire.heard.length = 0;
    wire.answer = ({ method }) => (method === "PUT" ? answer : page(shown));
    assert.equal((await psp.cancelCharge(TXID, "immediate")).kind, kind);
    const puts = sentBy(wire).filter(({ method }) => method === "PUT");
    assert.deepEqual(
      puts.map(({ path, body }) => [path, body]),
      shown === PAID ? [] : [[`/v1/payments/${ID}`, { status: "cancelled" }]],
    );
  }
});

test("a signature covers the payment, the request and the time, and a notification names the payment alone", async (t) => {
  const { psp } = await start(t, { mercadoPagoSecret: "s3cret" });
  const { psp: unsigned } = await start(t);
  assert.equal(unsigned.checkSignature, undefined);
  const raw = JSON.stringify({ type: "payment", action: "payment.updated", data: { id: ID } });
  const sign = (text: string) => createHmac("sha256", "s3cret").update(text).digest("hex");
  const v1 = sign(`id:${ID};request-id:r1;ts:1704908010;`);
  const check = (headers: Record<string, string>, body = raw) => psp.checkSignature!({ raw: body, headers });
  const good = { "x-signature": `ts=1704908010,v1=${v1}`, "x-request-id": "r1" };
  assert.equal(await check(good), "valid");
  assert.equal(await check({ "x-signature": `ts=1,v1=${sign(`id:${ID};ts:1;`)}` }), "valid", "a part that is left out");
  for (const bad of [
    {},
    { ...good, "x-request-id": "r2" },
    { ...good, "x-signature": `ts=1704908011,v1=${v1}` },
    { ...good, "x-signature": `ts=1704908010,v1=${v1.slice(1)}` },
    { ...good, "x-signature": "v1" },
    { ...good, "x-signature": "" },
  ]) {
    assert.equal(await check(bad), "forged", JSON.stringify(bad));
  }
  assert.equal(await check(good, raw.replace(ID, "7")), "forged");
  assert.equal(await check(good, "not json"), "forged");
  // No text can be made of these: making one throws.
  const odd = ['{"toString":1,"valueOf":1}', `${"[".repeat(20_000)}${"]".repeat(20_000)}`, "1.5", "null", "true"];
  for (const id of odd) {
    const body = `{"type":"payment","data":{"id":${id}}}`;
    assert.equal(await check(good, body), "forged", id.slice(0, 40));
    assert.deepEqual(psp.readNotification(JSON.parse(body)), [], id.slice(0, 40));
  }
  assert.deepEqual(psp.readNotification(JSON.parse(raw)), [{ kind: "pix_named", about: "charge_paid", pixId: ID }]);
  for (const body of [
    null,
    [],
    { type: "payment", action: "payment.created", data: { id: ID } },
    { type: "order", data: { id: "ORD1" } },
    { type: "payment", data: { id: "../x" } },
  ]) {
    assert.deepEqual(psp.readNotification(body), []);
  }
});

test("settings that cannot work are named, and what it cannot do is absent", async (t) => {
  const { psp } = await start(t);
  const { payouts, balance, infractions, registerNotifications, findNotifications } = psp;
  assert.deepEqual([payouts, balance, infractions, registerNotifications, findNotifications], Array(5).fill(undefined));
  const deps = { clock: { now: () => 0 }, log: () => {} };
  const good = { mercadoPagoToken: "t", payerEmail: "a@b.c" };
  for (const [settings, words] of [
    [{ ...good, mercadoPagoToken: undefined }, /^mercadoPagoToken: /],
    [{ ...good, mercadoPagoToken: "a b" }, /^mercadoPagoToken: /],
    [{ ...good, payerEmail: "nobody" }, /^payerEmail: /],
    [{ ...good, mercadoPagoUrl: "ftp://x" }, /^mercadoPagoUrl: /],
  ] as const) {
    assert.throws(() => bank.create(settings, deps), { name: "TypeError", message: words });
  }
});
