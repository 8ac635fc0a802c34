/**
 * Payouts in the words of Santander's payments: a request prepares one, which takes no money, and an authorisation lets it be
 * paid. The bank looks for nothing by an id of the client's: each request makes another payment.
 */
import { randomUUID } from "node:crypto";
import { availableCentavos } from "../books/funds.ts";
import { record } from "../books/journal.ts";
import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import { problem } from "../http/problem.ts";
import type { Call } from "../http/serve.ts";
import { formatAmount, parseAmount } from "../lib/amount.ts";
import { note } from "../log/log.ts";
import { BLOCKED, findHolder } from "../payouts/directory.ts";
import type { Payout } from "../payouts/payout.ts";
import { isVisible } from "../payouts/read.ts";
import { accept } from "../payouts/request.ts";
import { failPayout, schedulePayout } from "../payouts/settle.ts";

const KEY_TYPES: Readonly<Record<string, RegExp>> = {
  CPF: /^\d{11}$/,
  CNPJ: /^[0-9A-Z]{12}\d{2}$/,
  EMAIL: /@/,
  CELULAR: /^\+\d+$/,
  EVP: /^[0-9a-f-]{36}$/,
};

const refuse = (propriedade: string): Answer =>
  problem("RequisicaoInvalida", "O pagamento informado é inválido.", [{ razao: "é inválido.", propriedade }]);
const hasApplicationKey = (ctx: Context, call: Call) => call.headers["x-application-key"] === ctx.credentials.clientId;

/** `POST …/pix_payments`: prepares a payment. Nobody is paid, and nothing is taken, before it is authorised. */
export function postPreparedPayout(ctx: Context, call: Call): Answer {
  if (!hasApplicationKey(ctx, call)) return refuse("X-Application-Key");
  const {
    paymentValue,
    dictCode,
    dictCodeType,
    remittanceInformation: text = "",
  } = call.body as Record<string, unknown>;
  const amountCentavos = parseAmount(paymentValue) ?? 0;
  if (amountCentavos === 0) return refuse("paymentValue");
  const fits = typeof dictCodeType === "string" && Object.hasOwn(KEY_TYPES, dictCodeType);
  if (!fits || typeof dictCode !== "string" || !KEY_TYPES[dictCodeType]!.test(dictCode)) return refuse("dictCodeType");
  if (typeof text !== "string" || text.length > 140) return refuse("remittanceInformation");
  const holder = findHolder(ctx, dictCode);
  const codigo = randomUUID();
  if (!holder || dictCode === BLOCKED) {
    note(ctx.log, "payout", { id: text, result: 200, outcome: "refused", reason: "dictCode" });
    const rejectReason = holder ? "Chave Pix bloqueada" : "Chave Pix não encontrada";
    return json(200, { id: codigo, status: "REJECTED", paymentValue, rejectReason });
  }
  // The first of a text has it as its id here, so that tests find it; a further one is a payment of its own.
  const isFirst = /^[a-zA-Z0-9]{1,35}$/.test(text) && !ctx.books.state.payouts.has(text);
  const idEnvio = isFirst ? text : codigo.replaceAll("-", "");
  const own = { codigo, descricao: text };
  const payout = accept(ctx, { idEnvio, own, prepared: true }, { amountCentavos, chave: dictCode }, holder, true);
  return json(200, { ...present(payout), status: "PENDING_VALIDATION" });
}

/** `PATCH …/pix_payments/{id}`: authorises it. A payment is paid once, however often it is authorised. */
export function authorisePayout(ctx: Context, call: Call): Answer {
  const payout = find(ctx, call);
  if (!payout) return problem("NaoEncontrado", "Nenhum pagamento foi encontrado.");
  const { status, paymentValue } = (call.body ?? {}) as Record<string, unknown>;
  if (!hasApplicationKey(ctx, call) || status !== "AUTHORIZED") return refuse("status");
  if (parseAmount(paymentValue) !== payout.amountCentavos) return refuse("paymentValue");
  if (!payout.prepared) return json(200, present(payout));
  const { prepared: _prepared, ...rest } = payout;
  const { state } = ctx.books;
  const isFunded = payout.amountCentavos + (payout.tariffCentavos ?? 0) <= availableCentavos(state);
  const authorised: Payout = isFunded ? rest : { ...rest, unfunded: true };
  const noted = note(ctx.log, "payout.authorised", { id: payout.idEnvio, e2eId: payout.endToEndId, result: 200 });
  record(ctx.books, { payout: authorised, note: noted });
  if (isFunded) schedulePayout(ctx, authorised);
  else
    failPayout(ctx, payout.idEnvio, { codigo: "SALDO_INSUFICIENTE", origem: "PAGADOR", motivo: "Saldo insuficiente" });
  return json(200, present(state.payouts.get(payout.idEnvio)!));
}

/** `GET …/pix_payments/{id}`. */
export function getPreparedPayout(ctx: Context, call: Call): Answer {
  const payout = find(ctx, call);
  if (!payout || !isVisible(ctx, payout)) return problem("NaoEncontrado", "Nenhum pagamento foi encontrado.");
  return json(200, present(payout));
}

function find(ctx: Context, call: Call): Payout | undefined {
  const { payouts, payoutByName } = ctx.books.state;
  const payout = payouts.get(payoutByName.get(call.params.codigo!) ?? "");
  return payout?.own?.codigo === call.params.codigo ? payout : undefined;
}

function present(payout: Payout): Record<string, unknown> {
  const { own, prepared, amountCentavos, receiver, endToEndId, error, pretence } = payout;
  const ended = { EM_PROCESSAMENTO: "PENDING_CONFIRMATION", REALIZADO: "PAYED", NAO_REALIZADO: "REJECTED" } as const;
  return {
    id: own!.codigo,
    status: pretence?.status ?? (prepared ? "READY_TO_PAY" : ended[payout.status]),
    paymentValue: formatAmount(pretence?.amountCentavos ?? amountCentavos),
    dictCode: receiver.chave,
    remittanceInformation: own!.descricao,
    ...(!prepared && { transaction: { endToEnd: endToEndId } }),
    ...(error && { rejectReason: error.motivo }),
  };
}
