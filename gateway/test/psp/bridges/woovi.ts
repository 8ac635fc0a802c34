/** Woovi's API in front of the simulator, in the shapes of Woovi's own specification and samples. */
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import type { Front, Simulated } from "../../harness/simulator-psp.ts";
import { type Answer, type Back, type Behind, centavosIn, type Dialect, startBridge, valorOf } from "./bridge.ts";

const APP_ID = "Q2xpZW50X0lkX3dvb3Zp";

const no = (error: string): Answer => ({ status: 400, body: { error } });
const yes = (body: unknown): Answer => ({ status: 200, body });

/** The words of a refusal of API Pix, as Woovi's. */
function refusal({ status, body }: Behind, what: string): Answer {
  if (status === 404 || /nao_?encontrad/i.test(body?.nome ?? body?.type ?? "")) return no(`${what} não encontrada`);
  return no(body?.mensagem ?? body?.violacoes?.[0]?.razao ?? body?.detail ?? body?.title ?? "Erro");
}

/** The answer where the simulator said yes. */
const so = (behind: Behind, what: string, body: (shown: Behind["body"]) => unknown): Answer =>
  behind.status < 300 ? yes(body(behind.body)) : refusal(behind, what);

const CHARGE_STATUS: Readonly<Record<string, string>> = { ATIVA: "ACTIVE", CONCLUIDA: "COMPLETED" };

// biome-ignore lint/suspicious/noExplicitAny: the simulator's answers are read field by field, and a wrong one fails its test
type Shown = any;

function charge(cob: Shown) {
  const { criacao, expiracao } = cob.calendario;
  const status = CHARGE_STATUS[cob.status] ?? "EXPIRED";
  const expiresDate = new Date(Date.parse(criacao) + expiracao * 1_000).toISOString();
  const own = { value: centavosIn(cob.valor.original), status, correlationID: cob.txid, transactionID: cob.txid };
  const dates = { expiresIn: expiracao, expiresDate, createdAt: criacao, updatedAt: criacao };
  const pix = { method: "PIX_COB", txId: cob.txid, status, value: own.value, brCode: cob.pixCopiaECola };
  const more = { pixKey: cob.chave, brCode: cob.pixCopiaECola, paymentMethods: { pix } };
  return { ...own, ...dates, comment: cob.solicitacaoPagador ?? "", type: "DYNAMIC", ...more };
}

const taxIdOf = (taxID: string) => ({ taxID, type: taxID.length === 11 ? "BR:CPF" : "BR:CNPJ" });
const personOf = ({ nome, cpf, cnpj }: Shown) => ({ name: nome, taxID: taxIdOf(cpf ?? cnpj) });

/** A Pix as Woovi shows a transaction. */
function transaction(pix: Shown) {
  const back = (pix.devolucoes ?? []).filter((one: Shown) => one.status !== "NAO_REALIZADO");
  const sum = back.reduce((so: number, one: Shown) => so + centavosIn(one.valor), 0);
  const status = sum === 0 ? "CONFIRMED" : sum < centavosIn(pix.valor) ? "PARTIAL_REFUND" : "REFUNDED";
  const own = { value: centavosIn(pix.valor), time: pix.horario, endToEndId: pix.endToEndId, type: "PAYMENT", status };
  const of = pix.txid && { charge: { correlationID: pix.txid, status: "COMPLETED" }, transactionID: pix.txid };
  return { ...own, ...of, ...(pix.pagador && { payer: personOf(pix.pagador), customer: personOf(pix.pagador) }) };
}

/** Woovi's id of a refund: of ours it is what the adapter made, of others' the bank's. */
const correlationIn = (e2eId: string, { id, natureza }: Shown): string =>
  String(natureza ?? "").startsWith("MED") ? `bank-${id}` : `${e2eId}-${id}`;

const timeOf = ({ horario }: Shown) => horario?.liquidacao ?? horario?.solicitacao;

