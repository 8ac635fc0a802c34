/**
 * Payouts in the words of Banco do Brasil's payments in batches: a batch of one payment under a number of the client's, which is
 * taken once, and paid when a second call releases it.
 */
import { availableCentavos } from "../books/funds.ts";
import { record } from "../books/journal.ts";
import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import type { Call } from "../http/serve.ts";
import { formatAmount, parseAmount } from "../lib/amount.ts";
import { note } from "../log/log.ts";
import { BLOCKED, findHolder } from "../payouts/directory.ts";
import type { Payout } from "../payouts/payout.ts";
import { isVisible } from "../payouts/read.ts";
import { accept } from "../payouts/request.ts";
import { failPayout, schedulePayout } from "../payouts/settle.ts";

const LAST_NUMBER = 9_999_999;
/** The bank's ids of payments have 17 digits, more than a double holds. */
const FIRST_PAYMENT = 90_022_000_000_000_001n;
/** States of a batch (`estadoRequisicao`): waits to be released, none of it is consistent, processed, released. */
const [CONSISTENT, INCONSISTENT, PROCESSED, RELEASED] = [1, 3, 6, 9];
const UNKNOWN_KEY = "Chave Pix não encontrada";

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** A number with all its digits. */
const exact = (digits: bigint): unknown =>
  (JSON as unknown as { rawJSON(digits: string): unknown }).rawJSON(String(digits));

function refuse(status: number, codigo: string, mensagem: string): Answer {
  return json(status, { erros: [{ codigo, versao: "1", mensagem, ocorrencia: "CHE1" }] });
}
const NO_BATCH = () => refuse(404, "4876102", "Lote não encontrado");

/** `POST …/lotes-transferencias-pix`: a batch. Nobody is paid, and nothing is taken, before it is released. */
export function postBatchOfOne(ctx: Context, call: Call): Answer {
  const body: Fields = isObject(call.body) ? call.body : {};
  const { numeroRequisicao: number, listaTransferencias } = body;
  if (!isWithin(number, LAST_NUMBER)) return refuse(400, "4876001", "Número de requisição inválido");
  for (const field of ["numeroContrato", "agenciaDebito", "contaCorrenteDebito"])
    if (!isWithin(body[field], Number.MAX_SAFE_INTEGER)) return refuse(400, "4876002", `Campo ${field} inválido`);
  if (body.tipoPagamento !== 126 && body.tipoPagamento !== 128) return refuse(400, "4876002", "Tipo inválido");
  if (find(ctx, String(number))) return refuse(400, "4876003", "Número de requisição já utilizado");
  // Up to 320 at the bank: this one knows batches of one.
  const item: unknown =
    Array.isArray(listaTransferencias) && listaTransferencias.length === 1 && listaTransferencias[0];
  const amountCentavos = isObject(item) && typeof item.valor === "number" ? parseAmount(item.valor.toFixed(2)) : 0;
  if (!isObject(item) || !amountCentavos || !/^\d{7,8}$/.test(String(item.data)))
    return refuse(400, "4876004", "Lista de transferências inválida");
  const chave = readKey(item);
  if (chave === undefined) {
    const listed = [{ ...item, indicadorMovimentoAceito: "N", erros: [14] }];
    return json(201, { numeroRequisicao: number, estadoRequisicao: INCONSISTENT, listaTransferencias: listed });
  }
  const descricao = typeof item.descricaoPagamento === "string" ? item.descricaoPagamento : "";
  // The first of a text has it as its id here, so that tests find it; a further one is a payment of its own.
  const isFirst = /^[a-zA-Z0-9]{1,35}$/.test(descricao) && !ctx.books.state.payouts.has(descricao);
  const own = { codigo: String(number), descricao };
  const receiver = findHolder(ctx, chave) ?? { chave, nome: "" };
  const wanted = { idEnvio: isFirst ? descricao : `numero${number}`, own, prepared: true } as const;
  return json(201, presentBatch(accept(ctx, wanted, { amountCentavos, chave }, receiver, true)));
}

