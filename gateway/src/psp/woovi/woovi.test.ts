/** What Woovi is sent and how its answers are read, against the shapes of its specification and samples. */
import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { type TestContext, test } from "node:test";
import { startWireServer } from "../../../test/psp/wire-server.ts";
import { bank } from "./bank.ts";

const TXID = "3f6c1d0a7b9e4c2f8a5d6e7f80912b3c";
const E2E = "E18236120202012032010s0133872GZA";
const RTR = "D09089356202108032000a543e325902";
const CODE = "00020101021226";
const HOUR = 3_600_000;
const ORDER = { txid: TXID, amount: 2_590, expiresIn: 900, description: "Pedido 1042" };
const PAYOUT = {
  id: "wd0001",
  amount: 100,
  pixKey: "c4249323-b4ca-43f2-8139-8232aab09b93",
  holderDocument: "52998224725",
};

/** As the specification has a charge, with its texts left out. */
const CHARGE = {
  ...{ status: "ACTIVE", value: 2_590, comment: "good", correlationID: TXID, transactionID: TXID, brCode: CODE },
  ...{ expiresIn: 900, expiresDate: "2021-04-01T17:43:51.882Z", createdAt: "2021-04-01T17:28:51.882Z" },
  ...{
    paymentLinkUrl: "https://woovi.com/pay/1",
    customer: { name: "Dan", taxID: { taxID: "31324227036", type: "BR:CPF" } },
  },
};
const PERSON = { name: "Dan", email: "email0@example.com", taxID: { taxID: "31324227036", type: "BR:CPF" } };
const PIX = {
  ...{
    payer: PERSON,
    customer: PERSON,
    charge: { status: "ACTIVE", correlationID: TXID },
    infoPagador: "payer info 0",
  },
  ...{ value: 2_590, time: "2021-03-03T12:33:00.536Z", transactionID: TXID, type: "PAYMENT", endToEndId: E2E },
};

async function start(t: TestContext, more: object = {}) {
  const wire = await startWireServer(t);
  let now = 1_000_000;
  const deps = { clock: { now: () => now }, log: () => {} };
  const psp = bank.create({ wooviUrl: wire.origin, appId: "QXBwSUQ=", wooviPayouts: true, ...more }, deps);
  t.after(() => psp.close());
  const { payouts, infractions, balance, checkSignature } = psp;
  assert.ok(payouts && infractions && balance && checkSignature);
  const pass = (ms: number) => {
    now += ms;
  };
  return { wire, psp, payouts, infractions, balance, checkSignature, pass };
}

test("a charge is sent in centavos under our txid, with the AppID as it is, and lives five minutes at least", async (t) => {
  const { wire, psp } = await start(t);
  wire.answer = () => ({ json: { charge: CHARGE, correlationID: TXID, brCode: CODE } });
  const made = await psp.createCharge({ ...ORDER, payer: { name: "Dan", document: "31324227036" } });
  assert.ok(made.kind === "accepted", JSON.stringify(made));
  const { status, amount, pixCopyPaste, expiresAt } = made.value;
  assert.deepEqual([status, amount, pixCopyPaste, expiresAt], ["active", 2_590, CODE, new Date(CHARGE.expiresDate)]);
  await psp.createCharge({ ...ORDER, expiresIn: 60, description: "" });
  const [first, second] = wire.heard.map(({ method, path, headers, body }) => {
    return [method, path, headers.authorization, JSON.parse(body)];
  });
  const path = "/api/v1/charge?return_existing=true";
  const sent = { correlationID: TXID, value: 2_590, expiresIn: 900, comment: "Pedido 1042" };
  assert.deepEqual(first, ["POST", path, "QXBwSUQ=", { ...sent, customer: { name: "Dan", taxID: "31324227036" } }]);
  assert.deepEqual(second, ["POST", path, "QXBwSUQ=", { correlationID: TXID, value: 2_590, expiresIn: 300 }]);
  const due = { date: "2027-01-31", daysAfter: 0 };
  assert.equal((await psp.createCharge({ ...ORDER, due })).kind, "unsent");
  assert.equal(wire.heard.length, 2);
});