/** As a charge's list of refunds has it. */
function chargeRefund(e2eId: string, back: Shown) {
  const status = { DEVOLVIDO: "CONFIRMED", NAO_REALIZADO: "REJECTED" }[String(back.status)] ?? "IN_PROCESSING";
  const own = { status, value: centavosIn(back.valor), correlationID: correlationIn(e2eId, back) };
  return { ...own, endToEndId: back.rtrId, time: timeOf(back) };
}

/** As the query for one has it. */
function refund(e2eId: string, back: Shown) {
  const status = { DEVOLVIDO: "REFUNDED", NAO_REALIZADO: "NOT_ACCOMPLISHED" }[String(back.status)] ?? "IN_PROCESSING";
  const own = { status, value: centavosIn(back.valor), correlationID: correlationIn(e2eId, back) };
  return { ...own, refundId: back.rtrId.toLowerCase(), returnIdentification: back.rtrId, time: timeOf(back) };
}

const PAYMENT_STATUS: Readonly<Record<string, string>> = {
  EM_PROCESSAMENTO: "PROCESSING",
  AGUARDANDO_APROVACAO: "CREATED",
  REALIZADO: "CONFIRMED",
  NAO_REALIZADO: "FAILED",
};

/** A payout as Woovi shows a payment. */
function payment(sent: Shown) {
  const status = PAYMENT_STATUS[sent.status] ?? sent.status;
  const own = { value: centavosIn(sent.valor), status, correlationID: sent.idEnvio, comment: sent.idEnvio };
  const { nome, cpf, cnpj } = sent.favorecido?.identificacao ?? {};
  const error = sent.gnExtras?.erro;
  const reason =
    error && (isPoor(error) ? "NOT_ENOUGH_BALANCE - Saldo insuficiente" : `${error.codigo} - ${error.motivo}`);
  const time = sent.horario?.liquidacao ?? sent.horario?.solicitacao;
  return {
    payment: { ...own, destinationAlias: sent.favorecido?.chave },
    transaction: {
      value: own.value,
      endToEndId: sent.endToEndId,
      time,
      ...(reason && { providerRejectedReason: reason }),
    },
    ...(nome && { destination: { name: nome, taxID: cpf ?? cnpj } }),
  };
}

const isPoor = (error: Shown): boolean => /saldo/i.test(`${error.codigo} ${error.motivo}`);

/** A refund id of ours, in its two parts. */
const partsOf = (correlationID: string) => /^(E\w{31})-(\w+)$/.exec(correlationID)?.slice(1) ?? ["none", "none"];

const skipOf = (query: URLSearchParams) => Number(query.get("skip") ?? 0);
const limitOf = (query: URLSearchParams) => Number(query.get("limit") ?? 10);

/** `start` and `end`, `skip` and `limit` as the parameters of API Pix. */
function windowOf(query: URLSearchParams): string {
  const [skip, limit] = [skipOf(query), limitOf(query)];
  const page = `paginacao.paginaAtual=${Math.floor(skip / limit)}&paginacao.itensPorPagina=${limit}`;
  return `inicio=${query.get("start")}&fim=${query.get("end")}&${page}`;
}

function pageInfo(query: URLSearchParams, shown: Shown) {
  const [skip, limit] = [skipOf(query), limitOf(query)];
  const { paginaAtual, quantidadeDePaginas } = shown.parametros.paginacao;
  return { skip, limit, hasPreviousPage: skip > 0, hasNextPage: paginaAtual + 1 < quantidadeDePaginas };
}

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 1_024 });
const PUBLIC = publicKey.export({ type: "spki", format: "pem" }).toString();
const KEY_ID = createHash("sha256")
  .update(publicKey.export({ type: "spki", format: "der" }))
  .digest("hex");

type Webhook = { readonly id: string; readonly event: string; readonly url: string; readonly name: string };

