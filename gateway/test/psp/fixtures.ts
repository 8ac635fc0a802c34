/**
 * What banks are documented to say, made by hand: the samples of API Pix 2.9.0 and those of Efí's documentation and SDK,
 * with the habits that integrators have met elsewhere (200 for 201, null for what is missing, numbers for texts).
 */

import type { Found, Outcome } from "../../src/psp/outcome.ts";
import type { Psp } from "../../src/psp/psp.ts";
import type { Said } from "./wire-server.ts";

const TXID = "3f6c1d0a7b9e4c2f8a5d6e7f80912b3c";
const E2E = "E12345678202608021305abcdef01234";
const KEY = "6f1b1c2e-8c3b-4a57-9a54-2d1d6f0b9a11";
const RTR = "D12345678202608021310abcdef01234";
const CASE = "0f8fad5b-d9cb-469f-a165-70867728950e";
const CODE = "00020101021226";

const problem = (name: string, status: number, more: object = {}): Said => ({
  status,
  json: { type: `https://pix.bcb.gov.br/api/v2/error/${name}`, title: "Título.", status, ...more },
});
const named = (status: number, nome: string): Said => ({ status, json: { nome, mensagem: "…" } });

const cob = {
  calendario: { criacao: "2026-08-02T13:05:11.204Z", expiracao: 900 },
  txid: TXID,
  revisao: 0,
  loc: { id: 1204, location: "psp.example/qr/v2/5b0f", tipoCob: "cob", criacao: "2026-08-02T13:05:11.190Z" },
  location: "psp.example/qr/v2/5b0f",
  status: "ATIVA",
  devedor: { cpf: "12345678909", nome: "Maria Teste" },
  valor: { original: "25.90" },
  chave: KEY,
  solicitacaoPagador: "Pedido 1042",
  pixCopiaECola: CODE,
};
/** As Efí's answers of old: the expiry is a text, the charge has a location only inside `loc`. */
const cobOfEfi = { ...cob, calendario: { ...cob.calendario, expiracao: "900" }, location: undefined };
/** As banks that leave out what they do not have by saying null (Sicoob), and name the code otherwise (BB). */
const cobOfOthers = { ...cob, loc: null, devedor: null, pixCopiaECola: null, textoImagemQRcode: CODE };
const cobs = [cob, cobOfEfi, cobOfOthers];
const removed = (one: object) => ({ ...one, status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" });

const pix = { endToEndId: E2E, txid: TXID, valor: "25.90", horario: "2026-08-02T13:06:00.000Z", chave: KEY };
const devolucao = {
  id: "ref1",
  rtrId: RTR,
  valor: "10.00",
  horario: { solicitacao: "2026-08-02T13:10:00.000Z" },
  status: "EM_PROCESSAMENTO",
};
const page = (more: object) => ({ parametros: { paginacao: { quantidadeDePaginas: 1 } }, ...more });
const window = { from: new Date("2026-08-01T00:00:00Z"), to: new Date("2026-08-03T00:00:00Z"), page: 0 };

const sent = {
  endToEndId: E2E,
  idEnvio: "wd0001",
  valor: "12.34",
  chave: KEY,
  status: "REALIZADO",
  horario: { solicitacao: "2026-08-02T13:05:11Z", liquidacao: "2026-08-02T13:05:10Z" },
  favorecido: { chave: "maria@example.com", identificacao: { nome: "Maria", cpf: "***.456.789-**" } },
};
const acceptedPayout = { idEnvio: "wd0001", valor: "12.34", horario: { solicitacao: "2026-08-02T13:05:11Z" } };
const infraction = {
  idInfracao: CASE,
  endToEndId: E2E,
  protocolo: 10203040,
  valor: 6.5,
  status: "ABERTA",
  razao: "Fraude",
  dadosAnalise: { abertura: "2026-08-02T10:00:00.000Z", prazoFinalizacao: "2026-08-09T10:00:00.000Z" },
};
const settings = { pix: { receberSemChave: true, chaves: {} } };

export type Call = {
  readonly name: string;
  readonly call: (psp: Psp) => Promise<Outcome<unknown> | Found<unknown>> | undefined;
  /** Method and path of the first request, and its body. */
  readonly asks: string;
  readonly sends?: object;
  /** Answers that mean yes. */
  readonly yes: readonly Said[];
  /** Refusals (of a command) that prove that nothing was done. */
  readonly no?: readonly Said[];
  /** Answers (to a question) that say that there is none. */
  readonly absent?: readonly Said[];
  /** Answers of 2xx that are about something else. */
  readonly others?: readonly Said[];
  /** Any 2xx means yes, whatever its body. */
  readonly bodyless?: boolean;
  /** What the question says that follows a refusal or a conflict: nothing of ours is there. */
  readonly then?: Said;
};

const ORDER = { txid: TXID, amount: 2590, expiresIn: 900, description: "Pedido 1042" };
const GIVE_BACK = { e2eId: E2E, id: "ref1", amount: 1000 };
const PAYOUT = { id: "wd0001", amount: 1234, pixKey: "maria@example.com", holderDocument: "12.ABC.345/01DE-35" };
const FORBIDDEN: readonly Said[] = [
  problem("AcessoNegado", 403),
  { status: 403, json: { error: "insufficient_scope", error_description: "…" } },
];
const ok = (...bodies: unknown[]): Said[] => bodies.map((json) => ({ json }));
const created = (...bodies: unknown[]): Said[] => bodies.flatMap((json) => [{ json }, { status: 201, json }]);
const range =
  "inicio=2026-08-01T00:00:00.000Z&fim=2026-08-03T00:00:00.000Z&paginacao.paginaAtual=0&paginacao.itensPorPagina=1000";

/** Every function of the interface that asks a bank something. */
export const CALLS: readonly Call[] = [
  {
    name: "createCharge",
    call: (psp) => psp.createCharge(ORDER),
    asks: `PUT /v2/cob/${TXID}`,
    sends: {
      calendario: { expiracao: 900 },
      valor: { original: "25.90" },
      chave: KEY,
      solicitacaoPagador: "Pedido 1042",
    },
    // A repeat that finds the charge paid is a yes as well.
    yes: created(...cobs, { ...cob, status: "CONCLUIDA", pix: [pix] }),
    no: [
      problem("CobOperacaoInvalida", 400),
      problem("CobOperacaoInvalida", 400, { status: "400" }),
      problem("NaoEncontrado", 404),
      ...[named(400, "documento_bloqueado"), named(400, "chave_invalida"), named(400, "valor_invalido")],
      { status: 422, json: { erros: [{ codigo: "4769515", versao: "1", mensagem: "…", ocorrencia: "…" }] } },
      { status: 400, json: { statusCode: 400, error: "Bad Request", message: "…" } },
      ...FORBIDDEN,
    ],
    others: created(
      { ...cob, txid: TXID.toUpperCase() },
      { ...cob, valor: { original: "25.91" } },
      { ...cob, valor: null },
    ),
  },
  {
    name: "findCharge",
    call: (psp) => psp.findCharge(TXID, "immediate"),
    asks: `GET /v2/cob/${TXID}`,
    yes: ok(...cobs, { ...cob, status: "CONCLUIDA", pix: [pix] }, removed(cob), { ...cob, status: "NOVA_DE_2027" }),
    absent: [
      ...[problem("CobNaoEncontrado", 404), problem("NaoEncontrado", 404), problem("PermanentementeRemovido", 404)],
      ...[named(400, "cobranca_nao_encontrada"), named(404, "cobranca_nao_encontrada")],
    ],
    others: ok({ ...cob, txid: "other0other0other0other0other0" }),
  },
  {
    name: "cancelCharge",
    call: (psp) => psp.cancelCharge(TXID, "immediate"),
    asks: `PATCH /v2/cob/${TXID}`,
    sends: { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" },
    yes: created(...cobs.map(removed), { ...cob, status: "REMOVIDA_PELO_PSP" }),
    no: [
      ...[problem("CobOperacaoInvalida", 400), problem("CobNaoEncontrado", 404)],
      // The one conflict that decides: it is not active any more.
      ...[named(400, "status_cobranca_invalido"), named(409, "status_cobranca_invalido")],
      named(400, "cobranca_nao_encontrada"),
      ...FORBIDDEN,
    ],
    others: ok(cob, { ...cob, status: "CONCLUIDA" }),
  },
  {
    name: "findPix",
    call: (psp) => psp.findPix(E2E),
    asks: `GET /v2/pix/${E2E}`,
    yes: ok(pix, { ...pix, txid: null, chave: null, devolucoes: null }, { ...pix, devolucoes: [devolucao] }),
    absent: [problem("PixNaoEncontrado", 404), problem("NaoEncontrado", 404), named(400, "pix_nao_encontrado")],
    others: ok({ ...pix, endToEndId: `${E2E}x` }, { ...pix, valor: null }, { ...pix, horario: null }),
  },
  {
    name: "listPix",
    call: (psp) => psp.listPix(window),
    asks: `GET /v2/pix?${range}`,
    yes: ok(page({ pix: [pix] }), page({ pix: [] }), page({ pix: null }), { pix: [pix] }),
    others: ok({ mensagem: "manutenção" }, { pix: "x" }),
  },
  {
    name: "returnPix",
    call: (psp) => psp.returnPix(GIVE_BACK),
    asks: `PUT /v2/pix/${E2E}/devolucao/ref1`,
    sends: { valor: "10.00" },
    yes: created(devolucao, { ...devolucao, status: "DEVOLVIDO" }),
    no: [
      problem("PixDevolucaoInvalida", 400),
      named(400, "valor_invalido"),
      named(400, "pix_nao_encontrado"),
      ...FORBIDDEN,
    ],
    // biome-ignore lint/suspicious/noThenProperty: it is what is said then
    then: named(400, "devolucao_nao_encontrada"),
    others: created({ ...devolucao, valor: "9.99" }, { ...devolucao, id: "other" }),
  },
  {
    name: "findReturn",
    call: (psp) => psp.findReturn(GIVE_BACK),
    asks: `GET /v2/pix/${E2E}/devolucao/ref1`,
    yes: ok(devolucao, { ...devolucao, status: "NAO_REALIZADO", motivo: "…" }, { ...devolucao, status: "DE_2027" }),
    absent: [problem("PixDevolucaoNaoEncontrada", 404), named(400, "devolucao_nao_encontrada")],
    others: ok({ ...devolucao, id: "ref2" }),
  },
  {
    name: "registerNotifications",
    call: (psp) => psp.registerNotifications!("https://h/x?hmac=1&ignorar="),
    asks: `PUT /v2/webhook/${KEY}`,
    sends: { webhookUrl: "https://h/x?hmac=1&ignorar=" },
    yes: created({ webhookUrl: "https://h/x?hmac=1&ignorar=", chave: KEY, criacao: "2026-08-02T13:10:00Z" }),
    no: [
      problem("WebhookOperacaoInvalida", 400),
      named(400, "webhook_invalido"),
      named(400, "chave_invalida"),
      ...FORBIDDEN,
    ],
    // biome-ignore lint/suspicious/noThenProperty: it is what is said then
    then: { json: { webhookUrl: "https://h/another", chave: KEY } },
    bodyless: true,
  },
  {
    name: "configureNotifications",
    call: (psp) => psp.configureNotifications?.(),
    asks: "GET /v2/gn/config",
    yes: ok(settings, { pix: {} }),
    no: [named(400, "valor_invalido"), ...FORBIDDEN],
    others: ok({}, { pix: null }),
  },
  {
    name: "balance",
    call: (psp) => psp.balance?.(),
    asks: "GET /v2/gn/saldo?bloqueios=true",
    yes: ok({ saldo: "100.00", bloqueios: { judicial: "0.00", med: "6.50", total: "6.50" } }, { saldo: "0.00" }),
    others: ok({}, { saldo: "x" }),
  },
  {
    name: "payouts.sendPayout",
    call: (psp) => psp.payouts?.sendPayout(PAYOUT),
    asks: "PUT /v3/gn/pix/wd0001",
    sends: {
      valor: "12.34",
      pagador: { chave: KEY },
      favorecido: { chave: "maria@example.com", cnpj: "12ABC34501DE35" },
    },
    yes: created(
      { ...acceptedPayout, e2eId: E2E, status: "EM_PROCESSAMENTO" },
      { ...acceptedPayout, endToEndId: E2E, status: "EM_PROCESSAMENTO" },
      { ...acceptedPayout, endToEndId: E2E, status: "REALIZADO" },
    ),
    no: [
      ...[named(404, "chave_favorecido_nao_encontrada"), named(400, "chave_nao_pertence_ao_documento")],
      ...[named(400, "documento_bloqueado"), named(422, "pagamento_negado"), named(400, "chave_invalida")],
      ...[named(400, "valor_invalido"), problem("RequisicaoInvalida", 400), ...FORBIDDEN],
    ],
    // biome-ignore lint/suspicious/noThenProperty: it is what is said then
    then: problem("PixEnviadoNaoEncontrado", 404),
    others: created({ ...sent, idEnvio: "other" }, { ...sent, valor: "12.35" }),
  },
  {
    name: "payouts.findPayout",
    call: (psp) => psp.payouts?.findPayout("wd0001"),
    asks: "GET /v2/gn/pix/enviados/id-envio/wd0001",
    yes: ok(
      sent,
      { ...sent, status: "NAO_REALIZADO", gnExtras: { erro: { codigo: "AC07", motivo: "…" } } },
      {
        ...sent,
        favorecido: { contaBanco: { nome: "Maria", cnpj: "12ABC34501DE35" } },
        devolucoes: [{ rtrId: RTR, valor: "2.00", horario: "2026-08-02T14:00:00Z" }],
      },
    ),
    absent: [problem("PixEnviadoNaoEncontrado", 404), problem("NaoEncontrado", 404), named(400, "pix_nao_encontrado")],
    others: ok({ ...sent, idEnvio: "other" }, { ...sent, valor: null }),
  },
  {
    name: "payouts.listPayouts",
    call: (psp) => psp.payouts?.listPayouts?.(window),
    asks: `GET /v2/gn/pix/enviados?${range}`,
    yes: ok(page({ pix: [sent] }), page({ pix: [] })),
    others: ok({ mensagem: "x" }),
  },
  {
    name: "infractions.listInfractions",
    call: (psp) => psp.infractions?.listInfractions(window),
    asks: `GET /v2/gn/infracoes?${range}`,
    yes: ok(
      page({ infracoes: [infraction, { ...infraction, valor: "6.50", protocolo: "10203040" }] }),
      page({ infracoes: [] }),
    ),
    others: ok({ mensagem: "x" }),
  },
  {
    name: "infractions.defendInfraction",
    call: (psp) => psp.infractions?.defendInfraction({ id: CASE, text: "Entregue." }),
    asks: `POST /v2/gn/infracoes/${CASE}/defesa`,
    sends: { analise: "rejeitado", justificativa: "Entregue." },
    yes: [{ status: 201, text: "" }, ...created({})],
    no: [
      ...[problem("InfracaoOperacaoInvalida", 409), problem("InfracaoOperacaoInvalida", 422)],
      ...[problem("InfracaoNaoEncontrada", 404), ...FORBIDDEN],
    ],
    bodyless: true,
  },
];

const HTML = "<html><body>Bad gateway</body></html>";

/** What nobody can make sense of: to a command or a question alike, it may have been done or be there. */
export const STRANGE: readonly (readonly [what: string, said: Said, how?: "silent"])[] = [
  ["200 with a page", { status: 200, text: HTML }],
  ["broken JSON", { status: 201, text: '{"txid":"3f6c', type: "application/json" }],
  ["a redirect", (response) => response.writeHead(302, { location: "/x" }).end()],
  ["400 with a page", { status: 400, text: HTML }],
  ["400 without a body", { status: 400, text: "" }],
  ["403 of a firewall", { status: 403, json: { message: "Forbidden" } }],
  ["404 with a page", { status: 404, text: HTML }],
  ["404 of a proxy", { status: 404, json: { message: "no Route matched with those values" } }],
  ["408", problem("RequisicaoInvalida", 408)],
  ["a conflict of another kind", named(409, "outro_conflito")],
  ["425", problem("X", 425)],
  ["429", named(429, "balde_fichas_vazio")],
  ["429 without a body", { status: 429, text: "" }],
  ["500", named(500, "erro_aplicacao")],
  ["500 as a problem", problem("ErroInternoDoServidor", 500)],
  ["502 with a page", { status: 502, text: HTML }],
  ["503", problem("ServicoIndisponivel", 503)],
  ["504", problem("IndisponibilidadePorTempoEsgotado", 504)],
  ["no answer", () => {}, "silent"],
  [
    "an answer that stops",
    (response) => void response.writeHead(201, { "content-length": "500" }).write('{"txid"'),
    "silent",
  ],
  ["a reset", (_response, request) => void request.socket.resetAndDestroy()],
  [
    "an answer cut off",
    (response) => {
      response.writeHead(201, { "content-length": "500" });
      response.write('{"txid"', () => response.destroy());
    },
  ],
  ["an answer without end", { status: 200, text: `{"filler":"${"x".repeat(9 * 1024 * 1024)}"}` }],
];

/** Bodies of 2xx that are no answer, where one is needed. */
export const EMPTY: readonly (readonly [string, Said])[] = [
  ["201 without a body", { status: 201, text: "" }],
  ["204", (response) => response.writeHead(204).end()],
  ["a list", { status: 200, json: [{}] }],
  ["an empty object", { status: 200, json: {} }],
  ["null", { status: 200, json: null }],
];

/** Callbacks, and what is read of them: the e2e ids of received Pix with their payers and returns, our ids of sent ones. */
const received = { endToEndId: E2E, txid: TXID, chave: KEY, valor: "25.90", horario: "2026-08-02T13:06:00.000Z" };
const payer = { nome: "Maria Teste", cpf: "12345678909", codigoBanco: "00000000" };
const reported = {
  ...{ endToEndId: E2E, chave: KEY, tipo: "SOLICITACAO", status: "REALIZADO", valor: "12.34", horario: null },
  gnExtras: { idEnvio: "wd0001", tarifa: "0.00", favorecido: { chave: "maria@example.com" } },
};
export const CALLBACKS: readonly {
  readonly what: string;
  readonly body: unknown;
  readonly pix: readonly (readonly [e2eId: string, payer: string | undefined, returns: number])[];
  readonly payouts: readonly string[];
}[] = [
  { what: "the standard's", body: { pix: [received] }, pix: [[E2E, undefined, 0]], payouts: [] },
  { what: "a bare list", body: [received], pix: [[E2E, undefined, 0]], payouts: [] },
  {
    what: "with a payer",
    body: { pix: [{ ...received, pagador: payer }] },
    pix: [[E2E, "12345678909", 0]],
    payouts: [],
  },
  {
    what: "Efí's with a payer",
    body: { pix: [{ ...received, gnExtras: { tarifa: "0.30", pagador: payer } }] },
    pix: [[E2E, "12345678909", 0]],
    payouts: [],
  },
  {
    what: "a return",
    body: { pix: [{ ...received, devolucoes: [devolucao] }] },
    pix: [[E2E, undefined, 1]],
    payouts: [],
  },
  { what: "a sent Pix", body: { pix: [reported] }, pix: [], payouts: ["wd0001"] },
  { what: "both", body: { pix: [received, reported] }, pix: [[E2E, undefined, 0]], payouts: ["wd0001"] },
  {
    what: "money of a sent Pix that came back",
    body: { pix: [{ ...reported, devolucoes: [devolucao] }] },
    pix: [],
    payouts: ["wd0001"],
  },
  { what: "Efí's trial of the address", body: { evento: "teste_webhook", data_criacao: "…" }, pix: [], payouts: [] },
  ...[null, "x", 7, {}, [], { pix: null }, { pix: [null, 1, "x"] }].map((body) => ({
    what: "nothing",
    ...{ body, pix: [], payouts: [] },
  })),
];