test("an existing charge of another amount, an unreadable yes, a proxy's page and what is undecided are unknown", async (t) => {
  const { wire, psp, payouts } = await start(t);
  for (const said of [
    { json: { charge: { ...CHARGE, value: 2_591 } } },
    { json: { charge: { ...CHARGE, value: "2590" } } },
    { json: { charge: { ...CHARGE, value: 25.9 } } },
    { json: { charge: { ...CHARGE, correlationID: "another" } } },
    { json: {} },
    { json: [] },
    { text: "<html>" },
    { status: 403, text: "<html>Access denied</html>" },
    { status: 404, json: { error: "Not Found", message: "no Route matched with those values" } },
    { status: 409, json: { error: "Conflito" } },
    { status: 429, json: { error: "Too many requests" } },
    { status: 500, json: { error: "Internal server error" } },
  ]) {
    wire.answer = () => said;
    const what = JSON.stringify(said);
    assert.equal((await psp.createCharge(ORDER)).kind, "unknown", what);
    assert.equal((await payouts.sendPayout(PAYOUT)).kind, "unknown", what);
    if (!what.includes("259")) assert.equal((await psp.findCharge(TXID, "immediate")).kind, "unknown", what);
  }
});

test("each status of a charge is read as what it means, and a paid one with its payments", async (t) => {
  const { wire, psp } = await start(t);
  for (const [status, meaning] of [
    ["ACTIVE", "active"],
    ["COMPLETED", "paid"],
    ["EXPIRED", "removed"],
    ["OF_2027", "unrecognised"],
  ] as const) {
    const refund = { ...PIX, type: "REFUND", endToEndId: RTR };
    wire.answer = ({ path }) => ({
      json: path.includes("/transaction") ? { transactions: [PIX, refund] } : { charge: { ...CHARGE, status } },
    });
    const found = await psp.findCharge(TXID, "immediate");
    assert.ok(found.kind === "found", status);
    assert.equal(found.value.status, meaning);
    assert.deepEqual(
      found.value.pix.map(({ e2eId }) => e2eId),
      status === "ACTIVE" ? [] : [E2E],
    );
  }
  wire.answer = ({ path }) => ({
    json: path.includes("/transaction")
      ? { transactions: [{ ...PIX, time: null }] }
      : { charge: { ...CHARGE, status: "COMPLETED" } },
  });
  assert.equal((await psp.findCharge(TXID, "immediate")).kind, "unknown", "no payment is dropped in silence");
});

test("a charge is removed after it was read, and without an answer to that nothing of the removal is sent", async (t) => {
  const { wire, psp } = await start(t);
  const say = (charge: object) => {
    wire.heard.length = 0;
    wire.answer = ({ method }) => (method === "GET" ? charge : { json: { status: "OK", id: TXID } }) as never;
  };
  say({ json: { charge: CHARGE } });
  const removed = await psp.cancelCharge(TXID, "immediate");
  assert.ok(removed.kind === "accepted" && removed.value.status === "removed" && removed.value.amount === 2_590);
  assert.deepEqual(
    wire.heard.map(({ method, path }) => `${method} ${path}`),
    ["GET", "DELETE"].map((method) => `${method} /api/v1/charge/${TXID}`),
  );
  for (const [said, kind] of [
    [{ status: 503, text: "" }, "unsent"],
    [{ json: { charge: { ...CHARGE, status: "COMPLETED" } } }, "rejected"],
    [{ status: 400, json: { error: "Cobrança não encontrada" } }, "rejected"],
  ] as const) {
    say(said);
    assert.equal((await psp.cancelCharge(TXID, "immediate")).kind, kind);
    assert.equal(wire.heard.length, 1);
  }
});

