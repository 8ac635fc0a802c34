/**
 * Mercado Pago's API in front of the simulator's API Pix, in the shapes of its documentation and of recorded payments. A
 * payment there is a charge, and the Pix of it.
 */
import { createHmac, randomUUID } from "node:crypto";
import type { Front, Simulated } from "../../harness/simulator-psp.ts";
import { type Answer, type Back, type Behind, centavosIn, type Dialect, startBridge, valorOf } from "./bridge.ts";

const TOKEN = "APP_USR-of-a-test";
const SECRET = "a-secret-of-notifications";

// biome-ignore lint/suspicious/noExplicitAny: the simulator's answers are read field by field, and a wrong one fails its test
type Shown = any;

const yes = (body: unknown, status = 200): Answer => ({ status, body });
const no = (status: number, code: number, description: string): Answer => ({
  status,
  body: {
    message: description,
    error: status === 404 ? "not_found" : "bad_request",
    status,
    cause: [{ code, description, data: null }],
  },
});
const NOT_FOUND = no(404, 2_000, "Payment not found");
const refusal = ({ status, body }: Behind): Answer =>
  status === 404
    ? NOT_FOUND
    : no(400, 2_063, body?.violacoes?.[0]?.razao ?? body?.detail ?? body?.mensagem ?? "The action is not valid");

const REFUND: Readonly<Record<string, string>> = { DEVOLVIDO: "approved", NAO_REALIZADO: "rejected" };
const reaisOf = (valor: string): number => centavosIn(valor) / 100;
const sumOf = (back: readonly Shown[]): number => back.reduce((so, one) => so + centavosIn(one.valor), 0);

/** What the bridge knows beside the simulator: Mercado Pago's numbers, and keys of calls that it has answered. */
function createNumbers() {
  const numbers = new Map<string, number>();
  const names = new Map<number, string>();
  return {
    of(name: string): number {
      const number = numbers.get(name) ?? 139_301_856_905 + numbers.size;
      numbers.set(name, number);
      names.set(number, name);
      return number;
    },
    nameOf: (number: string): string => names.get(Number(number)) ?? "none",
  };
}

