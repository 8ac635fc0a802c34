import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import { problem } from "../http/problem.ts";
import type { Call } from "../http/serve.ts";
import { isVisible } from "../payouts/read.ts";
import { presentOwn } from "./present.ts";

/** `GET /banking/v2/pix/{codigoSolicitacao}`: Inter knows a payout by its own id alone. */
export function getOwnPayout(ctx: Context, call: Call): Answer {
  const { payouts, payoutByName } = ctx.books.state;
  const codigo = call.params.codigo!;
  const payout = payouts.get(payoutByName.get(codigo) ?? "");
  if (payout?.own?.codigo !== codigo || !isVisible(ctx, payout)) {
    return problem("NaoEncontrado", "Nenhum pagamento foi encontrado para o código de solicitação informado.");
  }
  return json(200, presentOwn(ctx, payout, payout.own));
}