test("a Pix is read with its payer and those refunds of its charge that are its own", async (t) => {
  const { wire, psp } = await start(t);
  const other = "E00000000202012032010000000000000";
  const refunds = [
    { status: "CONFIRMED", value: 10, correlationID: `${E2E}-ref1`, endToEndId: RTR, time: "2021-03-05T14:49:02.922Z" },
    {
      status: "IN_PROCESSING",
      value: 20,
      correlationID: "9134e286-6f71-427a-bf00-241681624586",
      time: "2021-03-05T14:49:02.922Z",
    },
    { status: "CONFIRMED", value: 30, correlationID: `${other.slice(0, 32)}-ref1`, time: "2021-03-05T14:49:02.922Z" },
    { status: "CONFIRMED", correlationID: "without-an-amount" },
  ];
  wire.answer = ({ path }) => ({ json: path.endsWith("/refund") ? { refunds } : { transaction: PIX } });
  const found = await psp.findPix(E2E);
  assert.ok(found.kind === "found", JSON.stringify(found));
  const { txid, amount, payer, returns, unreadableReturns } = found.value;
  assert.deepEqual([txid, amount, payer], [TXID, 2_590, { name: "Dan", document: "31324227036" }]);
  assert.deepEqual(
    returns.map(({ id, rtrId, amount: back, status, med }) => [id, rtrId, back, status, med]),
    [
      ["ref1", RTR, 10, "settled", false],
      ["9134e286-6f71-427a-bf00-241681624586", undefined, 20, "processing", null],
    ],
  );
  assert.equal(unreadableReturns, 1);
  // Without a charge nothing says what went back, only that something did.
  wire.answer = () => ({ json: { transaction: { ...PIX, charge: null, status: "PARTIAL_REFUND" } } });
  const plain = await psp.findPix(E2E);
  assert.ok(plain.kind === "found" && plain.value.unreadableReturns === 1 && plain.value.txid === undefined);
  wire.answer = () => ({ status: 400, json: { error: "Transaction not found" } });
  assert.deepEqual(await psp.findPix(E2E), { kind: "absent" });
});

test("a page names what it cannot read, follows the bank's paging, and mistrusts a list that ignores it", async (t) => {
  const { wire, psp } = await start(t, { pageSize: 2 });
  const confirmed = { ...PIX, status: "CONFIRMED" };
  const list = () => psp.listPix({ from: new Date(0), to: new Date(HOUR), page: 1 });
  const say = (transactions: unknown[], pageInfo?: object) => {
    wire.answer = () => ({ json: { transactions, pageInfo } });
  };
  say([confirmed, { ...PIX, value: 1.5 }], { skip: 2, limit: 2, hasNextPage: true });
  const first = await list();
  assert.ok(first.kind === "found");
  assert.deepEqual([first.value.pix.length, first.value.nextPage, first.value.cutAt], [1, 2, undefined]);
  assert.match(first.value.unreadable?.[0] ?? "", /^2021-03-03T12:33:00\.536Z\/.{16}$/);
  const path = "start=1970-01-01T00:00:00.000Z&end=1970-01-01T01:00:00.000Z&type=PAYMENT&skip=2&limit=2";
  assert.equal(wire.heard[0]?.path, `/api/v1/transaction?${path}`);
  say([confirmed, { ...confirmed, type: "WITHDRAW" }], { skip: 0, limit: 10, hasNextPage: true });
  const ignoring = await list();
  assert.ok(ignoring.kind === "found");
  assert.deepEqual([ignoring.value.pix.length, ignoring.value.nextPage, ignoring.value.cutAt], [1, null, 2]);
});

test("a refund carries the Pix in its id; one of which the status is left out is under way", async (t) => {
  const { wire, psp } = await start(t);
  const order = { e2eId: E2E, id: "ref1", amount: 100, description: "Pedido cancelado" };
  const shown = { value: 100, correlationID: `${E2E}-ref1`, refundId: "11bf5b37e0b842e08dcfdc8c4aefc000" };
  wire.answer = () => ({ json: { refund: { ...shown, status: "IN_PROCESSING" } } });
  assert.equal((await psp.returnPix(order)).kind, "accepted");
  assert.deepEqual(JSON.parse(wire.heard[0]!.body), {
    ...{ transactionEndToEndId: E2E, correlationID: `${E2E}-ref1`, value: 100, comment: "Pedido cancelado" },
  });
  wire.answer = () => ({ json: { pixTransactionRefund: { ...shown, returnIdentification: RTR } } });
  const found = await psp.findReturn({ e2eId: E2E, id: "ref1" });
  assert.ok(found.kind === "found" && found.value.status === "processing" && found.value.rtrId === RTR);
  assert.equal(wire.heard[1]?.path, `/api/v1/refund/${E2E}-ref1`);
  // Refused as existing, and not shown: reads lag behind.
  wire.answer = ({ method }) => ({
    ...{
      status: 400,
      json: { error: method === "POST" ? "Já existe um reembolso com este ID" : "Reembolso não encontrado" },
    },
  });
  assert.deepEqual(await psp.returnPix(order), { kind: "unknown", reason: "id_in_use" });
});

