import type { Place } from "../behaviour/behaviour.ts";
import type { Context } from "../context.ts";
import { presentComposition } from "../due/present.ts";
import { formatAmount } from "../lib/amount.ts";
import { formatTimestamp } from "../lib/timestamp.ts";
import { presentReturnIn, withComma } from "../returns/present.ts";
import { notifiedOf } from "../settings/settings.ts";
import { PAYER_ISPB, type Pix } from "./pix.ts";

/**
 * A Pix as a client sees it in one place. `pagador` is what some PSPs add to the standard. Efí names the payer in
 * callbacks only, within `gnExtras`, and only where the account holder has asked for that.
 */
export function presentPix(
  ctx: Context,
  pix: Pix,
  place: Place,
  { inList = false }: { inList?: boolean } = {},
): Record<string, unknown> {
  const { behaviour } = ctx.books.state;
  const { dialect } = behaviour;
  const amount = formatAmount(pix.amountCentavos);
  const valor = behaviour.commaIn.includes(place) ? amount.replace(".", ",") : amount;
  const shown: Record<string, unknown> = { endToEndId: pix.endToEndId };
  if (pix.txid !== undefined && behaviour.txidIn.includes(place)) shown.txid = pix.txid;
  shown.valor = valor;
  if (pix.withheldCentavos !== undefined && behaviour.withheldIn.includes(place))
    shown.valorLiquido = formatAmount(pix.amountCentavos - pix.withheldCentavos);
  if (dialect === "bcb")
    shown.componentesValor = pix.composition ? presentComposition(pix.composition) : { original: { valor } };
  // Where one charge is read, Efí leaves out the key: the charge says it.
  if (dialect === "bcb" || place !== "charge" || inList) shown.chave = pix.chave;
  shown.horario = formatTimestamp(pix.settledAt);
  if (pix.infoPagador !== undefined) shown.infoPagador = pix.infoPagador;
  const namesPayer = pix.showsPayer && behaviour.payerIn.includes(place);
  if (namesPayer && dialect === "bcb") shown.pagador = pix.payer;
  if (pix.returns && pix.returns.length > 0 && behaviour.returnsIn.includes(place)) {
    const now = ctx.now();
    const odd = behaviour.returnsCommaIn.includes(place);
    shown.devolucoes = pix.returns.map((item) =>
      withComma(presentReturnIn(behaviour, item, now, { alone: false }), odd),
    );
  }
  const extras = extrasOf(ctx, pix, place, namesPayer);
  if (extras) shown.gnExtras = extras;
  return shown;
}

/** Efí's additions to a Pix; its callbacks always have them. */
function extrasOf(ctx: Context, pix: Pix, place: Place, namesPayer: boolean): Record<string, unknown> | undefined {
  const { behaviour, settings } = ctx.books.state;
  const isEfiCallback = behaviour.dialect === "efi" && place === "callback";
  const tariff = pix.tariffCentavos ?? 0;
  const showsTariff = tariff > 0 ? behaviour.tariffs.shownIn.includes(place) : isEfiCallback;
  const extras: Record<string, unknown> = {};
  if (showsTariff) extras.tarifa = formatAmount(tariff);
  if (isEfiCallback && namesPayer && notifiedOf(settings, pix.chave).payer) {
    extras.pagador = { ...pix.payer, codigoBanco: PAYER_ISPB };
  }
  return isEfiCallback || showsTariff ? extras : undefined;
}
