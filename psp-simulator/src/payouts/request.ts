import { drawDuration } from "../behaviour/draw.ts";
import { availableCentavos } from "../books/funds.ts";
import { record } from "../books/journal.ts";
import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import { efiError } from "../http/problem.ts";
import type { Call } from "../http/serve.ts";
import { isOwnKey } from "../keys/own-keys.ts";
import { parseAmount } from "../lib/amount.ts";
import { endToEndId } from "../lib/ids.ts";
import { note } from "../log/log.ts";
import { BLOCKED, documentOf, findHolder, OWNER_DOCUMENT } from "./directory.ts";
import type { Payout, Receiver } from "./payout.ts";
import { presentAccepted } from "./present.ts";
import { schedulePayout } from "./settle.ts";

/** What a body asks for: the receiver's key, or (`account`) a receiver by bank account. */
export type Wanted = {
  amountCentavos: number;
  chave: string;
  account?: Receiver;
  document?: string;
  /** The name that the payout was asked for. Of this program alone: Efí's API does not take it. */
  name?: string;
  infoPagador?: string;
  /** The charge of this PSP that it pays, by its code. */
  paysTxid?: string;
};
/** The first thing that is wrong: Efí names one field. */
export type Wrong = { nome: string; wrong: string };

/**
 * `PUT /v3/gn/pix/{idEnvio}` (older: /v2): accepts a payout, which settles later. An id is used once for ever: a repeat
 * of any content is refused with 409 and sends nothing.
 */
export const putPayout = (ctx: Context, call: Call): Answer =>
  take(ctx, call, (body) => readPayout(body, (chave) => isOwnKey(ctx, chave)));

/** `PUT /gn/pix/{idEnvio}/mesma-titularidade`: the same, and the receiver must be the holder of this account. */
export const putSameOwner = (ctx: Context, call: Call): Answer =>
  take(ctx, call, (body) => {
    const wanted = readPayout(body, (chave) => isOwnKey(ctx, chave));
    if ("wrong" in wanted) return wanted;
    const holder = wanted.account ?? findHolder(ctx, wanted.chave, { document: OWNER_DOCUMENT });
    if (!holder || documentOf(holder) === OWNER_DOCUMENT) return wanted;
    return { nome: "titularidade_divergente", wrong: "O favorecido não é de mesma titularidade da conta pagadora" };
  });

/** Accepts a payout, whatever names its receiver. */
export function take(ctx: Context, call: Call, readBody: (body: unknown) => Wanted | Wrong): Answer {
  const { state } = ctx.books;
  const idEnvio = call.params.idEnvio!;
  const refuse = (status: number, nome: string, mensagem: string, amountCentavos?: number): Answer => {
    note(ctx.log, "payout", { id: idEnvio, amountCentavos, result: status, outcome: "refused", reason: nome });
    return efiError(status, nome, mensagem);
  };
  if (!/^[a-zA-Z0-9]{1,35}$/.test(idEnvio)) return refuse(400, "valor_invalido", "Campo idEnvio inválido");
  if (state.payouts.has(idEnvio)) {
    return refuse(409, "id_envio_duplicado", "O campo idEnvio informado já foi utilizado em outro envio");
  }
  const wanted = readBody(call.body);
  if ("wrong" in wanted) return refuse(400, wanted.nome, wanted.wrong);
  const { amountCentavos } = wanted;
  const holder = wanted.account ?? findHolder(ctx, wanted.chave, wanted);
  if (!holder) {
    const text = "A chave do favorecido não foi encontrada";
    return refuse(404, "chave_favorecido_nao_encontrada", text, amountCentavos);
  }
  if (wanted.chave === BLOCKED) {
    return refuse(400, "chave_bloqueada", "A chave do favorecido está bloqueada", amountCentavos);
  }
  if (wanted.document !== undefined && documentOf(holder) !== wanted.document) {
    const text = "A chave do favorecido não pertence ao documento informado";
    return refuse(400, "chave_nao_pertence_ao_documento", text, amountCentavos);
  }
  const funded = amountCentavos + state.behaviour.tariffs.sentCentavos <= availableCentavos(state);
  if (!funded && state.behaviour.insufficientBalance === "refuse") {
    return refuse(422, "pagamento_negado", "Pagamento negado: saldo insuficiente", amountCentavos);
  }
  return json(201, presentAccepted(accept(ctx, { idEnvio }, wanted, holder, funded)));
}