test("each status of a payout is read as what it means, and its reason wherever it stands", async (t) => {
  const { wire, payouts } = await start(t);
  const transaction = { value: 100, endToEndId: E2E, time: "2023-03-20T13:14:17.000Z" };
  const payment = { value: 100, destinationAlias: PAYOUT.pixKey, comment: "wd0001", correlationID: "wd0001" };
  const error = { code: "PIX_KEY_INFO_NOT_FOUND", description: "Chave pix informada não encontrada" };
  for (const [status, more, meaning, failure] of [
    ["CREATED", {}, "awaiting_approval", undefined],
    ["APPROVED", {}, "processing", undefined],
    ["CONFIRMED", { destination: { name: "Dan", taxID: "31324227036" } }, "settled", undefined],
    ["FAILED", { error }, "failed", "key_not_found"],
    [
      "FAILED",
      { transaction: { ...transaction, providerRejectedReason: "AC07 - Conta" } },
      "failed",
      "destination_refused",
    ],
    ["REJECTED", { error: "NOT_ENOUGH_BALANCE" }, "failed", "insufficient_psp_balance"],
    ["FAILED", {}, "failed", "psp_error"],
    ["DENIED", {}, "failed", "not_approved"],
    ["OF_2027", {}, "unrecognised", undefined],
  ] as const) {
    wire.answer = ({ path }) => ({
      json: path.includes("withdrawal=")
        ? { transactions: [] }
        : { payment: { ...payment, status }, transaction, ...more },
    });
    const found = await payouts.findPayout("wd0001");
    assert.ok(found.kind === "found", status);
    assert.deepEqual([found.value.status, found.value.failure?.code], [meaning, failure], status);
  }
  wire.answer = () => ({ json: { payment: { ...payment, status: "CREATED", correlationID: "another" } } });
  assert.equal((await payouts.findPayout("wd0001")).kind, "unknown");
});

test("a repeated payout is settled by the query, and a refusal only where there is none", async (t) => {
  const { wire, payouts } = await start(t);
  const payment = { value: 100, status: "APPROVED", correlationID: "wd0001" };
  const say = (refusal: string, query: object) => {
    wire.answer = ({ method }) => (method === "POST" ? { status: 400, json: { error: refusal } } : query) as never;
  };
  const none = { status: 400, json: { error: "Pagamento não encontrado" } };
  say("Já existe um pagamento com o correlationID fornecido", { json: { payment } });
  assert.equal((await payouts.sendPayout(PAYOUT)).kind, "accepted");
  assert.deepEqual(JSON.parse(wire.heard[0]!.body), {
    ...{ type: "PIX_KEY", value: 100, correlationID: "wd0001", autoApprove: true, comment: "wd0001" },
    ...{ destinationAlias: PAYOUT.pixKey, destinationAliasType: "RANDOM" },
  });
  assert.deepEqual(await payouts.sendPayout({ ...PAYOUT, amount: 101 }), {
    ...{ kind: "unknown", reason: "id_used_for_another_payout" },
  });
  say("Já existe um pagamento com o correlationID fornecido", none);
  assert.deepEqual(await payouts.sendPayout(PAYOUT), { kind: "unknown", reason: "id_in_use" });
  say("You do not have enough balance to make this payment", none);
  const poor = await payouts.sendPayout(PAYOUT);
  assert.ok(poor.kind === "rejected" && poor.code === "insufficient_psp_balance");
  // Created, and its approval refused: it is there, and waits.
  say("You do not have enough balance to make this payment", { json: { payment: { ...payment, status: "CREATED" } } });
  const waits = await payouts.sendPayout(PAYOUT);
  assert.ok(waits.kind === "accepted" && waits.value.status === "awaiting_approval");
  say("You do not have enough balance to make this payment", { status: 500, json: { error: "Internal server error" } });
  assert.equal((await payouts.sendPayout(PAYOUT)).kind, "unknown");
});