/** @param fee what each payment costs, centavos. */
export async function startMercadoPago(simulated: Simulated, fee = 0): Promise<Front> {
  const numbers = createNumbers();
  const chave = simulated.credentials.pixKey;
  let address: string | null = null;

  const refundOf = (e2eId: string, back: Shown) => ({
    ...{
      id: numbers.of(`${e2eId}/${back.id}`),
      amount: reaisOf(back.valor),
      status: REFUND[back.status] ?? "in_process",
    },
    ...{ payment_id: numbers.of(e2eId), metadata: {}, e2e_id: null, unique_sequence_number: null, reason: null },
    source: { id: "1", name: "Loja", type: String(back.natureza ?? "").startsWith("MED") ? "bpp" : "collector" },
    ...{ date_created: back.horario.solicitacao, refund_mode: "standard", adjustment_amount: 0, labels: [] },
  });

  /** The first Pix of each charge: it has the number of the charge, a further one has its own. */
  const firsts = new Map<string, string>();
  function numberOf(cob: Shown, pix: Shown): number {
    const txid = cob?.txid ?? pix.txid;
    if (!pix || txid === undefined) return numbers.of(txid ?? pix.endToEndId);
    if (!firsts.has(txid)) firsts.set(txid, pix.endToEndId);
    return numbers.of(firsts.get(txid) === pix.endToEndId ? txid : pix.endToEndId);
  }

  /** The payment of a charge, with the Pix that paid it. A search knows the Pix alone. */
  function paymentOf(cob: Shown, pix: Shown): object {
    const back = (pix?.devolucoes ?? []).filter((one: Shown) => one.status === "DEVOLVIDO");
    const isBack = pix !== undefined && sumOf(back) === centavosIn(pix.valor);
    const status = pix ? (isBack ? "refunded" : "approved") : cob.status === "ATIVA" ? "pending" : "cancelled";
    const valor = pix?.valor ?? cob.valor.original;
    const number = numberOf(cob, pix);
    const id = pix ? `PIX${pix.endToEndId}` : null;
    return {
      ...{ id: number, status, status_detail: status === "approved" ? "accredited" : status, live_mode: true },
      ...{ transaction_amount: reaisOf(valor), transaction_amount_refunded: sumOf(back) / 100, currency_id: "BRL" },
      ...{ payment_method_id: "pix", payment_type_id: "bank_transfer", operation_type: "regular_payment" },
      ...{ external_reference: cob?.txid ?? pix?.txid ?? null, description: cob?.solicitacaoPagador ?? null },
      ...{ date_created: cob?.calendario.criacao ?? pix.horario, date_approved: pix?.horario ?? null },
      ...(cob && { date_of_expiration: expiryOf(cob) }),
      fee_details: pix && fee > 0 ? [{ amount: fee / 100, fee_payer: "collector", type: "mercadopago_fee" }] : [],
      payer: { email: "payer@example.com", identification: { number: null, type: null } },
      refunds: back.map((one: Shown) => refundOf(pix.endToEndId, one)),
      point_of_interaction: {
        transaction_data: { qr_code: cob?.pixCopiaECola ?? null, e2e_id: null, transaction_id: id },
      },
      transaction_details: { transaction_id: id },
    };
  }
  const expiryOf = ({ calendario: { criacao, expiracao } }: Shown): string =>
    new Date(Date.parse(criacao) + expiracao * 1_000).toISOString();
  const paymentsOf = (cob: Shown): object[] =>
    cob.pix?.length ? cob.pix.map((pix: Shown) => paymentOf(cob, pix)) : [paymentOf(cob, undefined)];

  /** Whether a name is that of a Pix; otherwise it is a txid. */
  const isPix = (name: string): boolean => /^E\w{31}$/.test(name);
  async function e2eOf(back: Back, number: string): Promise<string | Answer> {
    const name = numbers.nameOf(number);
    if (isPix(name)) return name;
    const said = await back.call("GET", `/v2/cob/${name}`);
    return said.status === 200 ? (said.body.pix?.[0]?.endToEndId ?? NOT_FOUND) : refusal(said);
  }
  const page = (all: readonly unknown[], total = all.length, offset = 0): Answer =>
    yes({ paging: { total, limit: 30, offset }, results: all });

  const routes: Dialect["routes"] = [
    [
      "PUT",
      // Of no API: where a person enters the address.
      /^\/panel$/,
      async (_heard, back) => {
        await back.call("PUT", `/v2/webhook/${encodeURIComponent(chave)}`, { webhookUrl: back.callbackUrl });
        return yes({});
      },
    ],
    [
      "POST",
      /^\/v1\/payments$/,
      async ({ body, headers }, back) => {
        if (!headers["x-idempotency-key"]) return no(400, 4_292, "Header X-Idempotency-Key can't be null");
        if (!body.payer?.email) return no(400, 4_050, "payer.email must be a valid email");
        const { external_reference: txid, transaction_amount: amount, date_of_expiration: until, payer } = body;
        const life = Math.ceil((Date.parse(until) - Date.now()) / 1_000);
        const { type, number } = payer.identification ?? {};
        const devedor = number && { nome: payer.first_name, [type === "CPF" ? "cpf" : "cnpj"]: number };
        const before = await back.call("GET", `/v2/cob/${txid}`);
        if (before.status === 200) return yes(paymentsOf(before.body)[0]);
        const made = await back.call("PUT", `/v2/cob/${txid}`, {
          ...{ calendario: { expiracao: life }, valor: { original: valorOf(Math.round(amount * 100)) }, chave },
          ...(body.description && { solicitacaoPagador: body.description }),
          ...(devedor && { devedor }),
        });
        return made.status < 300 ? yes(paymentOf(made.body, undefined), 201) : refusal(made);
      },
    ],
    [
      "GET",
      /^\/v1\/payments\/search$/,
      async ({ query }, back) => {
        const txid = query.get("external_reference");
        if (txid !== null) {
          const said = await back.call("GET", `/v2/cob/${txid}`);
          if (said.status === 404) return page([]);
          return said.status === 200 ? page(paymentsOf(said.body)) : refusal(said);
        }
        const [from, to] = [query.get("begin_date"), query.get("end_date")];
        const [offset, limit] = [Number(query.get("offset") ?? 0), Number(query.get("limit") ?? 30)];
        const of = `paginacao.paginaAtual=${offset / limit}&paginacao.itensPorPagina=${limit}`;
        const window =
          from === null ? "inicio=2026-01-01T00:00:00Z&fim=2027-01-01T00:00:00Z" : `inicio=${from}&fim=${to}`;
        const said = await back.call("GET", `/v2/pix?${window}&${of}`);
        if (said.status !== 200) return refusal(said);
        const total = said.body.parametros.paginacao.quantidadeTotalDeItens;
        return page(
          said.body.pix.map((pix: Shown) => paymentOf(undefined, pix)),
          total,
          offset,
        );
      },
    ],
    [
      "GET",
      /^\/v1\/payments\/(\d+)$/,
      async ({ ids: [number = ""] }, back) => {
        const name = numbers.nameOf(number);
        const said = await back.call("GET", isPix(name) ? `/v2/pix/${name}` : `/v2/cob/${name}`);
        if (said.status !== 200) return refusal(said);
        return yes(isPix(name) ? paymentOf(undefined, said.body) : paymentsOf(said.body)[0]);
      },
    ],
    [
      "PUT",
      /^\/v1\/payments\/(\d+)$/,
      async ({ ids: [number = ""] }, back) => {
        const removal = { status: "REMOVIDA_PELO_USUARIO_RECEBEDOR" };
        const said = await back.call("PATCH", `/v2/cob/${numbers.nameOf(number)}`, removal);
        return said.status < 300 ? yes(paymentOf(said.body, undefined)) : refusal(said);
      },
    ],
    [
      "POST",
      /^\/v1\/payments\/(\d+)\/refunds$/,
      async ({ ids: [number = ""], body, headers }, back) => {
        const key = headers["x-idempotency-key"];
        if (typeof key !== "string") return no(400, 4_292, "Header X-Idempotency-Key can't be null");
        const e2eId = await e2eOf(back, number);
        if (typeof e2eId !== "string") return e2eId;
        const said = await back.call("PUT", `/v2/pix/${e2eId}/devolucao/${key.replaceAll("-", "")}`, {
          valor: valorOf(Math.round(body.amount * 100)),
        });
        return said.status < 300 ? yes(refundOf(e2eId, said.body), 201) : refusal(said);
      },
    ],
    [
      "GET",
      // Its own client ends with a slash.
      /^\/v1\/payments\/(\d+)\/refunds\/?$/,
      async ({ ids: [number = ""], headers }, back) => {
        const e2eId = await e2eOf(back, number);
        if (typeof e2eId !== "string") return e2eId;
        const said = await back.call("GET", `/v2/pix/${e2eId}`);
        if (said.status !== 200) return refusal(said);
        const all = (said.body.devolucoes ?? []).map((one: Shown) => refundOf(e2eId, one));
        const open = headers["x-render-in-process-refunds"] === "true";
        return yes(all.filter(({ status }: Shown) => open || status !== "in_process"));
      },
    ],
  ];

  const bridge = await startBridge(simulated, {
    refuses: ({ headers }) =>
      headers.authorization === `Bearer ${TOKEN}` ? null : no(401, 5, "Must provide your access_token to proceed"),
    routes,
    async notified(body, back) {
      for (const pix of body?.pix ?? []) {
        if (address === null || pix.endToEndId === undefined) continue;
        const { id } = paymentOf(undefined, pix) as { id: number };
        const [requestId, ts] = [randomUUID(), String(Date.now())];
        const raw = JSON.stringify({
          ...{ id: numbers.of(requestId), live_mode: true, type: "payment", date_created: new Date().toISOString() },
          ...{ user_id: 1, api_version: "v1", action: "payment.updated", data: { id: String(id) } },
        });
        const v1 = createHmac("sha256", SECRET).update(`id:${id};request-id:${requestId};ts:${ts};`).digest("hex");
        await back.post(address, raw, { "x-signature": `ts=${ts},v1=${v1}`, "x-request-id": requestId });
      }
    },
  });
  return {
    ...bridge,
    settings: {
      ...{ mercadoPagoUrl: bridge.url, mercadoPagoToken: TOKEN, mercadoPagoSecret: SECRET },
      payerEmail: "loja@example.com",
    },
    async enterAddress(url) {
      address = url;
      await fetch(`${bridge.url}/panel`, { method: "PUT", headers: { authorization: `Bearer ${TOKEN}` } });
    },
  };
}
