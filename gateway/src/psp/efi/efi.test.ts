import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Said, startWireServer } from "../../../test/psp/wire-server.ts";
import type { ApiPixSettings } from "../api-pix/config.ts";
import type { ApiPixEvent } from "../api-pix/request.ts";
import { createEfi, efiConfig } from "./efi.ts";

const E2E = "E09089356202608021305API12345678";
const KEY = "6f1b1c2e-8c3b-4a57-9a54-2d1d6f0b9a11";
const CASE = "0f8fad5b-d9cb-469f-a165-70867728950e";
const order = { id: "wd0001", amount: 1234, pixKey: "maria@example.com", holderDocument: "12.ABC.345/01DE-35" };
const accepted = { idEnvio: "wd0001", e2eId: E2E, valor: "12.34", status: "EM_PROCESSAMENTO" };
const problem = (name: string, status: number) => ({
  status,
  json: { type: `https://pix.bcb.gov.br/api/v2/error/${name}`, title: "Título.", status },
});
const efi = (status: number, nome: string, mensagem = "…"): Said => ({ status, json: { nome, mensagem } });
const NOT_THERE = problem("PixEnviadoNaoEncontrado", 404);

async function start(t: TestContext, settings: Partial<ApiPixSettings> = {}) {
  const wire = await startWireServer(t);
  const events: ApiPixEvent[] = [];
  const psp = createEfi(
    { ...wire.settings, ...settings },
    { clock: { now: () => 0 }, log: (event) => events.push(event) },
  );
  t.after(() => psp.close());
  const { payouts, infractions, balance } = psp;
  assert.ok(payouts && infractions && balance);
  /** What is said to the PUT, and to the question that may follow it. */
  const say = (put: Said, get: Said = NOT_THERE) => {
    wire.answer = (heard) => (heard.method === "GET" ? get : put);
  };
  return { wire, psp, payouts, infractions, balance, events, say };
}

test("sendPayout sends what Efí wants, by version 3, with the holder's document beside the key", async (t) => {
  const { wire, payouts, say } = await start(t);
  say({ status: 201, json: accepted });
  const outcome = await payouts.sendPayout({ ...order, holderName: "Maria Silva" });
  assert.ok(outcome.kind === "accepted");
  assert.deepEqual([outcome.value.e2eId, outcome.value.status], [E2E, "processing"]);
  const [heard] = wire.heard;
  assert.equal(`${heard?.method} ${heard?.path}`, "PUT /v3/gn/pix/wd0001");
  assert.deepEqual(JSON.parse(heard?.body ?? ""), {
    valor: "12.34",
    pagador: { chave: KEY },
    favorecido: { chave: "maria@example.com", cnpj: "12ABC34501DE35" },
  });
  await payouts.sendPayout({ ...order, holderDocument: "529.982.247-25" });
  assert.equal(JSON.parse(wire.heard[1]?.body ?? "").favorecido.cpf, "52998224725");
  assert.deepEqual(JSON.parse(wire.tokenCalls[0]?.body ?? ""), { grant_type: "client_credentials" });
});

test("an order that cannot be meant is not sent", async (t) => {
  const { wire, payouts } = await start(t);
  for (const [more, reason] of [
    [{ id: "" }, "invalid_id"],
    [{ id: "a-b" }, "invalid_id"],
    [{ id: "x".repeat(36) }, "invalid_id"],
    [{ amount: 0 }, "invalid_amount"],
    [{ amount: 1.5 }, "invalid_amount"],
    [{ amount: -1 }, "invalid_amount"],
    [{ holderDocument: "123" }, "invalid_document"],
    [{ holderDocument: "12345678901" }, "invalid_document"],
  ] as const) {
    assert.deepEqual(await payouts.sendPayout({ ...order, ...more }), { kind: "unsent", reason });
  }
  assert.equal(wire.heard.length, 0);
});

