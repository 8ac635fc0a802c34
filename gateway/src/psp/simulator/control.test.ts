import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Said, startWireServer } from "../../../test/psp/wire-server.ts";
import { createSimulatorPsp } from "./simulator.ts";

const TXID = "3f6c1d0a7b9e4c2f8a5d6e7f80912b3c";
const E2E = "E12345678202608021305abcdef01234";

async function start(t: TestContext, said: Said) {
  const wire = await startWireServer(t);
  wire.answer = () => said;
  const psp = createSimulatorPsp(
    // A server that is silent on purpose is not waited for; a busy machine is.
    {
      ...wire.settings,
      timeoutMs: typeof said === "function" ? 150 : 30_000,
      controlUrl: `${wire.origin}/control/`,
      controlToken: "c0ntrol",
    },
    { clock: { now: () => 0 } },
  );
  t.after(() => psp.close());
  const pay = psp.sandbox?.payCharge;
  assert.ok(pay);
  return { wire, pay };
}

test("payCharge asks the control API, which answers with the end-to-end id", async (t) => {
  const { wire, pay } = await start(t, { json: { e2eId: E2E, txid: TXID } });
  assert.deepEqual(await pay({ txid: TXID }), { kind: "accepted", value: { e2eId: E2E } });
  const [heard] = wire.heard;
  assert.equal(`${heard?.method} ${heard?.path}`, `POST /control/charges/${TXID}/pay`);
  assert.equal(heard?.headers.authorization, "Bearer c0ntrol");
  assert.equal(heard?.body, "{}");
  assert.equal(wire.tokenCalls.length, 0);

  await pay({ txid: TXID, amount: 150, payer: { name: "Maria", document: "12345678909" } });
  assert.deepEqual(JSON.parse(wire.heard[1]?.body ?? ""), {
    payer: { name: "Maria", document: "12345678909" },
    amountCentavos: 150,
  });
});

test("payCharge: what cannot be paid is rejected with its code, the rest is unknown", async (t) => {
  for (const [said, kind, detail] of [
    [{ status: 404, json: { code: "CHARGE_NOT_FOUND", message: "No charge" } }, "rejected", "CHARGE_NOT_FOUND"],
    [{ status: 404, json: { code: "NOT_FOUND", message: "No route POST" } }, "unknown", "wrong_control_url"],
    [{ status: 404, json: { type: "https://…/NaoEncontrado", status: 404 } }, "unknown", "wrong_control_url"],
    [{ status: 404, text: "<html>" }, "unknown", "wrong_control_url"],
    [{ status: 409, json: { code: "charge_paid" } }, "rejected", "charge_paid"],
    [{ status: 409, text: "" }, "rejected", "http_409"],
    [{ status: 500, text: "" }, "unknown", "http_500"],
    [{ status: 200, json: {} }, "unknown", "unexpected_answer"],
    [{ status: 200, text: "<html>" }, "unknown", "unexpected_answer"],
    [() => {}, "unknown", "timeout"],
  ] as [Said, string, string][]) {
    const { pay } = await start(t, said);
    const outcome = await pay({ txid: TXID });
    assert.equal(outcome.kind, kind);
    assert.equal(outcome.kind === "rejected" ? outcome.code : "reason" in outcome && outcome.reason, detail);
  }
});

test("payCharge without a simulator is unsent", async (t) => {
  const { wire } = await start(t, { text: "" });
  const psp = createSimulatorPsp(
    { ...wire.settings, controlUrl: "http://127.0.0.1:1", controlToken: "x" },
    { clock: { now: () => 0 } },
  );
  t.after(() => psp.close());
  assert.deepEqual(await psp.sandbox?.payCharge({ txid: TXID }), { kind: "unsent", reason: "ECONNREFUSED" });
});
