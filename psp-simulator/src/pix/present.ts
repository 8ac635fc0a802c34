import { formatAmount } from "../lib/amount.ts";
import { formatTimestamp } from "../lib/timestamp.ts";
import { presentReturn } from "../returns/present.ts";
import type { Pix } from "./pix.ts";

/** A Pix as the protocol shows it, in reads and callbacks alike. `pagador` is what some PSPs add to the standard. */
export function presentPix(pix: Pix): Record<string, unknown> {
  const valor = formatAmount(pix.amountCentavos);
  const shown: Record<string, unknown> = { endToEndId: pix.endToEndId };
  if (pix.txid !== undefined) shown.txid = pix.txid;
  shown.valor = valor;
  shown.componentesValor = { original: { valor } };
  shown.chave = pix.chave;
  shown.horario = formatTimestamp(pix.settledAt);
  if (pix.infoPagador !== undefined) shown.infoPagador = pix.infoPagador;
  if (pix.showsPayer) shown.pagador = pix.payer;
  if (pix.returns && pix.returns.length > 0) shown.devolucoes = pix.returns.map(presentReturn);
  return shown;
}