test("the balance is of the default account or the one that is named, and what is not available is blocked", async (t) => {
  const { wire, balance } = await start(t);
  const account = (isDefault: boolean, total: number, available: number) => ({
    isDefault,
    balance: { total, blocked: 0, available },
  });
  wire.answer = () => ({ json: { accounts: [account(false, 1, 1), account(true, 130, 30)] } });
  assert.deepEqual(await balance(), { kind: "found", value: { total: 130, blocked: 100 } });
  wire.answer = () => ({ json: { accounts: [account(false, 1, 1)] } });
  assert.equal((await balance()).kind, "unknown");
  const named = await start(t, { wooviAccountId: "6290ccfd42831958a405debc" });
  named.wire.answer = () => ({ json: { account: account(false, 5, 5) } });
  assert.deepEqual(await named.balance(), { kind: "found", value: { total: 5, blocked: 0 } });
  assert.equal(named.wire.heard[0]?.path, "/api/v1/account/6290ccfd42831958a405debc");
});

test("disputes of Pix are cases under the Pix, those of cards are none, and evidence is refused in Woovi's words", async (t) => {
  const { wire, infractions } = await start(t);
  const dispute = { status: "IN_REVIEW", value: 100, endToEndId: E2E, type: "MED", disputeReason: "Golpe" };
  const more = { createdAt: "2021-03-02T17:28:51.882Z", updatedAt: "2021-03-03T17:28:51.882Z" };
  const disputes = [
    { ...dispute, ...more },
    { ...dispute, ...more, status: "ACCEPTED" },
    { ...dispute, type: "CHARGEBACK" },
  ];
  wire.answer = () => ({ json: { disputes } });
  const listed = await infractions.listInfractions({ from: new Date(0), to: new Date(HOUR), page: 0 });
  assert.ok(listed.kind === "found");
  assert.deepEqual(
    listed.value.infractions.map(({ id, e2eId, amount, status, closedAt }) => [
      id,
      e2eId,
      amount,
      status,
      closedAt?.getUTCDate(),
    ]),
    [
      [E2E, E2E, 100, "open", undefined],
      [E2E, E2E, 100, "accepted", 3],
    ],
  );
  wire.answer = () => ({ status: 400, json: { error: "You cannot send a evidence for a accepted dispute" } });
  assert.equal((await infractions.defendInfraction({ id: E2E, text: "Entregue." })).kind, "rejected");
  assert.deepEqual(JSON.parse(wire.heard[1]!.body), { documents: [{ correlationID: E2E, description: "Entregue." }] });
});

