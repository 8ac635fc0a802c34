import { formatAmount } from "../lib/amount.ts";
import { formatTimestamp } from "../lib/timestamp.ts";
import type { Return } from "./return.ts";

/**
 * A return as the protocol shows it at a moment (milliseconds since 1970). `liquidacao` is there only once it is settled,
 * `rtrId` from its own moment on (behaviour `rtrIdDelayMs`).
 */
export function presentReturn(item: Return, now: number): Record<string, unknown> {
  const horario: Record<string, string> = { solicitacao: formatTimestamp(item.requestedAt) };
  if (item.settledAt !== undefined) horario.liquidacao = formatTimestamp(item.settledAt);
  const shown: Record<string, unknown> = {
    id: item.id,
    ...((item.rtrIdShownFrom ?? 0) <= now ? { rtrId: item.rtrId } : {}),
    valor: formatAmount(item.amountCentavos),
    natureza: item.natureza,
    horario,
    status: item.status,
  };
  if (item.descricao !== undefined) shown.descricao = item.descricao;
  if (item.motivo !== undefined) shown.motivo = item.motivo;
  return shown;
}

/** A return whose amount is written with a comma where it is to be odd, which the standard does not know. */
export const withComma = <T extends { valor?: unknown }>(shown: T, odd: boolean): T =>
  odd ? { ...shown, valor: String(shown.valor).replace(".", ",") } : shown;
