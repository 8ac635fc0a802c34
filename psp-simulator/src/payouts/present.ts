import { formatAmount } from "../lib/amount.ts";
import { formatTimestamp } from "../lib/timestamp.ts";
import type { Payout, Receiver } from "./payout.ts";

/** The answer to the PUT. The documentation calls the id `e2eId`, Efí's SDK 2 `endToEndId`: both are given. */
export function presentAccepted(payout: Payout): Record<string, unknown> {
  return {
    idEnvio: payout.idEnvio,
    endToEndId: payout.endToEndId,
    e2eId: payout.endToEndId,
    valor: formatAmount(payout.amountCentavos),
    horario: { solicitacao: formatTimestamp(payout.requestedAt) },
    status: "EM_PROCESSAMENTO",
  };
}

/**
 * A payout as reads show it at this moment. `gnExtras.erro` is documented for callbacks only; it is here as well, since
 * nobody could learn the reason of a failure by asking otherwise.
 */
export function presentPayout(payout: Payout, now: number): Record<string, unknown> {
  const ended = payout.status !== "EM_PROCESSAMENTO" && (payout.endShownFrom ?? 0) <= now;
  const horario: Record<string, string> = { solicitacao: formatTimestamp(payout.requestedAt) };
  if (ended && payout.settledAt !== undefined) horario.liquidacao = formatTimestamp(payout.settledAt);
  const shown: Record<string, unknown> = {
    endToEndId: payout.endToEndId,
    idEnvio: payout.idEnvio,
    valor: formatAmount(payout.amountCentavos),
    chave: payout.chave,
    status: ended ? payout.status : "EM_PROCESSAMENTO",
    horario,
    favorecido: presentReceiver(payout.receiver),
  };
  if (payout.infoPagador !== undefined) shown.infoPagador = payout.infoPagador;
  if (ended && payout.error) shown.gnExtras = { erro: payout.error };
  const returns = (payout.returns ?? []).filter((item) => item.shownFrom <= now);
  if (returns.length > 0) {
    shown.devolucoes = returns.map((item) => ({
      rtrId: item.rtrId,
      valor: formatAmount(item.amountCentavos),
      horario: formatTimestamp(item.at),
    }));
  }
  return shown;
}

/** A payout as its callback tells it: in the list of Pix, marked by `tipo` and `gnExtras.idEnvio`. */
export function presentTold(payout: Payout): Record<string, unknown> {
  const gnExtras: Record<string, unknown> = {
    idEnvio: payout.idEnvio,
    tarifa: "0.00",
    favorecido: presentReceiver(payout.receiver),
  };
  if (payout.error) gnExtras.erro = payout.error;
  const shown: Record<string, unknown> = {
    endToEndId: payout.endToEndId,
    chave: payout.chave,
    tipo: "SOLICITACAO",
    status: payout.status,
    valor: formatAmount(payout.amountCentavos),
    horario: payout.settledAt === undefined ? null : formatTimestamp(payout.settledAt),
    gnExtras,
  };
  if (payout.infoPagador !== undefined) shown.infoPagador = payout.infoPagador;
  if (payout.returns) {
    shown.devolucoes = payout.returns.map((item) => ({
      rtrId: item.rtrId,
      valor: formatAmount(item.amountCentavos),
      horario: { solicitacao: formatTimestamp(item.at), liquidacao: formatTimestamp(item.at) },
      status: "DEVOLVIDO",
      ...(item.motivo === undefined ? {} : { motivo: item.motivo }),
    }));
  }
  return shown;
}

/** A CPF is shown masked, as banks do to people's data; a company's number is public. */
function presentReceiver({ chave, nome, cpf, cnpj }: Receiver): Record<string, unknown> {
  const identificacao: Record<string, string> = { nome };
  if (cpf !== undefined) identificacao.cpf = `***.${cpf.slice(3, 6)}.${cpf.slice(6, 9)}-**`;
  if (cnpj !== undefined) identificacao.cnpj = cnpj;
  return { chave, identificacao };
}