test("notifications of every event are read as what they are about, and nothing else is", async (t) => {
  const { psp } = await start(t);
  const read = (body: unknown) =>
    psp.readNotification(body).map((one) => {
      if (one.kind === "payout_moved") return [one.kind, one.payoutId];
      if (one.kind === "case_opened") return [one.kind, one.caseId];
      assert.ok(one.kind !== "pix_named");
      return [one.kind, one.pix.e2eId, one.pix.txid, one.pix.returns.map(({ rtrId, status }) => [rtrId, status])];
    });
  const payment = { value: 30, status: "CONFIRMED", correlationID: "wd0001" };
  const refundTransaction = { value: 10, endToEndId: RTR, status: "CONFIRMED", type: "REFUND", time: PIX.time };
  const sent = { value: 30, time: PIX.time, endToEndId: E2E, type: "WITHDRAW", infoPagador: "wd0001" };
  for (const [body, ...expected] of [
    [
      { event: "OPENPIX:CHARGE_COMPLETED", charge: CHARGE, pix: { ...PIX, charge: undefined } },
      ["charge_paid", E2E, TXID, []],
    ],
    [
      { event: "woovi:TRANSACTION_RECEIVED", charge: null, pix: { ...PIX, charge: null } },
      ["charge_paid", E2E, undefined, []],
    ],
    [{ pixQrCode: {}, charge: null, pix: PIX }, ["charge_paid", E2E, TXID, []]],
    [
      { event: "PIX_TRANSACTION_REFUND_SENT_CONFIRMED", refundTransaction, originalTransaction: PIX },
      ["return_moved", E2E, TXID, [[RTR, "settled"]]],
    ],
    [
      {
        event: "PIX_TRANSACTION_REFUND_SENT_REJECTED",
        refundTransaction: { ...refundTransaction, status: "REJECTED" },
        originalTransaction: PIX,
      },
      ["return_moved", E2E, TXID, [[RTR, "failed"]]],
    ],
    [
      { event: "PIX_TRANSACTION_REFUND_RECEIVED_CONFIRMED", refundTransaction, originalTransaction: sent },
      ["payout_moved", "wd0001"],
    ],
    [{ event: "OPENPIX:MOVEMENT_CONFIRMED", payment }, ["payout_moved", "wd0001"]],
    [{ event: "OPENPIX:MOVEMENT_REMOVED", payment: { correlationID: "wd0001" } }, ["payout_moved", "wd0001"]],
    [
      { event: "woovi:DISPUTE_CREATED", dispute: { status: "OPENED", endToEndId: E2E, value: 1_000 } },
      ["case_opened", E2E],
    ],
    [{ event: "OPENPIX:CHARGE_EXPIRED", charge: CHARGE }],
    [{ event: "OPENPIX:MOVEMENT_CONFIRMED", payment: { correlationID: "../x" } }],
    [{ event: "OPENPIX:TRANSACTION_RECEIVED", pix: { ...PIX, type: "REFUND" } }],
    ...[null, [], "x", {}, { pix: { ...PIX, value: "1" } }].map((body) => [body] as const),
  ] as const) {
    assert.deepEqual(read(body), expected, JSON.stringify(body));
  }
});

test("a signature counts by any published key, keys are asked for once an hour, and a stranger cannot make more calls", async (t) => {
  const { wire, checkSignature, pass } = await start(t);
  const [old, current, foreign] = [0, 1, 2].map(() => generateKeyPairSync("rsa", { modulusLength: 1_024 }));
  const ed25519 = generateKeyPairSync("ed25519");
  const publish = (...pairs: (typeof old)[]) => {
    const keys = pairs.map((pair) => ({ key: pair!.publicKey.export({ type: "spki", format: "pem" }) }));
    const others = [{ key: "no key" }, { key: ed25519.publicKey.export({ type: "spki", format: "pem" }) }];
    wire.answer = () => ({ json: { public_keys: [...others, ...keys] } });
  };
  const raw = '{"event":"OPENPIX:TRANSACTION_RECEIVED", "é":1}';
  const by = (pair: typeof old, over = raw) =>
    checkSignature({
      raw: over,
      headers: { "x-webhook-signature": sign("sha256", Buffer.from(raw), pair!.privateKey).toString("base64") },
    });
  // Before any key is known, a signature is neither right nor wrong.
  wire.answer = () => ({ status: 503, text: "" });
  assert.equal(await by(current), "unknown");
  publish(old, current);
  assert.equal(await by(current), "unknown", "it asks once a minute");
  assert.equal(wire.heard.length, 1);
  pass(60_000);
  assert.deepEqual(await Promise.all([by(current), by(old)]), ["valid", "valid"]);
  assert.equal(wire.heard.length, 2);
  assert.equal(await by(current, `${raw} `), "forged");
  assert.equal(await checkSignature({ raw, headers: {} }), "forged");
  for (let i = 0; i < 20; i += 1) assert.equal(await by(foreign), "forged");
  assert.equal(wire.heard.length, 2);
  // A key that is new is found within a minute; without an answer the known ones stay.
  publish(foreign);
  pass(60_000);
  assert.equal(await by(foreign), "valid");
  wire.answer = () => ({ status: 503, text: "" });
  pass(HOUR + 1);
  assert.equal(await by(foreign), "valid");
});

