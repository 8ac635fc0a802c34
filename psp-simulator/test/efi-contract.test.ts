/**
 * In Efí's dialect the simulator shows what Efí's public contract has, and nothing beside it: a field that the bank does not send
 * would let its adapter rest on it. The schemas here are our own, written after that contract; every object is closed, save where
 * the bank adds fields of its own (`open`).
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { Ajv, type ValidateFunction } from "ajv";
import { type Json, newTxid, type Reply, type Simulator, startSimulator, until } from "./harness.ts";

type Schema = { readonly [key: string]: unknown };
const text: Schema = { type: "string" };
const whole: Schema = { type: "integer" };
const oneOf = (...values: readonly string[]): Schema => ({ enum: values });
const list = (items: Schema): Schema => ({ type: "array", items });

/** An object of fields; those that end in `?` may be left out. */
function open(fields: Readonly<Record<string, Schema>>): Schema {
  const names = Object.keys(fields);
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name.replace("?", ""), fields[name]])),
    required: names.filter((name) => !name.endsWith("?")),
  };
}
const closed = (fields: Readonly<Record<string, Schema>>): Schema => ({ ...open(fields), additionalProperties: false });

const amount: Schema = { type: "string", pattern: "^\\d{1,10}\\.\\d{2}$" };
const time: Schema = { type: "string", pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{3})?Z$" };
const e2eId: Schema = { type: "string", pattern: "^E[a-zA-Z0-9]{31}$" };
const returnState = oneOf("EM_PROCESSAMENTO", "DEVOLVIDO", "NAO_REALIZADO");
const moments = closed({ solicitacao: time, "liquidacao?": time });
const returned = closed({ id: text, rtrId: text, valor: amount, horario: moments, status: returnState });
const received = {
  endToEndId: e2eId,
  valor: amount,
  horario: time,
  "infoPagador?": text,
  "devolucoes?": list(returned),
};
const pages = closed({
  ...{ paginaAtual: whole, itensPorPagina: whole, quantidadeDePaginas: whole, quantidadeTotalDeItens: whole },
});
const asked = closed({ inicio: time, fim: time, paginacao: pages });
const charge = {
  calendario: closed({ criacao: time, expiracao: whole }),
  ...{ txid: text, revisao: whole, chave: text, location: text, "solicitacaoPagador?": text, pixCopiaECola: text },
  status: oneOf("ATIVA", "CONCLUIDA", "REMOVIDA_PELO_USUARIO_RECEBEDOR", "REMOVIDA_PELO_PSP"),
  valor: closed({ original: amount }),
  "devedor?": { anyOf: [closed({ cpf: text, nome: text }), closed({ cnpj: text, nome: text })] },
  "infoAdicionais?": list(closed({ nome: text, valor: text })),
  loc: closed({ id: whole, location: text, tipoCob: oneOf("cob"), criacao: time }),
};
const sent = open({
  ...{ endToEndId: e2eId, idEnvio: text, valor: amount, chave: text, "infoPagador?": text, horario: moments },
  status: oneOf("EM_PROCESSAMENTO", "REALIZADO", "NAO_REALIZADO"),
  favorecido: closed({ chave: text }),
  "devolucoes?": list(closed({ rtrId: text, valor: amount, horario: time })),
});
const party = closed({ nomeParticipante: text, conta: whole, nome: text, documento: text });
const infraction = closed({
  ...{ idInfracao: text, endToEndId: e2eId, protocolo: whole, dataTransacao: time, valor: { type: "number" } },
  ...{ "chave?": text, razao: text, "comentario?": text, "defesa?": text, "justificativaAnalista?": text },
  status: oneOf("ABERTA", "EM_DEFESA", "ACEITA", "REJEITADA", "CANCELADA_EFI"),
  "tipoSituacao?": oneOf("golpe", "aquisição da conta", "coerção", "acesso fraudulento", "outro", "desconhecido"),
  identificadorTicket: list(whole),
  dadosAnalise: closed({ abertura: time, prazoFinalizacao: time, "recebimentoDefesa?": time, "finalizacao?": time }),
  ...{ origem: party, destino: party, criadoEm: time, atualizadoEm: time },
});
const webhook = open({ webhookUrl: text, chave: text, criacao: time });

