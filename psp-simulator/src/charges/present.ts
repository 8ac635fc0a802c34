import { worded } from "../behaviour/behaviour.ts";
import type { Context } from "../context.ts";
import { presentCalendar, presentParts, presentReceiver } from "../due/present.ts";
import { formatAmount } from "../lib/amount.ts";
import { dynamicBrCode } from "../lib/brcode.ts";
import { formatTimestamp } from "../lib/timestamp.ts";
import { OWNER_DOCUMENT } from "../payouts/directory.ts";
import { isVisible, type Pix } from "../pix/pix.ts";
import { presentPix } from "../pix/present.ts";
import { type Charge, type ChargeStatus, kindOf, type Terms } from "./charge.ts";

/** The Pix of this txid that reads show already. */
export function visiblePixOf(ctx: Context, txid: string): Pix[] {
  const { pix, pixByTxid } = ctx.books.state;
  const now = ctx.now();
  return (pixByTxid.get(txid) ?? []).map((id) => pix.get(id)!).filter((item) => isVisible(item, now));
}

/** The status that reads show: a payment still hidden by the read lag has not happened yet for them. */
export function shownStatus(charge: Charge, visiblePix: readonly Pix[]): ChargeStatus {
  return charge.status === "CONCLUIDA" && visiblePix.length === 0 ? "ATIVA" : charge.status;
}

/** CobGerada: the answer to PUT, POST and PATCH. */
export function presentCharge(ctx: Context, charge: Charge, visiblePix: readonly Pix[]): Record<string, unknown> {
  return presentRevision(ctx, charge, charge.terms, charge.revisao, shownStatus(charge, visiblePix));
}

/** CobCompleta: the answer to GET; CobGerada and the Pix received, if any. */
export function presentPaidCharge(
  ctx: Context,
  charge: Charge,
  where: { inList?: boolean } = {},
): Record<string, unknown> {
  const visiblePix = visiblePixOf(ctx, charge.txid);
  const shown = presentCharge(ctx, charge, visiblePix);
  if (visiblePix.length > 0) shown.pix = visiblePix.map((item) => presentPix(ctx, item, "charge", where));
  return shown;
}

/** One revision of a charge. The protocol has no status for an expired charge: it stays ATIVA. */
export function presentRevision(
  ctx: Context,
  charge: Charge,
  terms: Terms,
  revisao: number,
  status: ChargeStatus,
): Record<string, unknown> {
  const criacao = formatTimestamp(charge.createdAt);
  const original = formatAmount(terms.amountCentavos);
  const { due } = terms;
  const { ownerName, city } = ctx.credentials;
  const shown: Record<string, unknown> = {
    calendario: { criacao, ...(due ? presentCalendar(due) : { expiracao: terms.expiracaoSeconds }) },
    txid: charge.txid,
    revisao,
    ...presentLoc(ctx, charge),
    status: worded(ctx.books.state.behaviour, status),
    valor:
      terms.modalidadeAlteracao === undefined
        ? { original, ...(due && presentParts(due)) }
        : { original, modalidadeAlteracao: terms.modalidadeAlteracao },
    ...(due && { recebedor: presentReceiver(OWNER_DOCUMENT, ownerName, city) }),
    chave: terms.chave,
    ...(charge.location !== undefined && {
      pixCopiaECola: dynamicBrCode(charge.location, original, ownerName, city),
    }),
  };
  if (terms.devedor) shown.devedor = terms.devedor;
  if (terms.solicitacaoPagador !== undefined) shown.solicitacaoPagador = terms.solicitacaoPagador;
  if (terms.infoAdicionais) shown.infoAdicionais = terms.infoAdicionais;
  return shown;
}

function presentLoc(ctx: Context, charge: Charge): Record<string, unknown> {
  const { locId, location } = charge;
  const loc = locId === undefined ? undefined : ctx.books.state.locations.get(locId);
  if (!loc) return {};
  return { loc: { id: locId, location, tipoCob: kindOf(charge), criacao: formatTimestamp(loc.createdAt) }, location };
}
