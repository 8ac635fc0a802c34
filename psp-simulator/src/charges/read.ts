import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import { problem } from "../http/problem.ts";
import { readQuery } from "../http/query.ts";
import type { Call } from "../http/serve.ts";
import { pageOf } from "../lib/page-of.ts";
import { type Kind, kindOf } from "./charge.ts";
import { presentPaidCharge, presentRevision, shownStatus, visiblePixOf } from "./present.ts";

export const getCharge = (ctx: Context, call: Call): Answer => get(ctx, call, "cob");
/** `GET /cobv/{txid}?revisao=n`. */
export const getDueCharge = (ctx: Context, call: Call): Answer => get(ctx, call, "cobv");

export const notFound = (kind: Kind): Answer =>
  problem(kind === "cob" ? "CobNaoEncontrado" : "CobVNaoEncontrada", "Cobrança não encontrada para o txid informado.");

/** `GET /cob/{txid}?revisao=n`. */
function get(ctx: Context, call: Call, kind: Kind): Answer {
  const { revisao } = call.query;
  const charge = ctx.books.state.charges.get(call.params.txid!);
  if (!charge || kindOf(charge) !== kind) return notFound(kind);
  if (revisao === undefined) return json(200, presentPaidCharge(ctx, charge));
  const number = typeof revisao === "string" && /^\d{1,9}$/.test(revisao) ? Number(revisao) : -1;
  if (number === charge.revisao) return json(200, presentPaidCharge(ctx, charge));
  const earlier = charge.history?.[number];
  if (!earlier) {
    return problem(INVALID[kind], "O parâmetro revisao corresponde a uma revisão inexistente.", [
      { razao: "Revisão inexistente.", propriedade: "revisao", valor: String(revisao) },
    ]);
  }
  return json(200, presentRevision(ctx, charge, earlier.terms, number, earlier.status));
}

const INVALID = { cob: "CobConsultaInvalida", cobv: "CobVConsultaInvalida" } as const;

export const listCharges = (ctx: Context, call: Call): Answer => list(ctx, call, "cob");
/** `GET /cobv?inicio&fim`. */
export const listDueCharges = (ctx: Context, call: Call): Answer => list(ctx, call, "cobv");

/** `GET /cob?inicio&fim`: by creation, both ends inclusive. */
function list(ctx: Context, call: Call, kind: Kind): Answer {
  const { state } = ctx.books;
  const reader = readQuery(call.query, ctx.books.state.behaviour.silentListCap);
  const period = reader.period(true);
  const cpf = reader.text("cpf", /^\d{11}$/);
  const cnpj = reader.text("cnpj", /^[0-9A-Z]{14}$/);
  const withLocation = reader.flag("locationPresente");
  const status = reader.text("status", /^(ATIVA|CONCLUIDA|REMOVIDA_PELO_USUARIO_RECEBEDOR|REMOVIDA_PELO_PSP)$/);
  const page = reader.page();
  if (cpf !== undefined && cnpj !== undefined) {
    reader.violations.push({ razao: "Ambos os parâmetros cpf e cnpj estão preenchidos.", propriedade: "cpf" });
  }
  if (reader.violations.length > 0) {
    return problem(INVALID[kind], "Os parâmetros de consulta não respeitam o schema.", reader.violations);
  }

  const matches = (txid: string): boolean => {
    const charge = state.charges.get(txid)!;
    const { devedor } = charge.terms;
    if (kindOf(charge) !== kind) return false;
    if (cpf !== undefined && !(devedor && "cpf" in devedor && devedor.cpf === cpf)) return false;
    if (cnpj !== undefined && !(devedor && "cnpj" in devedor && devedor.cnpj === cnpj)) return false;
    // Every charge here has its location from birth to end.
    if (withLocation === false) return false;
    return status === undefined || shownStatus(charge, visiblePixOf(ctx, charge.txid)) === status;
  };
  const { ids, total } = pageOf(state.chargeIndex, period, page, matches);
  return json(200, {
    parametros: reader.parameters(page, total),
    cobs: ids.map((txid) => presentPaidCharge(ctx, state.charges.get(txid)!, { inList: true })),
  });
}
