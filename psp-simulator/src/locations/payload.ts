import type { Charge } from "../charges/charge.ts";
import { shownStatus, visiblePixOf } from "../charges/present.ts";
import type { Context } from "../context.ts";
import { dayAt, isDay } from "../due/calendar.ts";
import { compose } from "../due/compute.ts";
import { finalCentavos } from "../due/due.ts";
import { presentCalendar, presentFinal, presentReceiver } from "../due/present.ts";
import { type Answer, json } from "../http/answer.ts";
import { problem } from "../http/problem.ts";
import type { Call } from "../http/serve.ts";
import { formatAmount } from "../lib/amount.ts";
import { formatTimestamp } from "../lib/timestamp.ts";
import { OWNER_DOCUMENT } from "../payouts/directory.ts";
import { publicKeys, signJws } from "./sign.ts";

/**
 * `GET` of a location, open to everybody who has its address: the terms of the charge that stands there, signed (JWS), as a payer's
 * bank reads them. A charge that is over is shown too: its status says so.
 */
export async function getPayload(ctx: Context, call: Call): Promise<Answer> {
  const { locations, locationByToken, charges } = ctx.books.state;
  const txid = locations.get(locationByToken.get(call.params.token!) ?? -1)?.txid;
  const charge = txid === undefined ? undefined : charges.get(txid);
  if (!charge) return problem("CobPayloadNaoEncontrado", "Nenhuma cobrança é exibida por esta location.");
  const { DPP: day } = call.query;
  const jws = await signJws(ctx, presentPayload(ctx, charge, isDay(day) ? day : dayAt(ctx.now())));
  return { status: 200, body: Buffer.from(jws), type: "application/jose" };
}

/** The keys by which it is verified, at the address that each payload names (`jku`). */
export async function getKeys(ctx: Context): Promise<Answer> {
  return json(200, await publicKeys(ctx));
}

/** CobPayload, or CobVPayload with what is asked on a day. */
export function presentPayload(ctx: Context, charge: Charge, day: string): Record<string, unknown> {
  const { terms } = charge;
  const { due } = terms;
  const composed = due && compose(terms.amountCentavos, due, day);
  const original = formatAmount(terms.amountCentavos);
  const { modalidadeAlteracao, devedor, solicitacaoPagador, infoAdicionais } = terms;
  return {
    calendario: {
      criacao: formatTimestamp(charge.createdAt),
      apresentacao: formatTimestamp(ctx.now()),
      ...(due ? presentCalendar(due) : { expiracao: terms.expiracaoSeconds }),
    },
    txid: charge.txid,
    revisao: charge.revisao,
    status: shownStatus(charge, visiblePixOf(ctx, charge.txid)),
    valor: composed
      ? presentFinal(composed, finalCentavos(composed))
      : { original, ...(modalidadeAlteracao === undefined ? {} : { modalidadeAlteracao }) },
    ...(due && { recebedor: presentReceiver(OWNER_DOCUMENT, ctx.credentials.ownerName, ctx.credentials.city) }),
    chave: terms.chave,
    ...(devedor && { devedor }),
    ...(solicitacaoPagador !== undefined && { solicitacaoPagador }),
    ...(infoAdicionais && { infoAdicionais }),
  };
}