test("a refusal is rejected in our words once the PSP says that it has no such id", async (t) => {
  const { wire, payouts, say } = await start(t);
  for (const [said, code] of [
    [efi(404, "chave_favorecido_nao_encontrada"), "key_not_found"],
    [efi(400, "chave_nao_pertence_ao_documento"), "holder_mismatch"],
    [efi(400, "documento_bloqueado"), "denied"],
    [efi(422, "pagamento_negado"), "denied"],
    [efi(422, "pagamento_negado", "Saldo insuficiente"), "insufficient_psp_balance"],
    [efi(400, "chave_invalida"), "psp_error"],
    [{ status: 403, json: { error: "insufficient_scope" } }, "psp_error"],
    [problem("RequisicaoInvalida", 400), "psp_error"],
  ] as [Said, string][]) {
    wire.heard.length = 0;
    say(said);
    const outcome = await payouts.sendPayout(order);
    assert.ok(outcome.kind === "rejected", JSON.stringify(outcome));
    assert.equal(outcome.code, code);
    assert.equal(wire.heard[1]?.path, "/v2/gn/pix/enviados/id-envio/wd0001");
  }
  say(efi(400, "valor_invalido", "A chave maria@example.com é inválida"));
  const outcome = await payouts.sendPayout(order);
  assert.equal(outcome.kind === "rejected" && outcome.message, "valor_invalido: A chave *** é inválida");
});

test("a refusal or a conflict of a repeat whose first try is there is accepted", async (t) => {
  const { payouts, say } = await start(t);
  const there = { json: { ...accepted, endToEndId: E2E, status: "REALIZADO" } };
  for (const said of [
    efi(409, "id_envio_duplicado"),
    efi(404, "chave_favorecido_nao_encontrada"),
    efi(422, "pagamento_negado"),
    efi(400, "valor_invalido"),
  ]) {
    say(said, there);
    const outcome = await payouts.sendPayout(order);
    assert.ok(outcome.kind === "accepted" && outcome.value.status === "settled", JSON.stringify(outcome));
  }
  // Where a repeat is answered as the first try was, it is the same payout.
  say({ status: 201, json: { ...accepted, status: "REALIZADO" } });
  assert.equal((await payouts.sendPayout(order)).kind, "accepted");
  say(efi(409, "id_envio_duplicado"), { json: { ...accepted, valor: "12.35" } });
  assert.deepEqual(await payouts.sendPayout(order), { kind: "unknown", reason: "id_used_for_another_payout" });
});

test("listPayouts asks for a page of a window; what cannot be read is left out and logged", async (t) => {
  const { wire, payouts, events } = await start(t, { pageSize: 2 });
  const parametros = { paginacao: { quantidadeDePaginas: 2 } };
  wire.answer = () => ({ json: { parametros, pix: [{ ...accepted, endToEndId: E2E }, { valor: "1.00" }] } });
  const window = { from: new Date("2026-08-01T00:00:00Z"), to: new Date("2026-08-02T00:00:00Z"), page: 0 };
  const found = await payouts.listPayouts!(window);
  assert.ok(found.kind === "found");
  assert.deepEqual([found.value.payouts.map((payout) => payout.id), found.value.nextPage], [["wd0001"], 1]);
  assert.equal(
    wire.heard[0]?.path,
    "/v2/gn/pix/enviados?inicio=2026-08-01T00:00:00.000Z&fim=2026-08-02T00:00:00.000Z&paginacao.paginaAtual=0&paginacao.itensPorPagina=2",
  );
  assert.deepEqual(
    events.filter((event) => event.event === "psp_dropped"),
    [{ event: "psp_dropped", what: "payout", items: 1 }],
  );
  const last = await payouts.listPayouts!({ ...window, page: 1 });
  assert.ok(last.kind === "found" && last.value.nextPage === null);
  wire.answer = () => ({ json: { mensagem: "x" } });
  assert.equal((await payouts.listPayouts!(window)).kind, "unknown");
  assert.equal((await payouts.listPayouts!({ ...window, page: -1 })).kind, "unknown");
});