const isWithin = (value: unknown, most: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= most;

/** The key of a transfer; undefined where its fields are none. */
function readKey(item: Fields): string | undefined {
  const {
    formaIdentificacao: by,
    dddTelefone: area,
    telefone,
    email,
    cpf,
    cnpj,
    identificacaoAleatoria: random,
  } = item;
  if (by === 1 && isWithin(area, 99) && isWithin(telefone, 999_999_999)) return `+55${area}${telefone}`;
  if (by === 2 && typeof email === "string" && email.includes("@")) return email;
  if (by === 3 && isWithin(cpf, 99_999_999_999)) return String(cpf).padStart(11, "0");
  if (by === 3 && isWithin(cnpj, 99_999_999_999_999)) return String(cnpj).padStart(14, "0");
  return by === 4 && typeof random === "string" && /^[0-9a-f-]{36}$/.test(random) ? random : undefined;
}

/** `POST …/liberar-pagamentos`: lets a batch be paid, once. */
export function releaseBatch(ctx: Context, call: Call): Answer {
  const { numeroRequisicao: number, indicadorFloat } = isObject(call.body) ? call.body : {};
  const payout = find(ctx, String(number));
  if (!payout) return NO_BATCH();
  if (indicadorFloat !== "N" && indicadorFloat !== "S") return refuse(400, "4876002", "Campo indicadorFloat inválido");
  if (!payout.prepared) return refuse(400, "4876005", "Requisição já liberada");
  const { prepared: _prepared, ...rest } = payout;
  const isFunded = payout.amountCentavos + (payout.tariffCentavos ?? 0) <= availableCentavos(ctx.books.state);
  const released: Payout = isFunded ? rest : { ...rest, unfunded: true };
  const noted = note(ctx.log, "payout.authorised", { id: payout.idEnvio, e2eId: payout.endToEndId, result: 200 });
  record(ctx.books, { payout: released, note: noted });
  const { chave } = payout.receiver;
  const isKnown = findHolder(ctx, chave) !== undefined && chave !== BLOCKED;
  if (isFunded && isKnown) schedulePayout(ctx, released);
  else failPayout(ctx, payout.idEnvio, { motivo: isFunded ? UNKNOWN_KEY : "Saldo insuficiente" });
  return json(200, { numeroRequisicao: number, estadoRequisicao: RELEASED });
}

/** `GET …/lotes-transferencias-pix/{number}/solicitacao`. */
export function getBatchOfOne(ctx: Context, call: Call): Answer {
  const payout = find(ctx, call.params.codigo!);
  return payout && isVisible(ctx, payout) ? json(200, presentBatch(payout)) : NO_BATCH();
}

/** `GET …/pix/{identificadorPagamento}`. */
export function getPaymentOfBatch(ctx: Context, call: Call): Answer {
  const payout = find(ctx, String(BigInt(/^\d{1,20}$/.exec(call.params.id!)?.[0] ?? 0) - FIRST_PAYMENT));
  if (!payout || !isVisible(ctx, payout)) return refuse(404, "4876103", "Pagamento não encontrado");
  const { status, pretence, amountCentavos, receiver, returns = [], own } = payout;
  const state = { EM_PROCESSAMENTO: "Pendente", REALIZADO: "Pago", NAO_REALIZADO: "Rejeitado" } as const;
  return json(200, {
    id: exact(BigInt(call.params.id!)),
    estadoPagamento: pretence?.status ?? state[status],
    requisicaoPagamento: Number(own!.codigo),
    valorPagamento: Number(formatAmount(pretence?.amountCentavos ?? amountCentavos)),
    descricaoPagamento: own!.descricao,
    listaPix: [{ nomeBeneficiario: receiver.nome }],
    listaDevolucao: returns.map((one) => ({
      codigoMotivo: 1,
      valorDevolucao: Number(formatAmount(one.amountCentavos)),
    })),
  });
}

function find(ctx: Context, codigo: string): Payout | undefined {
  const { payouts, payoutByName } = ctx.books.state;
  const payout = payouts.get(payoutByName.get(codigo) ?? "");
  return payout?.own?.codigo === codigo ? payout : undefined;
}

function presentBatch({ own, prepared, status, amountCentavos, pretence }: Payout): Record<string, unknown> {
  const number = Number(own!.codigo);
  const valor = Number(formatAmount(pretence?.amountCentavos ?? amountCentavos));
  const released = status === "EM_PROCESSAMENTO" ? RELEASED : PROCESSED;
  const identificadorPagamento = exact(FIRST_PAYMENT + BigInt(number));
  const counts = { quantidadeTransferencias: 1, valorTransferencias: valor, quantidadeTransferenciasValidas: 1 };
  const accepted = { indicadorMovimentoAceito: "S", erros: [] };
  return {
    ...{ numeroRequisicao: number, estadoRequisicao: prepared ? CONSISTENT : released, ...counts },
    listaTransferencias: [{ identificadorPagamento, valor, descricaoPagamento: own!.descricao, ...accepted }],
  };
}
