/** Asaas's API, in front of the simulator's API Pix. Its QR codes are immediate charges, its transfers payouts. */
import { OFFSET } from "../../../src/lib/days.ts";
import {
  type Answer,
  type Back,
  type Bridge,
  centavosIn,
  type Dialect,
  type Heard,
  startBridge,
  valorOf,
} from "./bridge.ts";

const API_KEY = "$aact_hmlg_of-a-test";
/** For how long Asaas refuses the same amount to the same key, milliseconds. */
const GUARD = 15 * 60_000;

/** What a test sees of the bank, and how it makes it behave. */
export type Asaas = Bridge & {
  /** By which the adapter finds it. */
  readonly settings: Readonly<Record<"asaasUrl" | "asaasKey" | "pixKey", string>>;
  /** The transfers that carry a reference: each of them pays. */
  transfersOf(reference: string): number;
  /** Whether the same amount to the same key is refused for 15 minutes; off at first. */
  guards: boolean;
  /** Whether new transfers are left out of lists; off at first. */
  lags: boolean;
};

type Transfer = {
  readonly id: string;
  readonly reference: string;
  readonly description: string;
  readonly key: string;
  readonly value: number;
  readonly at: number;
};
// biome-ignore lint/suspicious/noExplicitAny: what the simulator says is read field by field, and a wrong one fails its test
type Said = any;

const failed = (status: number, code: string, description: string): Answer => ({
  status,
  body: { errors: [{ code, description }] },
});
const NOT_FOUND = failed(404, "not_found", "Registro não encontrado.");
const data = (items: readonly unknown[], hasMore = false): Answer => ({
  status: 200,
  body: { object: "list", hasMore, totalCount: items.length, limit: 100, offset: 0, data: items },
});
/** As Asaas writes times: of Brasília, without a zone. */
const timeOf = (at: string | number): string =>
  new Date(new Date(at).getTime() - OFFSET).toISOString().slice(0, 19).replace("T", " ");
const reaisOf = (valor: string): number => centavosIn(valor) / 100;
const codeOf = (body: Said): string => String(body?.nome ?? body?.type?.split("/").at(-1) ?? "invalid_action");
const wordsOf = (body: Said): string =>
  String(body?.mensagem ?? body?.violacoes?.[0]?.razao ?? body?.detail ?? "Ação inválida.");
const refused = ({ status, body }: { readonly status: number; readonly body: Said }): Answer =>
  status === 404 ? NOT_FOUND : failed(400, codeOf(body), wordsOf(body));

const returned = (pix: Said, only = (_: Said) => true): number =>
  (pix.devolucoes ?? [])
    .filter((one: Said) => one.status === "DEVOLVIDO" && only(one))
    .reduce((so: number, one: Said) => so + centavosIn(one.valor), 0);

function statusOf(pix: Said): string {
  if (returned(pix) === centavosIn(pix.valor)) return "REFUNDED";
  const isUnderWay = pix.devolucoes?.some((one: Said) => one.status === "EM_PROCESSAMENTO");
  return isUnderWay ? "REFUND_IN_PROGRESS" : "RECEIVED";
}
/** The event of a notification about a Pix. */
function eventOf(pix: Said): string {
  if (!pix.devolucoes?.length) return "PAYMENT_RECEIVED";
  if (statusOf(pix) === "REFUNDED") return "PAYMENT_REFUNDED";
  return returned(pix) > 0 ? "PAYMENT_PARTIALLY_REFUNDED" : "PAYMENT_REFUND_IN_PROGRESS";
}

const paymentOf = (pix: Said) => ({
  ...{
    object: "payment",
    id: `pay_${pix.endToEndId}`,
    billingType: "PIX",
    value: reaisOf(pix.valor),
    netValue: reaisOf(pix.valor),
  },
  status: statusOf(pix),
  ...{ externalReference: pix.txid ?? null, pixQrCodeId: pix.txid ? `qr-${pix.txid}` : null },
  ...{
    pixTransaction: `tx-${pix.endToEndId}`,
    dateCreated: timeOf(pix.horario).slice(0, 10),
    paymentDate: timeOf(pix.horario).slice(0, 10),
  },
});

const transactionOf = (pix: Said) => ({
  ...{ id: `tx-${pix.endToEndId}`, endToEndIdentifier: pix.endToEndId, type: "CREDIT", status: "DONE" },
  ...{ value: reaisOf(pix.valor), refundedValue: returned(pix) / 100, effectiveDate: timeOf(pix.horario) },
  ...{
    payment: `pay_${pix.endToEndId}`,
    addressKey: pix.chave,
    conciliationIdentifier: pix.txid ? `qr-${pix.txid}` : null,
  },
  externalAccount: pix.pagador ? { name: pix.pagador.nome, cpfCnpj: pix.pagador.cpf ?? pix.pagador.cnpj } : null,
});