/** What each call answers, by the name that the tests use. */
const CONTRACT = {
  charge: open(charge),
  paidCharge: open({ ...charge, "pix?": list(closed({ ...received, txid: text })) }),
  charges: open({
    parametros: asked,
    cobs: list(closed({ ...charge, "pix?": list(closed({ ...received, txid: text, chave: text })) })),
  }),
  pix: open({ ...received, chave: text, "txid?": text }),
  pixList: open({ parametros: asked, pix: list(open({ ...received, chave: text, "txid?": text })) }),
  returnTaken: open({ id: text, rtrId: text, valor: amount, horario: moments, status: oneOf("EM_PROCESSAMENTO") }),
  return: closed({ id: text, rtrId: text, valor: amount, horario: moments, status: returnState, "motivo?": text }),
  payoutTaken: open({
    endToEndId: e2eId,
    idEnvio: text,
    valor: amount,
    horario: moments,
    status: oneOf("EM_PROCESSAMENTO"),
  }),
  payout: sent,
  payouts: open({ parametros: asked, pix: list(sent) }),
  balance: open({ saldo: amount, "bloqueios?": closed({ judicial: amount, med: amount, total: amount }) }),
  infractions: open({ parametros: asked, infracoes: list(infraction) }),
  webhook,
  webhooks: open({ parametros: asked, webhooks: list(webhook) }),
} as const;
type Answer = keyof typeof CONTRACT;

const ajv = new Ajv({ allErrors: true, strict: false });
const validators = Object.fromEntries(
  Object.entries(CONTRACT).map(([name, schema]) => [name, ajv.compile(schema)]),
) as Record<Answer, ValidateFunction>;

function keeps(name: Answer, reply: Reply): Json {
  assert.ok(reply.status < 300, `${name}: ${reply.status} ${reply.text}`);
  const validate = validators[name];
  assert.ok(validate(reply.body), `${name}: ${ajv.errorsText(validate.errors)} in ${reply.text}`);
  return reply.body;
}

let simulator: Simulator;
before(async () => {
  simulator = await startSimulator();
  await simulator.behave({ dialect: "efi", putMode: "efi", returnDelayMs: 0, payoutDelayMs: 0 });
});
after(() => simulator.dispose());
const window = `inicio=${encodeURIComponent("2020-01-01T00:00:00Z")}&fim=${encodeURIComponent("2099-01-01T00:00:00Z")}`;

