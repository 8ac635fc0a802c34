import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startWireServer } from "../../../test/psp/wire-server.ts";
import { accountNames } from "./account.ts";
import { createApiPix } from "./api-pix.ts";
import { readAccountBalance } from "./banking.ts";
import { capabilitiesOf } from "./capabilities.ts";
import type { ApiPixSettings } from "./config.ts";
import { SCOPES } from "./profiles.ts";

const scope = [...SCOPES, "extrato.read"].join(" ");

async function start(t: TestContext, settings: Partial<ApiPixSettings>) {
  const wire = await startWireServer(t);
  const psp = createApiPix({ ...wire.settings, ...settings }, { clock: { now: () => 0 } });
  t.after(() => psp.close());
  return { wire, psp };
}

test("Inter's balance is asked for at its API Banking, with the token's scope, and contains what is blocked", async (t) => {
  const { wire, psp } = await start(t, { profile: "inter", scope });
  const blocks = { bloqueadoCheque: 1.5, bloqueadoJudicialmente: 2, bloqueadoAdministrativo: 3.05, limite: 1000 };
  wire.answer = () => ({ json: { disponivel: 100.1, ...blocks } });
  assert.deepEqual(await psp.balance?.(), { kind: "found", value: { total: 10_665, blocked: 655 } });
  assert.deepEqual(
    wire.heard.map(({ method, path }) => [method, path]),
    [["GET", "/banking/v2/saldo"]],
  );
  assert.match(decodeURIComponent(wire.tokenCalls[0]?.body ?? ""), /extrato\.read/);
  wire.answer = () => ({ status: 503, text: "closed" });
  assert.equal((await psp.balance?.())?.kind, "unknown");
});

test("it has none where the scope is not named, or at another bank", async (t) => {
  for (const settings of [{ profile: "inter" }, { profile: "bradesco", scope }, { scope }]) {
    const { psp } = await start(t, settings);
    assert.equal(psp.balance, undefined);
    assert.equal(capabilitiesOf(settings).balance, false);
  }
  assert.equal(capabilitiesOf({ profile: "inter-sandbox", scope }).balance, true);
});

test("a balance is read with zeros and a sign, without blocks, and never in part", () => {
  assert.deepEqual(readAccountBalance({ disponivel: 0 }), { total: 0, blocked: 0 });
  assert.deepEqual(readAccountBalance({ disponivel: -0.01, bloqueadoCheque: null }), { total: -1, blocked: 0 });
  assert.deepEqual(readAccountBalance({ disponivel: "12.34" }), { total: 1_234, blocked: 0 });
  for (const body of [null, {}, { disponivel: "x" }, { disponivel: 1.001 }, { disponivel: 1, bloqueadoCheque: "x" }]) {
    assert.equal(readAccountBalance(body), null);
  }
});

test("the evidence of a payout at Inter names it, also where the answer names it by its request alone", async (t) => {
  const { wire, psp } = await start(t, { profile: "inter", scope: `${scope} pagamento-pix.read pagamento-pix.write` });
  const reference = "3f0c0c5e-6f5e-4f43-9a61-0d4a5b7c8d9e";
  for (const codigoSolicitacao of [reference, null, undefined]) {
    wire.answer = () => ({ json: { transacaoPix: { valor: 10, status: "PAGO", codigoSolicitacao } } });
    const found = await psp.payouts!.findPayout("W1", reference);
    assert.equal(found.kind, "found");
    assert.ok(JSON.stringify(found.value.said).includes(reference), String(codigoSolicitacao));
  }
  wire.answer = () => ({ json: { transacaoPix: { valor: 10, status: "PAGO", codigoSolicitacao: "another" } } });
  assert.equal((await psp.payouts!.findPayout("W1", reference)).kind, "unknown");
});

test("who reads the balance or pays out of Inter's account is known by the application, and by its account where that is named", () => {
  const names = (more: object) => accountNames({ profile: "inter", scope, clientId: "c", ...more });
  assert.deepEqual(names({}), ["application/c/account/*"]);
  assert.deepEqual(names({ extraHeaders: { "x-conta-corrente": "123" } }), ["application/c/account/123"]);
  assert.deepEqual(names({ scope: SCOPES.join(" ") }), [], "one that only receives is known by its key");
  assert.deepEqual(names({ profile: "bradesco" }), []);
  assert.deepEqual(names({ clientId: undefined }), []);
});
