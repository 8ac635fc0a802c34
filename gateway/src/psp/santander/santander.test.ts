/** What Santander's payments send and are read as, against the shapes that integrators' code shows. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startWireServer } from "../../../test/psp/wire-server.ts";
import { bank } from "./bank.ts";

const ID = "0f8fad5b-d9cb-469f-a165-70867728950e";
const PAYOUT = { id: "wd0001", amount: 10_000, pixKey: "+5511999998888", holderDocument: "52998224725" };
const payments = "/management_payments_partners/v1/workspaces/w-1/pix_payments";

async function start(t: TestContext, more: object = {}) {
  const wire = await startWireServer(t);
  const { origin, settings } = wire;
  const urls = { paymentsUrl: origin, paymentsTokenUrl: `${origin}/oauth/token` };
  const deps = { clock: { now: () => 0 }, log: () => {} };
  const psp = bank.create({ ...settings, ...urls, workspaceId: "w-1", ...more }, deps);
  t.after(() => psp.close());
  const { payouts } = psp;
  assert.ok(payouts?.authorisePayout);
  return { wire, psp, payouts, authorise: payouts.authorisePayout };
}

test("both steps are sent with the application's key, the amount as a text and the type of the key as the bank calls it", async (t) => {
  const { wire, payouts, authorise } = await start(t, { paymentsClientId: "other", paymentsClientSecret: "0ther" });
  wire.answer = () => ({ json: { id: ID, status: "PENDING_VALIDATION" } });
  const sent = await payouts.sendPayout(PAYOUT);
  assert.ok(sent.kind === "accepted" && sent.value.status === "processing" && sent.value.reference === ID);
  const order = { id: "wd0001", amount: 10_000, reference: ID };
  assert.equal((await authorise({ ...order, mayLeave: async () => false })).kind, "unsent");
  assert.equal((await authorise(order)).kind, "accepted");
  assert.deepEqual(
    wire.heard.map(({ method, path, headers, body }) => [method, path, headers["x-application-key"], JSON.parse(body)]),
    [
      [
        ...["POST", payments, "other"],
        {
          ...{ paymentValue: "100.00", dictCode: "+5511999998888", dictCodeType: "CELULAR" },
          remittanceInformation: "wd0001",
        },
      ],
      ["PATCH", `${payments}/${ID}`, "other", { status: "AUTHORIZED", paymentValue: "100.00" }],
    ],
  );
  assert.match(wire.tokenCalls[0]?.body ?? "", /client_id=other/);
});

test("each status is read as what it means for the money, and an unknown one as none of them", async (t) => {
  const { wire, payouts } = await start(t);
  for (const [status, meaning] of [
    ["PENDING_VALIDATION", "processing"],
    ["READY_TO_PAY", "prepared"],
    ["PENDING_CONFIRMATION", "processing"],
    ["PAYED", "settled"],
    ["REJECTED", "failed"],
    ["SOMETHING_OF_2027", "unrecognised"],
  ] as const) {
    wire.answer = () => ({ json: { id: ID, status, paymentValue: "100.00", rejectReason: "Saldo insuficiente" } });
    const found = await payouts.findPayout("wd0001", ID);
    assert.ok(found.kind === "found", status);
    assert.equal(found.value.status, meaning);
    assert.equal(found.value.failure?.code, status === "REJECTED" ? "insufficient_psp_balance" : undefined);
  }
});

test("what is about another payment, lacks what decides, or comes from a proxy is unknown at each step", async (t) => {
  const { wire, payouts, authorise } = await start(t);
  const whole = { id: ID, status: "READY_TO_PAY", paymentValue: "100.00" };
  for (const said of [
    { json: { ...whole, paymentValue: "100.01" } },
    { json: { ...whole, paymentValue: "x" } },
    { json: { ...whole, status: null } },
    { json: [] },
    { status: 403, text: "<html>Access denied</html>" },
    { status: 404, json: { message: "no Route matched with those values" } },
    { status: 502, text: "" },
  ]) {
    wire.answer = () => said;
    const what = JSON.stringify(said);
    assert.equal((await payouts.sendPayout(PAYOUT)).kind, "unknown", what);
    assert.equal((await authorise({ id: "wd0001", amount: 10_000, reference: ID })).kind, "unknown", what);
    const found = await payouts.findPayout("wd0001", ID);
    // A query does not know what was asked for: another amount is the books' to compare.
    assert.ok(found.kind === "unknown" || (found.kind === "found" && found.value.amount === 10_001), what);
  }
  wire.answer = () => ({ json: { ...whole, id: "another" } });
  assert.equal((await payouts.findPayout("wd0001", ID)).kind, "unknown");
  wire.answer = () => ({ json: { status: "READY_TO_PAY", paymentValue: "100.00" } });
  assert.equal((await payouts.sendPayout(PAYOUT)).kind, "unknown", "without the bank's id it cannot be asked for");
});

test("without a workspace it only receives, and a setting that cannot work is named", async (t) => {
  const { wire } = await start(t);
  const deps = { clock: { now: () => 0 }, log: () => {} };
  const receiving = bank.create({ ...wire.settings }, deps);
  t.after(() => receiving.close());
  assert.equal(receiving.payouts, undefined);
  assert.deepEqual(
    [bank.capabilities({}).payouts, bank.capabilities({ workspaceId: "w" }).payouts?.authorised],
    [null, true],
  );
  const wrong = (more: object) => () => bank.create({ ...wire.settings, workspaceId: "w", ...more }, deps);
  assert.throws(wrong({ workspaceId: "../w" }), /^TypeError: workspaceId: /);
  assert.throws(wrong({ paymentsUrl: "nowhere" }), /^TypeError: paymentsUrl: /);
  assert.throws(wrong({ paymentsTokenUrl: "ftp://x" }), /^TypeError: paymentsTokenUrl: /);
});