const REFUND: Readonly<Record<string, string>> = {
  DEVOLVIDO: "DONE",
  NAO_REALIZADO: "CANCELLED",
  EM_PROCESSAMENTO: "PENDING",
};
const refundOf = (one: Said) => ({
  ...{ value: reaisOf(one.valor), status: REFUND[one.status], endToEndIdentifier: one.rtrId ?? null },
  ...{ dateCreated: timeOf(one.horario.solicitacao), description: `devolucao ${one.id}` },
  effectiveDate: one.horario.liquidacao ? timeOf(one.horario.liquidacao) : null,
});

const TRANSFER: Readonly<Record<string, string>> = {
  ...{
    REALIZADO: "DONE",
    NAO_REALIZADO: "FAILED",
    EM_PROCESSAMENTO: "BANK_PROCESSING",
    AGUARDANDO_APROVACAO: "PENDING",
    EM_ANALISE: "BLOCKED",
  },
};
/** The owner's document, of a CPF with hidden digits. */
const documentOf = (key: string): string =>
  /^\d{14}$/.test(key) ? key : /^\d{11}$/.test(key) ? `***.${key.slice(3, 6)}.${key.slice(6, 9)}-**` : "***.456.789-**";
const transferOf = (made: Transfer, sent: Said) => ({
  ...{ object: "transfer", id: made.id, type: "BANK_ACCOUNT", operationType: "PIX", value: made.value, transferFee: 0 },
  ...{ externalReference: made.reference, description: made.description, dateCreated: timeOf(made.at).slice(0, 10) },
  ...{
    status: TRANSFER[sent.status],
    authorized: sent.status !== "AGUARDANDO_APROVACAO",
    endToEndIdentifier: sent.endToEndId,
  },
  effectiveDate: sent.horario?.liquidacao ? timeOf(sent.horario.liquidacao) : null,
  failReason: sent.gnExtras?.erro?.motivo ?? null,
  bankAccount: {
    ...{ ownerName: sent.favorecido?.identificacao?.nome ?? null, cpfCnpj: documentOf(made.key) },
    pixAddressKey: made.key,
  },
});