test("registering makes a webhook for each event that lacks one, and removes those of an earlier address", async (t) => {
  const { wire, psp } = await start(t);
  const url = "https://pay.example/psp/1/secret";
  const mine = (id: string, event: string, at: string) => ({ id, event, url: at, name: "pixgate", isActive: true });
  const webhooks = [
    mine("V2Vi+1=", "OPENPIX:TRANSACTION_RECEIVED", url),
    mine("V2Vi/2=", "OPENPIX:TRANSACTION_RECEIVED", "https://old.example"),
    { ...mine("other", "OPENPIX:TRANSACTION_RECEIVED", "https://shop.example"), name: "shop" },
  ];
  wire.answer = ({ method }) => ({ json: method === "GET" ? { webhooks } : { webhook: { id: "x" }, status: "OK" } });
  assert.deepEqual(await psp.findNotifications!(), { kind: "absent" }, "most events go nowhere");
  wire.heard.length = 0;
  assert.deepEqual(await psp.registerNotifications!(url), { kind: "accepted", value: null });
  const made = wire.heard.filter(({ method }) => method === "POST").map(({ body }) => JSON.parse(body).webhook);
  assert.equal(made.length, 10);
  assert.ok(made.every((one) => one.url === url && one.event !== "OPENPIX:TRANSACTION_RECEIVED"));
  assert.deepEqual(
    wire.heard.filter(({ method }) => method === "DELETE").map(({ path }) => path),
    ["/api/v1/webhook/V2Vi%2F2%3D"],
  );
  wire.answer = ({ method }) =>
    method === "GET" ? { json: { webhooks: [] } } : { status: 400, json: { error: "Invalid url" } };
  assert.equal((await psp.registerNotifications!("ftp://x")).kind, "rejected");
});

test("settings that cannot work are named, and without released payments it only receives", async (t) => {
  const { wire } = await start(t);
  const deps = { clock: { now: () => 0 }, log: () => {} };
  const wrong = (settings: object) => () =>
    bank.create({ wooviUrl: wire.origin, appId: "QXBwSUQ=", ...settings }, deps);
  assert.throws(wrong({ appId: undefined }), /^TypeError: appId: /);
  assert.throws(wrong({ appId: "a\nb" }), /^TypeError: appId: /);
  assert.throws(wrong({ wooviUrl: "nowhere" }), /^TypeError: wooviUrl: /);
  assert.throws(wrong({ wooviAccountId: "../x" }), /^TypeError: wooviAccountId: /);
  const receiving = wrong({})();
  t.after(() => receiving.close());
  assert.equal(receiving.payouts, undefined);
  assert.deepEqual(
    [bank.capabilities({}).payouts, bank.capabilities({ wooviPayouts: true }).payouts?.foundBy],
    [null, "our_id"],
  );
});

test("a Pix that Woovi shows as refunded has an unreadable return while the list of refunds does not show one", async (t) => {
  const { wire, psp } = await start(t);
  const refund = { status: "REJECTED", value: 2_590, correlationID: `${E2E}-ref1`, time: PIX.time };
  for (const [refunds, unreadable] of [
    [{ json: { refunds: [] } }, 1],
    [{ status: 400, json: { error: "Reembolso não encontrado" } }, 1],
    [{ json: { refunds: [refund] } }, 1],
    [{ json: { refunds: [{ ...refund, status: "CONFIRMED" }] } }, undefined],
  ] as const) {
    wire.answer = ({ path }) =>
      path.includes("/refund") ? refunds : { json: { transaction: { ...PIX, status: "REFUNDED" } } };
    const found = await psp.findPix(E2E);
    assert.ok(found.kind === "found", JSON.stringify(found));
    assert.equal(found.value.unreadableReturns, unreadable, JSON.stringify(refunds));
  }
});
