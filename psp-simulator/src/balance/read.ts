import { reais } from "../banking/present.ts";
import { blockedCentavos, fundsCentavos } from "../books/funds.ts";
import type { Context } from "../context.ts";
import { type Answer, json } from "../http/answer.ts";
import type { Call } from "../http/serve.ts";
import { formatAmount } from "../lib/amount.ts";

/** `GET /gn/saldo?bloqueios=true`: `saldo` is everything on the account, what is blocked included. */
export function getBalance(ctx: Context, call: Call): Answer {
  const { state } = ctx.books;
  const saldo = formatAmount(fundsCentavos(state));
  if (call.query.bloqueios !== "true") return json(200, { saldo });
  const med = formatAmount(blockedCentavos(state));
  return json(200, { saldo, bloqueios: { judicial: "0.00", med, total: med } });
}

/** Inter's `GET /banking/v2/saldo`: what is free, and beside it what is blocked; numbers in reais. */
export function getAccountBalance(ctx: Context): Answer {
  const { state } = ctx.books;
  const blocked = blockedCentavos(state);
  return json(200, {
    disponivel: reais(fundsCentavos(state) - blocked),
    bloqueadoCheque: 0,
    bloqueadoJudicialmente: 0,
    bloqueadoAdministrativo: reais(blocked),
    limite: 0,
  });
}