/** @param now the time that the guard goes by. */
export async function startAsaas(
  simulated: Parameters<typeof startBridge>[0],
  now: () => number = Date.now,
): Promise<Asaas> {
  const transfers: Transfer[] = [];
  /** What each charge is for, by its txid: its payments repeat it. */
  const described = new Map<string, string>();
  let webhook: { id: string; url: string; authToken?: string } | null = null;
  const state = { guards: false, lags: false };
  const chave = simulated.credentials.pixKey;
  const txidOf = (qrCode: string) => qrCode.replace(/^qr-/, "");
  const e2eOf = (id: string) => id.replace(/^(?:pay_|tx-)/, "");
  const window = (back: number) =>
    `inicio=${new Date(Date.now() - back).toISOString()}&fim=${new Date(Date.now() + 60_000).toISOString()}&paginacao.itensPorPagina=1000`;

  async function onePix(back: Back, id: string, show: (pix: Said) => Answer): Promise<Answer> {
    const said = await back.call("GET", `/v2/pix/${e2eOf(id)}`);
    return said.status === 200 ? show(said.body) : refused(said);
  }
  async function allPix(back: Back): Promise<Said[] | Answer> {
    const said = await back.call("GET", `/v2/pix?${window(3_600_000)}`);
    if (said.status !== 200) return refused(said);
    // The newest first.
    return [...said.body.pix].sort((a: Said, b: Said) => (timeOf(a.horario) < timeOf(b.horario) ? 1 : -1));
  }

  async function listPayments({ query }: Heard, back: Back): Promise<Answer> {
    if (query.get("status") === "REFUNDED") {
      const all = await allPix(back);
      return Array.isArray(all) ? data(all.map(paymentOf).filter(({ status }) => status === "REFUNDED")) : all;
    }
    const txid = query.get("externalReference") ?? txidOf(query.get("pixQrCodeId") ?? "");
    const said = await back.call("GET", `/v2/cob/${txid}`);
    if (said.status === 404) return data([]);
    return said.status === 200 ? data((said.body.pix ?? []).map(paymentOf)) : refused(said);
  }

  async function createCode({ body }: Heard, back: Back): Promise<Answer> {
    const { externalReference, value, expirationSeconds, addressKey, description } = body;
    const said = await back.call("PUT", `/v2/cob/${externalReference}`, {
      ...{
        calendario: { expiracao: expirationSeconds },
        valor: { original: valorOf(Math.round(value * 100)) },
        chave: addressKey,
      },
      ...(description !== undefined && { solicitacaoPagador: description }),
    });
    if (said.status >= 300) return refused(said);
    if (description !== undefined) described.set(externalReference, description);
    return {
      status: 200,
      body: { id: `qr-${externalReference}`, payload: said.body.pixCopiaECola, externalReference },
    };
  }

  async function deleteCode({ ids: [qrCode = ""] }: Heard, back: Back): Promise<Answer> {
    const said = await back.call("PATCH", `/v2/cob/${txidOf(qrCode)}`, { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" });
    if (said.status < 300) return { status: 200, body: { id: qrCode, deleted: true } };
    const { body } = await back.call("GET", `/v2/cob/${txidOf(qrCode)}`);
    return body?.status === "REMOVIDA_PELO_USUARIO_RECEBEDOR" ? NOT_FOUND : refused(said);
  }

  async function refund({ ids: [id = ""], body }: Heard, back: Back): Promise<Answer> {
    const [, own = "x", descricao] = /^devolucao (\w+)(?: (.*))?$/.exec(body.description) ?? [];
    const valor = valorOf(Math.round(body.value * 100));
    const said = await back.call("PUT", `/v2/pix/${e2eOf(id)}/devolucao/${own}`, {
      valor,
      ...(descricao && { descricao }),
    });
    return said.status >= 300 ? refused(said) : onePix(back, id, (pix) => ({ status: 200, body: paymentOf(pix) }));
  }

  async function transfer({ body }: Heard, back: Back): Promise<Answer> {
    const { value, pixAddressKey: key, externalReference: reference, description } = body;
    const isTwin = (one: Transfer) => one.key === key && one.value === value && one.at > now() - GUARD;
    if (state.guards && transfers.some(isTwin))
      return failed(409, "invalid_action", "Já existe uma transferência igual.");
    const before = transfers.filter((one) => one.reference === reference).length;
    const idEnvio = before === 0 ? reference : `${reference.slice(0, 30)}x${before}`;
    const made: Transfer = { id: `tr-${idEnvio}`, ...{ reference, description, key, value, at: now() } };
    transfers.push(made);
    const undo = () => transfers.splice(transfers.indexOf(made), 1);
    const sent = { valor: valorOf(Math.round(value * 100)), pagador: { chave }, favorecido: { chave: key } };
    const said = await back.call("PUT", `/v3/gn/pix/${idEnvio}`, sent).catch(async (fault) => {
      const shown = await back.call("GET", `/v2/gn/pix/enviados/id-envio/${idEnvio}`).catch(() => ({ status: 500 }));
      if (shown.status === 404) undo();
      throw fault;
    });
    if (said.status >= 300) undo();
    return said.status >= 300
      ? failed(400, codeOf(said.body), wordsOf(said.body))
      : { status: 200, body: transferOf(made, said.body) };
  }

  const sentOf = (made: Transfer, back: Back) => back.call("GET", `/v2/gn/pix/enviados/id-envio/${made.id.slice(3)}`);

  async function showTransfer({ ids: [id] }: Heard, back: Back): Promise<Answer> {
    const made = transfers.find((one) => one.id === id);
    if (made === undefined) return NOT_FOUND;
    const said = await sentOf(made, back);
    return said.status === 200 ? { status: 200, body: transferOf(made, said.body) } : refused(said);
  }

  async function listTransfers({ query }: Heard, back: Back): Promise<Answer> {
    // A fault of the list is met here.
    const all = await back.call("GET", `/v2/gn/pix/enviados?${window(86_400_000)}`);
    if (all.status !== 200) return refused(all);
    const reference = query.get("externalReference");
    const items = transfers.flatMap((made) => {
      const sent = all.body.pix.find((one: Said) => one.idEnvio === made.id.slice(3));
      const isAsked = reference === null || made.reference === reference;
      return state.lags || !isAsked || sent === undefined ? [] : [transferOf(made, sent)];
    });
    const [offset, limit] = [Number(query.get("offset") ?? 0), Number(query.get("limit") ?? 10)];
    const page = items.slice(offset, offset + limit);
    return data(page, items.length > offset + limit);
  }

  async function setWebhook({ body }: Heard, back: Back): Promise<Answer> {
    if (!/^https?:/.test(body.url)) return failed(400, "invalid_url", "A URL informada é inválida.");
    const said = await back.call("PUT", `/v2/webhook/${encodeURIComponent(chave)}`, { webhookUrl: back.callbackUrl });
    if (said.status >= 300) return refused(said);
    webhook = { ...body, id: "wh-1" };
    return { status: 200, body: webhook };
  }

  const dialect: Dialect = {
    refuses: ({ headers }) =>
      headers.access_token === API_KEY ? null : failed(401, "invalid_access_token", "A chave de API é inválida."),
    routes: [
      ["POST", /^\/v3\/pix\/qrCodes\/static$/, createCode],
      ["DELETE", /^\/v3\/pix\/qrCodes\/static\/([^/]+)$/, deleteCode],
      ["GET", /^\/v3\/payments$/, listPayments],
      [
        "GET",
        /^\/v3\/payments\/([^/]+)$/,
        ({ ids: [id = ""] }, back) => onePix(back, id, (pix) => ({ status: 200, body: paymentOf(pix) })),
      ],
      [
        "GET",
        /^\/v3\/payments\/([^/]+)\/refunds$/,
        ({ ids: [id = ""] }, back) => onePix(back, id, (pix) => data((pix.devolucoes ?? []).map(refundOf))),
      ],
      ["POST", /^\/v3\/payments\/([^/]+)\/refund$/, refund],
      [
        "GET",
        /^\/v3\/pix\/transactions\/([^/]+)$/,
        ({ ids: [id = ""] }, back) => onePix(back, id, (pix) => ({ status: 200, body: transactionOf(pix) })),
      ],
      [
        "GET",
        /^\/v3\/pix\/transactions$/,
        async ({ query }, back) => {
          const e2eId = query.get("endToEndIdentifier");
          if (e2eId !== null) {
            const one = await onePix(back, e2eId, (pix) => data([transactionOf(pix)]));
            return one === NOT_FOUND ? data([]) : one;
          }
          const all = await allPix(back);
          if (!Array.isArray(all)) return all;
          const [offset, limit] = [Number(query.get("offset") ?? 0), Number(query.get("limit") ?? 10)];
          return data(all.slice(offset, offset + limit).map(transactionOf), all.length > offset + limit);
        },
      ],
      ["POST", /^\/v3\/transfers$/, transfer],
      ["GET", /^\/v3\/transfers$/, listTransfers],
      ["GET", /^\/v3\/transfers\/([^/]+)$/, showTransfer],
      [
        "GET",
        /^\/v3\/finance\/balance$/,
        async (_, back) => {
          const said = await back.call("GET", "/v2/gn/saldo");
          return said.status === 200 ? { status: 200, body: { balance: Number(said.body.saldo) } } : refused(said);
        },
      ],
      [
        "GET",
        /^\/v3\/webhooks$/,
        async (_, back) => {
          const said = await back.call("GET", `/v2/webhook/${encodeURIComponent(chave)}`);
          return said.status === 200 || said.status === 404 ? data(webhook ? [webhook] : []) : refused(said);
        },
      ],
      ["POST", /^\/v3\/webhooks$/, setWebhook],
      ["PUT", /^\/v3\/webhooks\/wh-1$/, setWebhook],
    ],
    async notified(body, back) {
      for (const pix of body?.pix ?? []) {
        if (webhook === null) return;
        const idEnvio = pix.gnExtras?.idEnvio ?? pix.idEnvio;
        const made = transfers.find((one) => one.id === `tr-${idEnvio}`);
        const payment = () => ({
          event: eventOf(pix),
          // Who paid is named by an id of Asaas's alone.
          payment: { ...paymentOf(pix), customer: "cus_000005113026", description: described.get(pix.txid) ?? null },
        });
        const event = made
          ? { event: `TRANSFER_${TRANSFER[pix.status] ?? "DONE"}`, transfer: transferOf(made, pix) }
          : payment();
        await back.post(webhook.url, JSON.stringify({ id: `evt_${pix.endToEndId}`, ...event }), {
          ...(webhook.authToken !== undefined && { "asaas-access-token": webhook.authToken }),
        });
      }
    },
  };
  const bridge = await startBridge(simulated, dialect);
  return Object.assign(state, {
    ...bridge,
    settings: { asaasUrl: `${bridge.url}/v3`, asaasKey: API_KEY, pixKey: chave },
    transfersOf: (reference: string) => transfers.filter((one) => one.reference === reference).length,
  });
}
