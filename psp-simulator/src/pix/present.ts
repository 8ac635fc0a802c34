import type { Dialect } from "../behaviour/behaviour.ts";
import { formatAmount } from "../lib/amount.ts";
import { formatTimestamp } from "../lib/timestamp.ts";
import { presentReturn } from "../returns/present.ts";
import type { Told } from "../settings/settings.ts";
import { PAYER_ISPB, type Pix } from "./pix.ts";

/**
 * A Pix as reads show it. `pagador` is what some PSPs add to the standard; Efí names the payer in callbacks only.
 */
export function presentPix(pix: Pix, dialect: Dialect): Record<string, unknown> {
  const valor = formatAmount(pix.amountCentavos);
  const shown: Record<string, unknown> = { endToEndId: pix.endToEndId };
  if (pix.txid !== undefined) shown.txid = pix.txid;
  shown.valor = valor;
  if (dialect === "bcb") shown.componentesValor = { original: { valor } };
  shown.chave = pix.chave;
  shown.horario = formatTimestamp(pix.settledAt);
  if (pix.infoPagador !== undefined) shown.infoPagador = pix.infoPagador;
  if (pix.showsPayer && dialect === "bcb") shown.pagador = pix.payer;
  if (pix.returns && pix.returns.length > 0) shown.devolucoes = pix.returns.map(presentReturn);
  return shown;
}

/** A Pix as a callback tells it: at Efí with the payer, where the account holder has asked for that. */
export function presentNotified(pix: Pix, dialect: Dialect, told: Told): Record<string, unknown> {
  const shown = presentPix(pix, dialect);
  if (dialect === "bcb") return shown;
  const payer = pix.showsPayer && told.payer ? { pagador: { ...pix.payer, codigoBanco: PAYER_ISPB } } : {};
  return { ...shown, gnExtras: { tarifa: "0.00", ...payer } };
}
