/** What Banco do Brasil's payments send and are read as, against the shapes that integrators' code shows. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { startWireServer } from "../../../test/psp/wire-server.ts";
import { bank } from "./bank.ts";

const PAYOUT = {
  ...{ id: "wd0001", amount: 10_000, pixKey: "+5511999998888", holderDocument: "52998224725" },
  reference: "0000042",
};
const ASKED = [PAYOUT.id, PAYOUT.reference] as const;
const ACCOUNT = { contract: 731030, debitBranch: 1607, debitAccount: 99738672, debitDigit: "X" };
/** Answers as they are on the wire: a payment's id has more digits than a double. */
const batch = (more: object = {}, item: object = {}) => ({
  text: JSON.stringify({
    ...{ numeroRequisicao: 42, estadoRequisicao: 1, quantidadeTransferencias: 1 },
    listaTransferencias: [{ valor: 100, descricaoPagamento: "WD0001", identificadorPagamento: "@", ...item }],
    ...more,
  }).replace('"@"', "90022089731030003"),
});
const payment = (more: object = {}) => ({
  json: { estadoPagamento: "Pago", requisicaoPagamento: 42, valorPagamento: 100, ...more },
});

async function start(t: TestContext, more: object = {}) {
  const wire = await startWireServer(t);
  const { origin, settings } = wire;
  const urls = { batchesUrl: `${origin}/pagamentos-lote/v1`, batchesTokenUrl: `${origin}/oauth/token` };
  // 2026-03-05, 23:30 in Brasília.
  const deps = { clock: { now: () => Date.parse("2026-03-06T02:30:00Z") }, log: () => {} };
  const psp = bank.create({ ...settings, ...urls, ...ACCOUNT, batchesAppKey: "key", ...more }, deps);
  t.after(() => psp.close());
  const { payouts } = psp;
  assert.ok(payouts?.authorisePayout);
  return { wire, payouts, authorise: payouts.authorisePayout };
}

test("a batch of one, its release and its queries are sent as the bank's clients send them", async (t) => {
  const { wire, payouts, authorise } = await start(t);
  wire.answer = ({ path }) => (path.includes("/pix/") ? payment() : batch());
  const sent = await payouts.sendPayout(PAYOUT);
  assert.ok(sent.kind === "accepted" && sent.value.status === "prepared" && sent.value.reference === "0000042");
  wire.answer = () => ({ json: { numeroRequisicao: 42 } });
  assert.equal((await authorise({ ...PAYOUT, mayLeave: async () => false })).kind, "unsent");
  assert.equal((await authorise(PAYOUT)).kind, "accepted");
  wire.answer = ({ path }) => (path.includes("/pix/") ? payment() : batch({ estadoRequisicao: 9 }));
  const found = await payouts.findPayout(...ASKED);
  assert.ok(found.kind === "found" && found.value.status === "settled", JSON.stringify(found));
  const base = "/pagamentos-lote/v1";
  assert.deepEqual(
    wire.heard.map(({ method, path, body }) => [method, path, body === "" ? null : JSON.parse(body)]),
    [
      [
        ...["POST", `${base}/lotes-transferencias-pix?gw-dev-app-key=key`],
        {
          ...{ numeroRequisicao: 42, numeroContrato: 731030, agenciaDebito: 1607, contaCorrenteDebito: 99738672 },
          ...{ digitoVerificadorContaCorrente: "X", tipoPagamento: 126 },
          listaTransferencias: [
            {
              ...{ data: 5032026, valor: 100, descricaoPagamento: "wd0001", formaIdentificacao: 1 },
              ...{ dddTelefone: 11, telefone: 999998888, cpf: 52998224725 },
            },
          ],
        },
      ],
      ["POST", `${base}/liberar-pagamentos?gw-dev-app-key=key`, { numeroRequisicao: 42, indicadorFloat: "N" }],
      ["GET", `${base}/lotes-transferencias-pix/42/solicitacao?gw-dev-app-key=key`, null],
      [
        "GET",
        `${base}/pix/90022089731030003?agencia=1607&contaCorrente=99738672&digitoVerificador=X&gw-dev-app-key=key`,
        null,
      ],
    ],
  );
  assert.match(wire.tokenCalls[0]?.body ?? "", /pagamentos-lote\.lotes-requisicao/);
});

test("each state of a batch and of its payment is read as what it means for the money, an unknown one as none", async (t) => {
  const { wire, payouts } = await start(t);
  for (const [estadoRequisicao, meaning] of [
    [1, "prepared"],
    [2, "failed"],
    [3, "failed"],
    [4, "prepared"],
    [5, "settled"],
    [6, "settled"],
    [7, "failed"],
    [8, "processing"],
    [9, "settled"],
    [10, "settled"],
    [11, "unrecognised"],
  ] as const) {
    wire.answer = ({ path }) => (path.includes("/pix/") ? payment() : batch({ estadoRequisicao }));
    const found = await payouts.findPayout(...ASKED);
    assert.ok(found.kind === "found" && found.value.status === meaning, `${estadoRequisicao} ${JSON.stringify(found)}`);
  }
  for (const [estadoPagamento, meaning] of [
    ["Pago", "settled"],
    ["Consistente", "processing"],
    ["Pendente", "processing"],
    ["Agendado", "processing"],
    ["Aguardando débito", "processing"],
    ["Debitado", "processing"],
    ["Inconsistente", "failed"],
    ["Rejeitado", "failed"],
    ["Cancelado", "failed"],
    ["Devolvido", "failed"],
    ["Vencido", "failed"],
    ["Bloqueado", "unrecognised"],
    ["Algo de 2027", "unrecognised"],
  ] as const) {
    wire.answer = ({ path }) =>
      path.includes("/pix/") ? payment({ estadoPagamento }) : batch({ estadoRequisicao: 6 });
    const found = await payouts.findPayout(...ASKED);
    assert.ok(found.kind === "found" && found.value.status === meaning, `${estadoPagamento} ${JSON.stringify(found)}`);
    assert.equal(found.value.failure?.code, meaning === "failed" ? "psp_error" : undefined);
  }
});

