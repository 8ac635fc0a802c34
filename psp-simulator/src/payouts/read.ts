import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import { problem } from "../http/problem.ts";
import { readQuery, wholeDays } from "../http/query.ts";
import type { Call } from "../http/serve.ts";
import { pageOf } from "../lib/page-of.ts";
import type { Payout } from "./payout.ts";
import { presentPayout } from "./present.ts";

/** `GET /gn/pix/enviados/{e2eId}`. */
export function getPayoutByE2e(ctx: Context, call: Call): Answer {
  const { payouts, payoutByE2e } = ctx.books.state;
  return present(ctx, payouts.get(payoutByE2e.get(call.params.e2eId!) ?? ""));
}

/** `GET /gn/pix/enviados/id-envio/{idEnvio}`. */
export function getPayout(ctx: Context, call: Call): Answer {
  return present(ctx, ctx.books.state.payouts.get(call.params.idEnvio!));
}

function present(ctx: Context, payout: Payout | undefined): Answer {
  if (!payout || !isVisible(ctx, payout)) {
    return problem("PixEnviadoNaoEncontrado", "Nenhum Pix enviado foi encontrado para o identificador informado.");
  }
  return json(200, presentPayout(ctx, payout, "read"));
}

/** Whether reads find it. */
export const isVisible = (ctx: Context, { visibleAt, pretence }: Payout): boolean =>
  visibleAt <= ctx.now() && pretence?.absent === undefined;

/** `GET /gn/pix/enviados?inicio&fim`: by request, both ends inclusive; returns show however late they came. */
export function listPayouts(ctx: Context, call: Call): Answer {
  const { payouts, payoutIndex } = ctx.books.state;
  const reader = readQuery(call.query, ctx.books.state.behaviour.silentListCap);
  const asked = reader.period(true);
  const period = ctx.books.state.behaviour.listsDays ? wholeDays(asked) : asked;
  const status = reader.text("status", /^(EM_PROCESSAMENTO|REALIZADO|NAO_REALIZADO)$/);
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

  const matches = (id: string): boolean => {
    const payout = payouts.get(id)!;
    if (!isVisible(ctx, payout)) return false;
    if (cpf !== undefined && payout.receiver.cpf !== cpf) return false;
    if (cnpj !== undefined && payout.receiver.cnpj !== cnpj) return false;
    const shown = presentPayout(ctx, payout, "list");
    return (
      (status === undefined || shown.status === status) &&
      (withReturns === undefined || withReturns === (payout.returns ?? []).some((item) => item.shownFrom <= ctx.now()))
    );
  };
  const { ids, total } = pageOf(payoutIndex, period, page, matches);
  return json(200, {
    parametros: reader.parameters(page, total),
    pix: ids.map((id) => presentPayout(ctx, payouts.get(id)!, "list")),
  });
}