/** Everything that Woovi says of one Pix, payout or return of a callback: event and body. */
function eventsOf(pix: Shown): readonly (readonly [event: string, body: object])[] {
  if (pix.gnExtras?.idEnvio !== undefined) return eventsOfPayout(pix);
  const [shown, back] = [transaction(pix), pix.devolucoes ?? []];
  if (back.length === 0) {
    return [["OPENPIX:TRANSACTION_RECEIVED", { charge: shown.charge ?? null, pixQrCode: null, pix: shown }]];
  }
  return back.flatMap((one: Shown) => {
    const end = { DEVOLVIDO: "CONFIRMED", NAO_REALIZADO: "REJECTED" }[String(one.status)];
    if (end === undefined) return [];
    const own = { value: centavosIn(one.valor), time: timeOf(one), endToEndId: one.rtrId, status: end, type: "REFUND" };
    return [[`PIX_TRANSACTION_REFUND_SENT_${end}`, { refundTransaction: own, originalTransaction: shown }]];
  });
}

function eventsOfPayout(pix: Shown): readonly (readonly [event: string, body: object])[] {
  const { idEnvio, erro } = pix.gnExtras;
  const { payment: own, transaction: made } = payment({ ...pix, idEnvio, horario: { liquidacao: pix.horario } });
  const [latest] = (pix.devolucoes ?? []).slice(-1);
  if (latest !== undefined) {
    const status = "CONFIRMED";
    const refundTransaction = { value: centavosIn(latest.valor), endToEndId: latest.rtrId, status, type: "REFUND" };
    const originalTransaction = { ...made, type: "WITHDRAW", status, infoPagador: idEnvio };
    return [["PIX_TRANSACTION_REFUND_RECEIVED_CONFIRMED", { refundTransaction, originalTransaction }]];
  }
  const error = erro && { code: "PAY_PIX_KEY_ERROR", description: `${erro.codigo} - ${erro.motivo}` };
  const event = pix.status === "REALIZADO" ? "OPENPIX:MOVEMENT_CONFIRMED" : "OPENPIX:MOVEMENT_FAILED";
  return [[event, { payment: own, transaction: made, ...(error && { error }) }]];
}

