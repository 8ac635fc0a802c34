import { drawDuration } from "../behaviour/draw.ts";
import { availableCentavos } from "../books/funds.ts";
import { record } from "../books/journal.ts";
import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import { efiError } from "../http/problem.ts";
import type { Call } from "../http/serve.ts";
import { parseAmount } from "../lib/amount.ts";
import { endToEndId } from "../lib/ids.ts";
import { note } from "../log/log.ts";
import { documentOf, findHolder } from "./directory.ts";
import type { Payout, Receiver } from "./payout.ts";
import { presentAccepted } from "./present.ts";
import { schedulePayout } from "./settle.ts";

type Wanted = { amountCentavos: number; chave: string; document?: string; infoPagador?: string };

/**
 * `PUT /v3/gn/pix/{idEnvio}` (older: /v2): accepts a payout, which settles later. An id is used once for ever: a repeat
 * of any content is refused with 409 and sends nothing.
 */
export function putPayout(ctx: Context, call: Call): Answer {
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
  const wanted = readPayout(call.body, ctx.credentials.pixKey);
  if ("wrong" in wanted) return refuse(400, wanted.nome, wanted.wrong);
  const { amountCentavos } = wanted;
  const holder = findHolder(ctx, wanted.chave, wanted.document);
  if (!holder) {
    const text = "A chave do favorecido não foi encontrada";
    return refuse(404, "chave_favorecido_nao_encontrada", text, amountCentavos);
  }
  if (wanted.document !== undefined && documentOf(holder) !== wanted.document) {
    const text = "A chave do favorecido não pertence ao documento informado";
    return refuse(400, "chave_nao_pertence_ao_documento", text, amountCentavos);
  }
  const funded = amountCentavos + state.behaviour.tariffs.sentCentavos <= availableCentavos(state);
  if (!funded && state.behaviour.insufficientBalance === "refuse") {
    return refuse(422, "pagamento_negado", "Pagamento negado: saldo insuficiente", amountCentavos);
  }
  return accept(ctx, idEnvio, wanted, holder, funded);
}

function accept(ctx: Context, idEnvio: string, wanted: Wanted, receiver: Receiver, funded: boolean): Answer {
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
  if (infoPagador !== undefined) payout.infoPagador = infoPagador;
  const { sentCentavos } = behaviour.tariffs;
  if (sentCentavos > 0) payout.tariffCentavos = sentCentavos;
  if (!funded) payout.unfunded = true;
  if (behaviour.payoutApproval) payout.awaitsApproval = true;
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
  return json(201, presentAccepted(payout));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The body, or the first thing that is wrong with it: Efí names one field. Sending to bank details is not offered. */
function readPayout(body: unknown, ownKey: string): Wanted | { nome: string; wrong: string } {
  const invalid = (field: string) => ({ nome: "valor_invalido", wrong: `Campo ${field} inválido` });
  if (!isObject(body)) return invalid("corpo da requisição");
  const { valor, pagador, favorecido } = body;
  const amountCentavos = parseAmount(valor) ?? 0;
  if (amountCentavos === 0) return invalid("valor");
  if (!isObject(pagador) || typeof pagador.chave !== "string") return invalid("pagador.chave");
  if (pagador.chave !== ownKey) {
    return { nome: "chave_invalida", wrong: "A chave informada em pagador.chave não pertence a esta conta" };
  }
  const { infoPagador } = pagador;
  if (infoPagador !== undefined && (typeof infoPagador !== "string" || infoPagador.length > 140)) {
    return invalid("pagador.infoPagador");
  }
  if (!isObject(favorecido)) return invalid("favorecido");
  const { chave, cpf, cnpj } = favorecido;
  if (typeof chave !== "string" || !/^[a-zA-Z0-9.@_+-]{1,77}$/.test(chave)) return invalid("favorecido.chave");
  if (cpf !== undefined && cnpj !== undefined) return invalid("favorecido.cpf");
  if (cpf !== undefined && (typeof cpf !== "string" || !/^\d{11}$/.test(cpf))) return invalid("favorecido.cpf");
  if (cnpj !== undefined && (typeof cnpj !== "string" || !/^[0-9A-Z]{12}\d{2}$/.test(cnpj))) {
    return invalid("favorecido.cnpj");
  }
  const wanted: Wanted = { amountCentavos, chave };
  const document = cpf ?? cnpj;
  if (typeof document === "string") wanted.document = document;
  if (typeof infoPagador === "string") wanted.infoPagador = infoPagador;
  return wanted;
}
