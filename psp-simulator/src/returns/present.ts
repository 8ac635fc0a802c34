import { type Behaviour, worded } from "../behaviour/behaviour.ts";
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

/**
 * The same as clients of a dialect see it. Efí's contract has no nature and no text of the client, and the reason of a failure
 * only where the return is read by itself: nothing tells a return that the PSP made for fraud from any other there.
 */
export function presentReturnIn(
  behaviour: Behaviour,
  item: Return,
  now: number,
  { alone }: { alone: boolean },
): Record<string, unknown> {
  const all = { ...presentReturn(item, now), status: worded(behaviour, item.status) };
  if (behaviour.dialect === "bcb") return all;
  const { natureza, descricao, motivo, ...shown } = all as Record<string, unknown>;
  return alone && motivo !== undefined ? { ...shown, motivo } : shown;
}

/** A return whose amount is written with a comma where it is to be odd, which the standard does not know. */
export const withComma = <T extends { valor?: unknown }>(shown: T, odd: boolean): T =>
  odd ? { ...shown, valor: String(shown.valor).replace(".", ",") } : shown;