const chargeRoutes: Dialect["routes"] = [
  [
    "POST",
    /^\/api\/v1\/charge$/,
    async ({ body: { correlationID, value, expiresIn, comment, customer } }, back) => {
      const { taxID, name } = customer ?? {};
      const behind = await back.call("PUT", `/v2/cob/${correlationID}`, {
        calendario: { expiracao: expiresIn },
        valor: { original: valorOf(value) },
        chave: back.credentials.pixKey,
        ...(comment && { solicitacaoPagador: comment }),
        ...(customer && { devedor: { nome: name, [taxID.length === 11 ? "cpf" : "cnpj"]: taxID } }),
      });
      return so(behind, "Cobrança", (cob) => ({ charge: charge(cob), correlationID, brCode: cob.pixCopiaECola }));
    },
  ],
  [
    "GET",
    /^\/api\/v1\/charge\/([^/]+)$/,
    async ({ ids }, back) =>
      so(await back.call("GET", `/v2/cob/${ids[0]}`), "Cobrança", (cob) => ({ charge: charge(cob) })),
  ],
  [
    "DELETE",
    /^\/api\/v1\/charge\/([^/]+)$/,
    async ({ ids: [id] }, back) => {
      const removal = { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" };
      return so(await back.call("PATCH", `/v2/cob/${id}`, removal), "Cobrança", () => ({ status: "OK", id }));
    },
  ],
  [
    "GET",
    /^\/api\/v1\/charge\/([^/]+)\/refund$/,
    async ({ ids }, back) =>
      so(await back.call("GET", `/v2/cob/${ids[0]}`), "Cobrança", (cob) => ({
        refunds: (cob.pix ?? []).flatMap((pix: Shown) =>
          (pix.devolucoes ?? []).map((one: Shown) => chargeRefund(pix.endToEndId, one)),
        ),
      })),
  ],
];

const pixRoutes: Dialect["routes"] = [
  [
    "GET",
    /^\/api\/v1\/transaction\/([^/]+)$/,
    async ({ ids }, back) =>
      so(await back.call("GET", `/v2/pix/${ids[0]}`), "Transação", (pix) => ({ transaction: transaction(pix) })),
  ],
  [
    "GET",
    /^\/api\/v1\/transaction$/,
    async ({ query }, back) => {
      const [of, withdrawal] = [query.get("charge"), query.get("withdrawal")];
      if (of !== null) {
        const behind = await back.call("GET", `/v2/cob/${of}`);
        const info = { skip: 0, limit: limitOf(query), hasPreviousPage: false, hasNextPage: false };
        return so(behind, "Cobrança", (cob) => ({ pageInfo: info, transactions: (cob.pix ?? []).map(transaction) }));
      }
      if (withdrawal !== null) {
        return so(await back.call("GET", `/v2/gn/pix/enviados/${withdrawal}`), "Transação", (sent) => ({
          transactions: (sent.devolucoes ?? []).map((one: Shown) => {
            return { type: "REFUND", value: centavosIn(one.valor), endToEndId: one.rtrId, time: one.horario };
          }),
        }));
      }
      const behind = await back.call("GET", `/v2/pix?${windowOf(query)}`);
      return so(behind, "Lista", (list) => ({
        pageInfo: pageInfo(query, list),
        transactions: list.pix.map(transaction),
      }));
    },
  ],
  [
    "POST",
    /^\/api\/v1\/refund$/,
    async ({ body: { transactionEndToEndId: e2eId, correlationID, value, comment } }, back) => {
      const [, id] = partsOf(correlationID);
      const wanted = { valor: valorOf(value), ...(comment && { descricao: comment }) };
      const behind = await back.call("PUT", `/v2/pix/${e2eId}/devolucao/${id}`, wanted);
      return so(behind, "Transação", (made) => ({ refund: refund(e2eId, made) }));
    },
  ],
  [
    "GET",
    /^\/api\/v1\/refund\/([^/]+)$/,
    async ({ ids }, back) => {
      const [e2eId = "", id] = partsOf(ids[0]!);
      const behind = await back.call("GET", `/v2/pix/${e2eId}/devolucao/${id}`);
      return so(behind, "Devolução", (made) => ({ pixTransactionRefund: refund(e2eId, made) }));
    },
  ],
];

const accountRoutes: Dialect["routes"] = [
  [
    "POST",
    /^\/api\/v1\/payment$/,
    async ({ body: { correlationID, value, destinationAlias } }, back) => {
      const pagador = { chave: back.credentials.pixKey };
      const wanted = { valor: valorOf(value), pagador, favorecido: { chave: destinationAlias } };
      const behind = await back.call("PUT", `/v2/gn/pix/${correlationID}`, wanted);
      if (behind.status === 409) return no("Já existe um pagamento com o correlationID fornecido");
      if (behind.status === 404) return no("PIX_KEY_INFO_NOT_FOUND");
      if (behind.status === 422) return no("You do not have enough balance to make this payment");
      return so(behind, "Chave", (sent) => {
        const { payment: own, transaction: made } = payment(sent);
        return { payment: { ...own, status: own.status === "CREATED" ? "CREATED" : "APPROVED" }, transaction: made };
      });
    },
  ],
  [
    "GET",
    /^\/api\/v1\/payment\/([^/]+)$/,
    async ({ ids }, back) => {
      const behind = await back.call("GET", `/v2/gn/pix/enviados/id-envio/${ids[0]}`);
      return behind.status < 300 ? yes(payment(behind.body)) : no("Pagamento não encontrado");
    },
  ],
  [
    "GET",
    /^\/api\/v1\/account\/?$/,
    async (_heard, back) =>
      so(await back.call("GET", "/v2/gn/saldo?bloqueios=true"), "Conta", ({ saldo, bloqueios }) => {
        const [total, blocked] = [centavosIn(saldo), centavosIn(bloqueios?.total ?? "0.00")];
        return {
          accounts: [{ accountId: "a1", isDefault: true, balance: { total, blocked, available: total - blocked } }],
        };
      }),
  ],
  [
    "GET",
    /^\/api\/v1\/dispute$/,
    async ({ query }, back) =>
      so(await back.call("GET", `/v2/gn/infracoes?${windowOf(query)}`), "Lista", (list) => ({
        pageInfo: pageInfo(query, list),
        disputes: list.infracoes.map(dispute),
      })),
  ],
  [
    "POST",
    /^\/api\/v1\/dispute\/([^/]+)\/evidence$/,
    async ({ ids, body: { documents } }, back) => {
      const window = "inicio=2020-01-01T00:00:00Z&fim=2099-01-01T00:00:00Z&paginacao.itensPorPagina=1000";
      const { body: list } = await back.call("GET", `/v2/gn/infracoes?${window}`);
      const own = list.infracoes.find((one: Shown) => one.endToEndId === ids[0]);
      if (own === undefined) return no("Dispute not found");
      const defence = { analise: "rejeitado", justificativa: documents[0].description };
      const behind = await back.call("POST", `/v2/gn/infracoes/${own.idInfracao}/defesa`, defence);
      return so(behind, "Disputa", () => ({ documents }));
    },
  ],
];

const DISPUTE_STATUS: Readonly<Record<string, string>> = {
  ACEITA: "ACCEPTED",
  REJEITADA: "REJECTED",
  CANCELADA: "CANCELED",
};
function dispute(own: Shown) {
  const status = DISPUTE_STATUS[own.status] ?? "IN_REVIEW";
  const said = { status, value: centavosIn(Number(own.valor).toFixed(2)), endToEndId: own.endToEndId, type: "MED" };
  return { ...said, disputeReason: own.razao, createdAt: own.criadoEm, updatedAt: own.atualizadoEm };
}

/** Starts Woovi in front of a simulator. */
export async function bridgeWoovi(simulated: Simulated): Promise<Front> {
  const webhooks: Webhook[] = [];
  const webhookRoutes: Dialect["routes"] = [
    [
      "GET",
      /^\/api\/v1\/webhook\/public-keys$/,
      () => yes({ public_keys: [{ key_identifier: KEY_ID, is_current: true, key: PUBLIC }] }),
    ],
    [
      "GET",
      /^\/api\/v1\/webhook$/,
      async (_heard, back) => {
        // For the faults of the simulator alone.
        await back.call("GET", `/v2/webhook/${back.credentials.pixKey}`);
        return yes({ webhooks });
      },
    ],
    [
      "POST",
      /^\/api\/v1\/webhook$/,
      async ({ body: { webhook } }, back) => {
        const path = `/v2/webhook/${back.credentials.pixKey}`;
        const tried = await back.call("PUT", path, { webhookUrl: webhook.url });
        if (tried.status >= 300) return no("Invalid url");
        await back.call("PUT", path, { webhookUrl: back.callbackUrl });
        const made = { ...webhook, id: Buffer.from(`Webhook:${webhooks.length}`).toString("base64") };
        webhooks.push(made);
        return yes({ webhook: made });
      },
    ],
    [
      "DELETE",
      /^\/api\/v1\/webhook\/([^/]+)$/,
      ({ ids }) => {
        const at = webhooks.findIndex(({ id }) => id === ids[0]);
        if (at < 0) return no("Webhook not found");
        webhooks.splice(at, 1);
        return yes({ status: "OK" });
      },
    ],
  ];
  async function notify(event: string, body: object, back: Back): Promise<void> {
    const raw = JSON.stringify({ event, ...body });
    const signature = sign("sha256", Buffer.from(raw), privateKey).toString("base64");
    const urls = webhooks.filter((one) => one.event === event).map(({ url }) => url);
    for (const url of urls) await back.post(url, raw, { "x-webhook-signature": signature });
  }
  const bridge = await startBridge(simulated, {
    refuses: ({ headers, path }) =>
      headers.authorization === APP_ID || path.endsWith("/public-keys")
        ? null
        : { status: 401, body: { error: "appID inválido" } },
    routes: [...chargeRoutes, ...pixRoutes, ...accountRoutes, ...webhookRoutes],
    async notified(body, back) {
      for (const pix of body?.pix ?? []) {
        for (const [event, said] of eventsOf(pix)) await notify(event, said, back);
      }
    },
  });
  return { settings: { wooviUrl: bridge.url, appId: APP_ID, wooviPayouts: true }, close: bridge.close };
}