test("what is about another batch or payment, lacks what decides, or comes from a proxy is unknown", async (t) => {
  const { wire, payouts, authorise } = await start(t);
  for (const said of [
    batch({ numeroRequisicao: 43 }),
    batch({ estadoRequisicao: null }),
    batch({}, { valor: "x" }),
    batch({}, { descricaoPagamento: "another" }),
    batch({}, { descricaoPagamento: null }),
    batch({ listaTransferencias: [] }),
    { json: [] },
    { status: 403, text: "<html>Access denied</html>" },
    { status: 404, json: { error: "Not Found", message: "no route" } },
    { status: 409, json: { erros: [{ codigo: "1", mensagem: "em uso" }] } },
    { status: 502, text: "" },
  ]) {
    wire.answer = () => said;
    const what = JSON.stringify(said);
    assert.equal((await payouts.sendPayout(PAYOUT)).kind, "unknown", what);
    assert.equal((await payouts.findPayout(...ASKED)).kind, "unknown", what);
  }
  for (const shown of [
    payment({ requisicaoPagamento: 43 }),
    payment({ valorPagamento: 99 }),
    { status: 404, json: {} },
  ]) {
    wire.answer = ({ path }) => (path.includes("/pix/") ? shown : batch({ estadoRequisicao: 6 }));
    assert.equal((await payouts.findPayout(...ASKED)).kind, "unknown", JSON.stringify(shown));
  }
  for (const said of [{ numeroRequisicao: 43 }, { erros: [{ codigo: "1" }] }, []]) {
    wire.answer = () => ({ json: said });
    assert.equal((await authorise(PAYOUT)).kind, "unknown", JSON.stringify(said));
  }
});

test("a refusal counts only where the bank has no batch of the number, and does not say that it has one", async (t) => {
  const { wire, payouts } = await start(t);
  const refusal = (mensagem: string) => ({ status: 400, json: { erros: [{ codigo: "4876003", mensagem }] } });
  const refused = refusal("Campo numeroContrato inválido");
  const none = { status: 404, json: { erros: [{ codigo: "4876102", mensagem: "Lote não encontrado" }] } };
  for (const [there, kind] of [
    [none, "rejected"],
    [batch(), "accepted"],
    [batch({}, { valor: 99 }), "unknown"],
    [batch({}, { descricaoPagamento: "another" }), "unknown"],
    [{ status: 503, text: "" }, "unknown"],
  ] as const) {
    wire.answer = ({ method }) => (method === "POST" ? refused : there);
    assert.equal((await payouts.sendPayout(PAYOUT)).kind, kind, JSON.stringify(there));
  }
  for (const words of ["Número já utilizado", "Requisição já existe", "numeroRequisicao duplicado"]) {
    wire.answer = ({ method }) => (method === "POST" ? refusal(words) : none);
    assert.deepEqual(await payouts.sendPayout(PAYOUT), { kind: "unknown", reason: "id_in_use" }, words);
  }
  // An inconsistent batch is refused in the words of an answer that is none.
  wire.answer = ({ method }) => (method === "POST" ? batch({ estadoRequisicao: 3 }, { erros: [14] }) : none);
  const inconsistent = await payouts.sendPayout(PAYOUT);
  assert.ok(inconsistent.kind === "rejected" && inconsistent.message.includes("14"), JSON.stringify(inconsistent));
});

test("money that a receiver gave back is left to a person, since the bank shows no id of it", async (t) => {
  const { wire, payouts } = await start(t);
  const listaDevolucao = [{ codigoMotivo: 1, valorDevolucao: 100 }];
  wire.answer = ({ path }) => (path.includes("/pix/") ? payment({ listaDevolucao }) : batch({ estadoRequisicao: 6 }));
  const found = await payouts.findPayout(...ASKED);
  assert.ok(found.kind === "found" && found.value.status === "settled" && found.value.unreadableReturns === 1);
});

test("without a contract it only receives, and a setting that cannot work is named", async (t) => {
  const { settings } = await startWireServer(t);
  const deps = { clock: { now: () => 0 }, log: () => {} };
  const receiving = bank.create({ ...settings }, deps);
  t.after(() => receiving.close());
  assert.equal(receiving.payouts, undefined);
  assert.equal(bank.capabilities({}).payouts, null);
  assert.deepEqual(bank.capabilities({ contract: 1, firstRequestNumber: 7 }).payouts?.numbers, {
    first: 7,
    last: 9_999_999,
  });
  const wrong = (more: object) => () => bank.create({ ...settings, ...ACCOUNT, ...more }, deps);
  for (const missing of ["debitBranch", "debitAccount", "debitDigit"])
    assert.throws(wrong({ [missing]: undefined }), new RegExp(`^TypeError: ${missing}: `));
  assert.throws(wrong({ batchesUrl: "nowhere" }), /^TypeError: batchesUrl: /);
  assert.throws(wrong({ batchesTokenUrl: "ftp://x" }), /^TypeError: batchesTokenUrl: /);
});