/** Takes a payout on; it settles later. */
export function accept(
  ctx: Context,
  { idEnvio, own, prepared }: Pick<Payout, "idEnvio" | "own" | "prepared">,
  wanted: Wanted,
  receiver: Receiver,
  funded: boolean,
): Payout {
  const { behaviour, payoutByE2e } = ctx.books.state;
  const { amountCentavos, infoPagador } = wanted;
  const now = ctx.now();
  let id = endToEndId(ctx.credentials.ispb, now);
  while (payoutByE2e.has(id)) id = endToEndId(ctx.credentials.ispb, now);
  const payout: Payout = {
    idEnvio,
    endToEndId: id,
    amountCentavos,
    chave: ctx.credentials.pixKey,
    receiver,
    requestedAt: now,
    visibleAt: now + drawDuration(behaviour.readLagMs, behaviour.faults.seed, "readLag", idEnvio),
    status: "EM_PROCESSAMENTO",
  };
  if (own !== undefined) payout.own = own;
  if (prepared) payout.prepared = true;
  if (infoPagador !== undefined) payout.infoPagador = infoPagador;
  if (wanted.paysTxid !== undefined) payout.paysTxid = wanted.paysTxid;
  const { sentCentavos } = behaviour.tariffs;
  if (sentCentavos > 0) payout.tariffCentavos = sentCentavos;
  if (!funded) payout.unfunded = true;
  if (behaviour.payoutApproval) payout.awaitsApproval = true;
  if (behaviour.payoutAnalysis) payout.isAnalysed = true;
  const noted = note(ctx.log, "payout", {
    id: idEnvio,
    e2eId: id,
    amountCentavos,
    key: receiver.chave,
    result: 201,
    outcome: "accepted",
    ...(funded ? {} : { unfunded: true }),
  });
  record(ctx.books, { payout, note: noted });
  schedulePayout(ctx, payout);
  return payout;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const invalid = (field: string): Wrong => ({ nome: "valor_invalido", wrong: `Campo ${field} inválido` });

/** The body, or the first thing that is wrong with it. */
function readPayout(body: unknown, isOwn: (chave: string) => boolean): Wanted | Wrong {
  if (!isObject(body)) return invalid("corpo da requisição");
  const amountCentavos = parseAmount(body.valor) ?? 0;
  if (amountCentavos === 0) return invalid("valor");
  const payer = readPayer(body, isOwn);
  if ("wrong" in payer) return payer;
  const receiver = readReceiver(body.favorecido);
  return "wrong" in receiver ? receiver : { amountCentavos, ...receiver, ...payer };
}

/** Who pays: a key of the account, with what the receiver reads. */
export function readPayer(
  { pagador }: Record<string, unknown>,
  isOwn: (chave: string) => boolean,
): Pick<Wanted, "infoPagador"> | Wrong {
  if (!isObject(pagador) || typeof pagador.chave !== "string") return invalid("pagador.chave");
  if (!isOwn(pagador.chave)) {
    return { nome: "chave_invalida", wrong: "A chave informada em pagador.chave não pertence a esta conta" };
  }
  const { infoPagador } = pagador;
  if (infoPagador === undefined) return {};
  return typeof infoPagador === "string" && infoPagador.length <= 140
    ? { infoPagador }
    : invalid("pagador.infoPagador");
}

const CPF = /^\d{11}$/;
const CNPJ = /^[0-9A-Z]{12}\d{2}$/;
const isText = (value: unknown, pattern: RegExp): value is string => typeof value === "string" && pattern.test(value);

function readAccount(value: unknown): Pick<Wanted, "chave" | "account"> | Wrong {
  if (!isObject(value)) return invalid("favorecido.contaBanco");
  const { nome, cpf, cnpj, codigoBanco, agencia, conta, tipoConta } = value;
  if (!isText(nome, /^.{1,100}$/)) return invalid("favorecido.contaBanco.nome");
  const document = isText(cpf, CPF) ? { cpf } : isText(cnpj, CNPJ) ? { cnpj } : undefined;
  if (!document || (cpf !== undefined && cnpj !== undefined)) return invalid("favorecido.contaBanco.cpf");
  if (!isText(codigoBanco, /^[0-9A-Z]{8}$/)) return invalid("favorecido.contaBanco.codigoBanco");
  if (!isText(agencia, /^\d{1,4}$/)) return invalid("favorecido.contaBanco.agencia");
  if (!isText(conta, /^[0-9A-Za-z-]{1,20}$/)) return invalid("favorecido.contaBanco.conta");
  if (tipoConta !== "cacc" && tipoConta !== "svgs") return invalid("favorecido.contaBanco.tipoConta");
  return {
    chave: "",
    account: { chave: "", nome, ...document, contaBanco: { codigoBanco, agencia, conta, tipoConta } },
  };
}

/** By key, with the document that its holder must have, or by bank account. */
function readReceiver(favorecido: unknown): Pick<Wanted, "chave" | "account" | "document" | "name"> | Wrong {
  if (!isObject(favorecido)) return invalid("favorecido");
  if (favorecido.contaBanco !== undefined) return readAccount(favorecido.contaBanco);
  const { chave, cpf, cnpj, nome } = favorecido;
  if (typeof chave !== "string" || !/^[a-zA-Z0-9.@_+-]{1,77}$/.test(chave)) return invalid("favorecido.chave");
  if (cpf !== undefined && cnpj !== undefined) return invalid("favorecido.cpf");
  if (cpf !== undefined && !isText(cpf, CPF)) return invalid("favorecido.cpf");
  if (cnpj !== undefined && !isText(cnpj, CNPJ)) return invalid("favorecido.cnpj");
  const document = cpf ?? cnpj;
  const name = typeof nome === "string" && nome !== "" ? nome : undefined;
  return { chave, ...(document !== undefined && { document }), ...(name !== undefined && { name }) };
}
