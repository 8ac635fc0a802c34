import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import { problem } from "../http/problem.ts";
import { readQuery } from "../http/query.ts";
import type { Call } from "../http/serve.ts";
import { pageOf } from "../lib/page-of.ts";
import { presentPaidCharge, presentRevision, shownStatus, visiblePixOf } from "./present.ts";

/** `GET /cob/{txid}?revisao=n`. */
export function getCharge(ctx: Context, call: Call): Answer {
  const { revisao } = call.query;
  const charge = ctx.books.state.charges.get(call.params.txid!);
  if (!charge) return problem("CobNaoEncontrado", "Cobrança não encontrada para o txid informado.");
  if (revisao === undefined) return json(200, presentPaidCharge(ctx, charge));
  const number = typeof revisao === "string" && /^\d{1,9}$/.test(revisao) ? Number(revisao) : -1;
  if (number === charge.revisao) return json(200, presentPaidCharge(ctx, charge));
  const earlier = charge.history?.[number];
  if (!earlier) {
    return problem("CobConsultaInvalida", "O parâmetro revisao corresponde a uma revisão inexistente.", [
      { razao: "Revisão inexistente.", propriedade: "revisao", valor: String(revisao) },
    ]);
  }
  return json(200, presentRevision(ctx, charge, earlier.terms, number, earlier.status));
}

/** `GET /cob?inicio&fim`: by creation, both ends inclusive. */
export function listCharges(ctx: Context, call: Call): Answer {
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
    return problem("CobConsultaInvalida", "Os parâmetros de consulta não respeitam o schema.", reader.violations);
  }

  const filtered = cpf !== undefined || cnpj !== undefined || withLocation === false || status !== undefined;
  const matches = (txid: string): boolean => {
    const charge = state.charges.get(txid)!;
    const { devedor } = charge.terms;
    if (cpf !== undefined && !(devedor && "cpf" in devedor && devedor.cpf === cpf)) return false;
    if (cnpj !== undefined && !(devedor && "cnpj" in devedor && devedor.cnpj === cnpj)) return false;
    // Every charge here has its location from birth to end.
    if (withLocation === false) return false;
    return status === undefined || shownStatus(charge, visiblePixOf(ctx, charge.txid)) === status;
  };
  const { ids, total } = pageOf(state.chargeIndex, period, page, filtered ? matches : undefined);
  return json(200, {
    parametros: reader.parameters(page, total),
    cobs: ids.map((txid) => presentPaidCharge(ctx, state.charges.get(txid)!, { inList: true })),
  });
}