test("a defence disputes the claim; what the PSP says against it is rejected, the rest is unknown", async (t) => {
  const { wire, infractions } = await start(t);
  wire.answer = () => ({ status: 201, text: "" });
  assert.deepEqual(await infractions.defendInfraction({ id: CASE, text: "Entregue." }), {
    kind: "accepted",
    value: null,
  });
  const [heard] = wire.heard;
  assert.equal(`${heard?.method} ${heard?.path}`, `POST /v2/gn/infracoes/${CASE}/defesa`);
  assert.deepEqual(JSON.parse(heard?.body ?? ""), { analise: "rejeitado", justificativa: "Entregue." });
  for (const [said, kind] of [
    [problem("InfracaoOperacaoInvalida", 409), "rejected"],
    [problem("InfracaoOperacaoInvalida", 422), "rejected"],
    [problem("InfracaoNaoEncontrada", 404), "rejected"],
    [problem("InfracaoErroInterno", 500), "unknown"],
    [{ status: 409, text: "<html>" }, "unknown"],
    [{ status: 404, text: "<html>" }, "unknown"],
  ] as [Said, string][]) {
    wire.answer = () => said;
    assert.equal((await infractions.defendInfraction({ id: CASE, text: "x" })).kind, kind);
  }
  const hasty = await start(t, { timeoutMs: 150 });
  hasty.wire.answer = () => () => {};
  assert.equal((await hasty.infractions.defendInfraction({ id: CASE, text: "x" })).kind, "unknown");
  const asked = wire.heard.length;
  assert.deepEqual(await infractions.defendInfraction({ id: "../x", text: "x" }), {
    kind: "unsent",
    reason: "invalid_id",
  });
  assert.equal(wire.heard.length, asked);
});

test("the balance is asked for with its blocks", async (t) => {
  const { wire, balance } = await start(t);
  const bloqueios = { judicial: "0.00", med: "6.50", total: "6.50" };
  wire.answer = () => ({ json: { saldo: "100.00", bloqueios } });
  assert.deepEqual(await balance(), { kind: "found", value: { total: 10_000, blocked: 650 } });
  assert.equal(wire.heard[0]?.path, "/v2/gn/saldo?bloqueios=true");
  wire.answer = () => efi(500, "erro_aplicacao");
  assert.equal((await balance()).kind, "unknown");
});

test("scopes are asked for where any are, paths follow the base URL and give way to the operator's", () => {
  const own = { clientId: "a", clientSecret: "b", pixKey: "k", tokenUrl: "https://psp.example/oauth/token" };
  const config = (settings: ApiPixSettings) => efiConfig({ ...own, baseUrl: "https://psp.example/v2", ...settings });
  assert.equal(config({}).scope, undefined);
  assert.equal(
    config({ scope: "cob.read pix.send" }).scope,
    "cob.read pix.send gn.pix.send.read gn.balance.read gn.infractions.read gn.infractions.write gn.settings.read gn.settings.write",
  );
  const path = (settings: ApiPixSettings) => config(settings).pathOverrides.putPayout;
  assert.equal(path({}), "/v3/gn/pix/{1}");
  assert.equal(path({ baseUrl: "https://proxy.example/efi/v2/" }), "/efi/v3/gn/pix/{1}");
  assert.equal(path({ pathOverrides: { putPayout: "/v2/gn/pix/{1}" } }), "/v2/gn/pix/{1}");
  const profile = efiConfig({ ...own, tokenUrl: undefined, profile: "efi" });
  assert.deepEqual(
    [profile.baseUrl, profile.pathOverrides.putPayout],
    ["https://pix.api.efipay.com.br/v2", "/v3/gn/pix/{1}"],
  );
});
