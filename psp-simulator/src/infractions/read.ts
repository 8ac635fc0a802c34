import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import { problem } from "../http/problem.ts";
import { readQuery } from "../http/query.ts";
import type { Call } from "../http/serve.ts";
import { pageOf } from "../lib/page-of.ts";
import { presentInfraction } from "./present.ts";

/** `GET /gn/infracoes?inicio&fim`: by opening, both ends inclusive. Efí's own examples send days without a time. */
export function listInfractions(ctx: Context, call: Call): Answer {
  const { infractions, infractionIndex } = ctx.books.state;
  const reader = readQuery(call.query, ctx.books.state.behaviour.silentListCap);
  const period = reader.period(true, { days: true });
  const page = reader.page();
  if (reader.violations.length > 0) {
    return problem("InfracoesConsultaInvalida", "Os parâmetros de consulta não respeitam o schema.", reader.violations);
  }
  const { ids, total } = pageOf(infractionIndex, period, page, undefined);
  return json(200, {
    parametros: reader.parameters(page, total),
    infracoes: ids.map((id) => presentInfraction(ctx, infractions.get(id)!)),
  });
}