describe("in Efí's dialect the simulator shows what Efí's contract has and nothing beside it", () => {
  test("and what is beside it is seen", () => {
    const shown = {
      id: "r",
      rtrId: "D",
      valor: "1.00",
      horario: { solicitacao: "2026-08-02T13:06:00.000Z" },
      status: "DEVOLVIDO",
    };
    assert.ok(validators.return(shown));
    for (const wrong of [{ natureza: "MED_FRAUDE" }, { valor: "1.0" }, { status: "FEITO" }, { rtrId: undefined }])
      assert.ok(!validators.return(JSON.parse(JSON.stringify({ ...shown, ...wrong }))), JSON.stringify(wrong));
  });

  test("of charges, in every state", async () => {
    const txid = newTxid();
    const devedor = { cpf: "52998224725", nome: "Maria Teste" };
    const body = {
      calendario: { expiracao: 900 },
      valor: { original: "25.90" },
      chave: simulator.credentials.pixKey,
      devedor,
    };
    keeps(
      "charge",
      await simulator.api("PUT", `/v2/cob/${txid}`, { ...body, infoAdicionais: [{ nome: "Pedido", valor: "1" }] }),
    );
    keeps("charge", await simulator.api("PATCH", `/v2/cob/${txid}`, { valor: { original: "30.00" } }));
    await simulator.pay(txid);
    assert.equal(keeps("paidCharge", await simulator.api("GET", `/v2/cob/${txid}`)).pix.length, 1);
    const removed = await simulator.charge("1.00");
    keeps("charge", await simulator.api("PATCH", `/v2/cob/${removed}`, { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" }));
    assert.ok(keeps("charges", await simulator.api("GET", `/v2/cob?${window}`)).cobs.length >= 2);
  });

  test("of Pix and their returns: no nature tells the bank's own return for fraud from others", async () => {
    const txid = await simulator.charge("10.00");
    const id = await simulator.pay(txid);
    const path = `/v2/pix/${id}/devolucao`;
    keeps("returnTaken", await simulator.api("PUT", `${path}/r1`, { valor: "4.00" }));
    await until(
      "it settles",
      async () => keeps("return", await simulator.api("GET", `${path}/r1`)).status === "DEVOLVIDO",
    );
    await simulator.control("POST", `/control/pix/${id}/returns/r2/hold`, {});
    keeps("returnTaken", await simulator.api("PUT", `${path}/r2`, { valor: "2.00" }));
    await simulator.control("POST", `/control/pix/${id}/returns/r2/settle`, { outcome: "fail", reason: "AB03" });
    assert.equal(keeps("return", await simulator.api("GET", `${path}/r2`)).motivo, "AB03");
    await simulator.control("POST", `/control/pix/${id}/med-return`, { amountCentavos: 100 });
    assert.equal(keeps("pix", await simulator.api("GET", `/v2/pix/${id}`)).devolucoes.length, 3);
    keeps("pixList", await simulator.api("GET", `/v2/pix?${window}`));
    assert.equal(keeps("paidCharge", await simulator.api("GET", `/v2/cob/${txid}`)).pix[0].devolucoes.length, 3);
    keeps("charges", await simulator.api("GET", `/v2/cob?${window}`));
  });

  test("of what it sends, and of the balance", async () => {
    const { pixKey } = simulator.credentials;
    const send = (idEnvio: string, chave: string) =>
      simulator.api("PUT", `/v3/gn/pix/${idEnvio}`, {
        valor: "1.00",
        pagador: { chave: pixKey },
        favorecido: { chave },
      });
    keeps("payoutTaken", await send("paid1", "52998224725"));
    await until("it is paid", async () => {
      const { status } = keeps("payout", await simulator.api("GET", "/v2/gn/pix/enviados/id-envio/paid1"));
      return status === "REALIZADO";
    });
    await simulator.control("POST", "/control/payouts/paid1/settle", { outcome: "reverse", amountCentavos: 40 });
    const read = keeps("payout", await simulator.api("GET", "/v2/gn/pix/enviados/id-envio/paid1"));
    keeps("payout", await simulator.api("GET", `/v2/gn/pix/enviados/${read.endToEndId}`));
    keeps("payouts", await simulator.api("GET", `/v2/gn/pix/enviados?${window}`));
    keeps("balance", await simulator.api("GET", "/v2/gn/saldo?bloqueios=true"));
  });

  test("of cases, from their opening to their end", async () => {
    const cases = async () => keeps("infractions", await simulator.api("GET", `/v2/gn/infracoes?${window}`)).infracoes;
    for (const [i, outcome] of ["accepted", "rejected"].entries()) {
      const id = await simulator.pay(await simulator.charge("10.00"));
      const opened = await simulator.control("POST", "/control/infractions", { e2eId: id });
      assert.equal((await cases()).length, i + 1, opened.text);
      await simulator.api("POST", `/v2/gn/infracoes/${opened.body.id}/defesa`, {
        analise: "rejeitado",
        justificativa: randomUUID(),
      });
      await simulator.control("POST", `/control/infractions/${opened.body.id}/resolve`, { outcome });
      await cases();
    }
  });

  test("of webhooks", async () => {
    const path = `/v2/webhook/${encodeURIComponent(simulator.credentials.pixKey)}`;
    await simulator.api("PUT", path, { webhookUrl: "http://127.0.0.1:9/hook" });
    const list = await simulator.api("GET", `/v2/webhook?${window}`);
    if (list.body.webhooks?.length > 0) keeps("webhook", await simulator.api("GET", path));
    keeps("webhooks", list);
  });
});
