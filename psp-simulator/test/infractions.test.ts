import assert from "node:assert/strict";
import { test } from "node:test";
import { type Json, stage, until, withSimulator } from "./harness.ts";

const { simulator, receiver } = stage({ behavesAgain: true });

const PROBLEM = "https://pix.bcb.gov.br/api/v2/error/";
const DAY = 24 * 60 * 60 * 1000;

const contest = (e2eId: string, more: Json = {}, of = simulator) =>
  of.control("POST", "/control/infractions", { e2eId, ...more });
const resolve = (id: string, outcome: string, of = simulator) =>
  of.control("POST", `/control/infractions/${id}/resolve`, { outcome });
const defend = (id: string, body: unknown = { analise: "rejeitado", justificativa: "Entregue." }) =>
  simulator.api("POST", `/v2/gn/infracoes/${id}/defesa`, body);
const list = async (more = "", of = simulator): Promise<Json> => {
  const window = "inicio=2020-01-01T00:00:00Z&fim=2100-01-01T00:00:00Z";
  const answer = await of.api("GET", `/v2/gn/infracoes?${window}&paginacao.itensPorPagina=1000${more}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const shown = async (id: string): Promise<Json> =>
  (await list()).infracoes.find((item: Json) => item.idInfracao === id);
const balance = async (of = simulator): Promise<{ saldo: string; med: string }> => {
  const { body } = await of.api("GET", "/v2/gn/saldo?bloqueios=true");
  assert.equal((await of.control("GET", "/control/state")).body.books.ok, true);
  assert.equal(body.bloqueios.total, body.bloqueios.med);
  return { saldo: body.saldo, med: body.bloqueios.med };
};
const centavos = (text: string) => Number(text.replace(".", ""));

async function paid(valor: string): Promise<{ txid: string; e2eId: string }> {
  const txid = await simulator.charge(valor);
  return { txid, e2eId: await simulator.pay(txid) };
}

test("a case is opened, listed as Efí lists it, blocks its amount, and moves nothing", async () => {
  const before = await balance();
  const { e2eId } = await paid("10.00");
  const opened = await contest(e2eId, { amountCentavos: 650, reason: "Golpe" });
  assert.deepEqual([opened.status, opened.body.status, opened.body.amountCentavos], [200, "ABERTA", 650]);
  const item = await shown(opened.body.id);
  assert.deepEqual(
    [item.endToEndId, item.valor, item.status, item.razao, typeof item.protocolo, item.defesa],
    [e2eId, 6.5, "ABERTA", "Golpe", "number", undefined],
  );
  const days = (Date.parse(item.dadosAnalise.prazoFinalizacao) - Date.parse(item.dadosAnalise.abertura)) / DAY;
  assert.equal(days, 5);
  const after = await balance();
  assert.equal(centavos(after.saldo), centavos(before.saldo) + 1000);
  assert.equal(centavos(after.med), centavos(before.med) + 650);
  assert.equal((await simulator.api("GET", `/v2/pix/${e2eId}`)).body.devolucoes, undefined);
});

test("a case of no Pix, of more than the Pix, or beside an open one is refused", async () => {
  const { e2eId } = await paid("10.00");
  const before = (await list()).infracoes.length;
  assert.equal((await contest("never")).body.code, "PIX_NOT_FOUND");
  assert.equal((await contest(e2eId, { amountCentavos: 1001 })).body.code, "INFRACTION_EXCEEDS_PIX");
  assert.equal((await contest(e2eId, { respondBy: "soon" })).status, 400);
  assert.equal((await list()).infracoes.length, before);
  const first = await contest(e2eId);
  assert.equal(first.body.amountCentavos, 1000);
  assert.equal((await contest(e2eId)).body.code, "INFRACTION_OPEN");
  await resolve(first.body.id, "rejected");
  assert.equal((await contest(e2eId)).status, 200);
});

test("a case is defended once, in time, and by disputing it", async () => {
  const { e2eId } = await paid("10.00");
  const { id } = (await contest(e2eId)).body;
  const wrong: [unknown, string][] = [
    [{}, "analise"],
    [{ analise: "aceito", justificativa: "x" }, "analise"],
    [{ analise: "rejeitado" }, "justificativa"],
    [{ analise: "rejeitado", justificativa: "" }, "justificativa"],
  ];
  for (const [body, field] of wrong) {
    const refused = await defend(id, body);
    assert.deepEqual([refused.status, refused.body.violacoes[0].propriedade], [400, field]);
  }
  assert.equal((await shown(id)).status, "ABERTA");
  const taken = await defend(id);
  assert.deepEqual([taken.status, taken.text], [201, ""]);
  const item = await shown(id);
  assert.deepEqual([item.status, item.defesa], ["EM_DEFESA", "Entregue."]);
  assert.ok(item.dadosAnalise.recebimentoDefesa >= item.dadosAnalise.abertura);
  const again = await defend(id);
  assert.deepEqual(
    [again.status, again.body.status, again.body.type],
    [409, 409, `${PROBLEM}InfracaoOperacaoInvalida`],
  );
  await resolve(id, "cancelled");
  assert.equal((await defend(id)).status, 409);

  const late = (await contest(e2eId, { respondBy: new Date(Date.now() - 1000).toISOString() })).body.id;
  const refused = await defend(late);
  assert.deepEqual([refused.status, refused.body.type], [422, `${PROBLEM}InfracaoOperacaoInvalida`]);
  assert.equal((await shown(late)).status, "ABERTA");
  const none = await defend("never");
  assert.deepEqual([none.status, none.body.type], [404, `${PROBLEM}InfracaoNaoEncontrada`]);
});

test("an accepted case gives the contested amount back as MED in the same stroke, and is reported", async () => {
  const { txid, e2eId } = await paid("10.00");
  const before = await balance();
  const { id } = (await contest(e2eId, { amountCentavos: 650 })).body;
  await defend(id);
  const closed = await resolve(id, "accepted");
  assert.deepEqual([closed.status, closed.body.status], [200, "ACEITA"]);
  const item = await shown(id);
  assert.deepEqual([item.status, item.justificativaAnalista], ["ACEITA", "Fraude confirmada"]);
  assert.ok(item.dadosAnalise.finalizacao);
  const pix = (await simulator.api("GET", `/v2/pix/${e2eId}`)).body;
  assert.deepEqual(
    pix.devolucoes.map((one: Json) => [one.natureza, one.valor, one.status]),
    [["MED_FRAUDE", "6.50", "DEVOLVIDO"]],
  );
  const reported: Json = await until("it is reported", () => receiver.pixOf(txid).find((one) => one.devolucoes));
  assert.deepEqual(reported, pix);
  const after = await balance();
  assert.deepEqual([centavos(before.saldo) - centavos(after.saldo), after.med], [650, before.med]);
  const again = await resolve(id, "rejected");
  assert.deepEqual([again.status, again.body.code, again.body.status], [409, "INFRACTION_ALREADY_CLOSED", "ACEITA"]);
});

test("MED gives back no more than is left of the Pix", async () => {
  await simulator.behave({ returnDelayMs: 0 });
  const { e2eId } = await paid("10.00");
  const { id } = (await contest(e2eId)).body;
  const blocked = centavos((await balance()).med);
  await simulator.api("PUT", `/v2/pix/${e2eId}/devolucao/mine`, { valor: "7.00" });
  await until("it settles", async () => {
    return (await simulator.api("GET", `/v2/pix/${e2eId}/devolucao/mine`)).body.status === "DEVOLVIDO";
  });
  assert.equal(centavos((await balance()).med), blocked - 700);
  await resolve(id, "accepted");
  const { devolucoes } = (await simulator.api("GET", `/v2/pix/${e2eId}`)).body;
  assert.deepEqual(
    devolucoes.map((one: Json) => [one.natureza, one.valor]),
    [
      ["ORIGINAL", "7.00"],
      ["MED_FRAUDE", "3.00"],
    ],
  );
  const nothing = (await contest(e2eId)).body.id;
  assert.equal((await resolve(nothing, "accepted")).body.status, "ACEITA");
  assert.equal((await simulator.api("GET", `/v2/pix/${e2eId}`)).body.devolucoes.length, 2);
});

test("a rejected or cancelled case releases what it blocked and moves nothing", async () => {
  for (const [outcome, status] of [
    ["rejected", "REJEITADA"],
    ["cancelled", "CANCELADA_EFI"],
  ] as const) {
    const { txid, e2eId } = await paid("10.00");
    const before = await balance();
    const { id } = (await contest(e2eId)).body;
    assert.equal((await resolve(id, outcome)).body.status, status);
    assert.deepEqual(await balance(), before);
    assert.equal((await shown(id)).status, status);
    await until("the receipt is reported", () => receiver.pixOf(txid).length > 0);
    assert.equal(receiver.pixOf(txid).filter((one) => one.devolucoes).length, 0);
  }
  assert.equal((await resolve("never", "accepted")).body.code, "INFRACTION_NOT_FOUND");
});

test("what a case blocks cannot be sent", async () => {
  await withSimulator(async (poor) => {
    await poor.behave({ openingBalanceCentavos: 0 });
    const { e2eId } = (await poor.control("POST", "/control/pix", { amountCentavos: 1000 })).body;
    const { id } = (await contest(e2eId, { amountCentavos: 600 }, poor)).body;
    assert.deepEqual(await balance(poor), { saldo: "10.00", med: "6.00" });
    const send = (name: string, valor: string) =>
      poor.api("PUT", `/v3/gn/pix/${name}`, {
        valor,
        pagador: { chave: poor.credentials.pixKey },
        favorecido: { chave: "a@example.com" },
      });
    assert.equal((await send("a", "4.01")).status, 422);
    assert.equal((await send("b", "4.00")).status, 201);
    await resolve(id, "rejected", poor);
    assert.equal((await send("c", "6.00")).status, 201);
    assert.deepEqual(await balance(poor), { saldo: "0.00", med: "0.00" });
  });
});

test("the list shows a window by opening, page by page", async () => {
  await withSimulator(async (fresh) => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      const { e2eId } = (await fresh.control("POST", "/control/pix", { amountCentavos: 100 })).body;
      ids.push((await contest(e2eId, {}, fresh)).body.id);
    }
    const idsOf = (body: Json) => body.infracoes.map((item: Json) => item.idInfracao);
    assert.deepEqual(idsOf(await list("", fresh)), ids);
    const window = "inicio=2020-01-01T00:00:00Z&fim=2100-01-01T00:00:00Z";
    const page = await fresh.api(
      "GET",
      `/v2/gn/infracoes?${window}&paginacao.itensPorPagina=2&paginacao.paginaAtual=2`,
    );
    assert.deepEqual([idsOf(page.body), page.body.parametros.paginacao.quantidadeDePaginas], [[ids[4]], 3]);
    const old = await fresh.api("GET", "/v2/gn/infracoes?inicio=2020-01-01T00:00:00Z&fim=2020-01-02T00:00:00Z");
    assert.deepEqual(old.body.infracoes, []);
    const wrong = await fresh.api("GET", "/v2/gn/infracoes?inicio=now");
    assert.deepEqual([wrong.status, wrong.body.type], [400, `${PROBLEM}InfracoesConsultaInvalida`]);
  });
});

test("the log has each step for a judge, with id, endToEndId and centavos", async () => {
  const { e2eId } = await paid("10.00");
  const { id } = (await contest(e2eId, { amountCentavos: 600 })).body;
  await defend(id);
  await resolve(id, "accepted");
  const { entries } = (await simulator.control("GET", "/control/log?limit=10000")).body;
  assert.deepEqual(
    entries
      .filter((entry: Json) => entry.e2eId === e2eId && entry.type !== "payment")
      .map((entry: Json) => [entry.type, entry.id === id, entry.amountCentavos, entry.status]),
    [
      ["infraction.opened", true, 600, "ABERTA"],
      ["infraction.defended", true, 600, "EM_DEFESA"],
      ["infraction.closed", true, 600, "ACEITA"],
      ["return.med", false, 600, "DEVOLVIDO"],
    ],
  );
  const [newest] = (await simulator.control("GET", "/control/infractions?limit=1")).body.items;
  assert.deepEqual([newest.id, newest.status, newest.defence], [id, "ACEITA", "Entregue."]);
});

test("what the bank holds by itself becomes a dispute under its id, with five days for a defence, and a deadline can be moved", async () => {
  const e2eId = await simulator.pay(await simulator.charge());
  const { id } = (await contest(e2eId, { precautionary: true })).body;
  const contested = await simulator.control("POST", `/control/infractions/${id}/reopen`);
  assert.deepEqual([contested.status, contested.body.id, contested.body.precautionary], [200, id, false]);
  const days = (Date.parse(contested.body.respondBy) - Date.now()) / 86_400_000;
  assert.ok(days > 4.9 && days <= 5, `${days} days`);
  assert.equal((await simulator.control("POST", `/control/infractions/${id}/reopen`)).status, 409);
  const respondBy = new Date(Date.now() + 86_400_000).toISOString();
  const change = (body: object) => simulator.control("POST", `/control/infractions/${id}/amount`, body);
  assert.equal((await change({ amountCentavos: 1, respondBy: "soon" })).status, 400);
  const moved = await change({ amountCentavos: contested.body.amountCentavos, respondBy });
  assert.deepEqual([moved.status, Date.parse(moved.body.respondBy)], [200, Date.parse(respondBy)]);
});
