import type { Place } from "../behaviour/behaviour.ts";
import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import { problem } from "../http/problem.ts";
import { readQuery, wholeDays } from "../http/query.ts";
import type { Call } from "../http/serve.ts";
import { pageOf } from "../lib/page-of.ts";
import { isVisible, type Pix } from "./pix.ts";
import { presentPix } from "./present.ts";

/** `GET /pix/{e2eid}`. */
export function getPix(ctx: Context, call: Call): Answer {
  const pix = ctx.books.state.pix.get(call.params.e2eid!);
  if (!pix || !isVisible(pix, ctx.now()) || isHidden(ctx, pix, "read")) {
    return problem("PixNaoEncontrado", "Pix não encontrado para o e2eid informado.");
  }
  return json(200, presentPix(ctx, pix, "read"));
}

/** Whether a Pix is never seen in a place (behaviour `plainIn`). */
const isHidden = (ctx: Context, { txid }: Pix, place: Place): boolean =>
  txid === undefined && !ctx.books.state.behaviour.plainIn.includes(place);

/** `GET /pix?inicio&fim`: by settlement (`horario`), both ends inclusive. */
export function listPix(ctx: Context, call: Call): Answer {
  const { state } = ctx.books;
  const reader = readQuery(call.query, ctx.books.state.behaviour.silentListCap);
  const asked = reader.period(true);
  const period = ctx.books.state.behaviour.listsDays ? wholeDays(asked) : asked;
  const txid = reader.text("txid", /^[a-zA-Z0-9]{1,35}$/);
  const withTxid = reader.flag("txIdPresente");
  const withReturns = reader.flag("devolucaoPresente");
  const cpf = reader.text("cpf", /^\d{11}$/);
  const cnpj = reader.text("cnpj", /^[0-9A-Z]{14}$/);
  const page = reader.page();
  if (cpf !== undefined && cnpj !== undefined) {
    reader.violations.push({ razao: "Ambos os parâmetros cpf e cnpj estão preenchidos.", propriedade: "cpf" });
  }
  if (reader.violations.length > 0) {
    return problem("PixConsultaInvalida", "Os parâmetros de consulta não respeitam o schema.", reader.violations);
  }

  const now = ctx.now();
  const matches = (pix: Pix): boolean =>
    isVisible(pix, now) &&
    !isHidden(ctx, pix, "list") &&
    (withTxid === undefined || withTxid === (pix.txid !== undefined)) &&
    (withReturns === undefined || withReturns === (pix.returns ?? []).length > 0) &&
    (cpf === undefined || ("cpf" in pix.payer && pix.payer.cpf === cpf)) &&
    (cnpj === undefined || ("cnpj" in pix.payer && pix.payer.cnpj === cnpj));
  const found = txid === undefined ? inPeriod() : ofTxid(txid);
  return json(200, {
    parametros: reader.parameters(page, found.total),
    pix: found.ids.map((id) => presentPix(ctx, state.pix.get(id)!, "list")),
  });

  function inPeriod(): { ids: string[]; total: number } {
    const nothingHidden = state.lastVisibleAt <= now;
    const unfiltered =
      state.behaviour.plainIn.includes("list") &&
      [withTxid, withReturns, cpf, cnpj].every((filter) => filter === undefined);
    return pageOf(
      state.pixIndex,
      period,
      page,
      nothingHidden && unfiltered ? undefined : (id) => matches(state.pix.get(id)!),
    );
  }

  function ofTxid(wanted: string): { ids: string[]; total: number } {
    const matching = (state.pixByTxid.get(wanted) ?? []).filter((id) => {
      const pix = state.pix.get(id)!;
      return pix.settledAt >= period.from && pix.settledAt <= period.to && matches(pix);
    });
    const first = page.number * page.size;
    return { ids: matching.slice(first, first + page.size), total: matching.length };
  }
}
