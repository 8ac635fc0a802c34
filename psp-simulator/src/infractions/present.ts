import type { Context } from "../context.ts";
import { formatAmount } from "../lib/amount.ts";
import { formatTimestamp } from "../lib/timestamp.ts";
import { OWNER_DOCUMENT } from "../payouts/directory.ts";
import type { Infraction } from "./infraction.ts";

/** A case as Efí shows it: here the amount and the protocol are numbers, unlike everywhere else. */
export function presentInfraction(ctx: Context, infraction: Infraction): Record<string, unknown> {
  const { payer, settledAt } = ctx.books.state.pix.get(infraction.endToEndId)!;
  const dadosAnalise: Record<string, string> = {
    abertura: formatTimestamp(infraction.openedAt),
    prazoFinalizacao: formatTimestamp(infraction.respondBy),
  };
  if (infraction.defence) dadosAnalise.recebimentoDefesa = formatTimestamp(infraction.defence.at);
  if (infraction.closedAt !== undefined) dadosAnalise.finalizacao = formatTimestamp(infraction.closedAt);
  const shown: Record<string, unknown> = {
    idInfracao: infraction.idInfracao,
    protocolo: infraction.protocolo,
    status: infraction.status,
    endToEndId: infraction.endToEndId,
    dataTransacao: formatTimestamp(settledAt),
    valor: ctx.books.state.behaviour.commaIn.includes("list")
      ? formatAmount(infraction.amountCentavos).replace(".", ",")
      : Number(formatAmount(infraction.amountCentavos)),
    chave: infraction.chave,
    razao: infraction.razao,
    tipoSituacao: infraction.precautionary ? "bloqueio_cautelar" : "golpe",
    identificadorTicket: [infraction.protocolo],
    dadosAnalise,
    origem: {
      nomeParticipante: "BANCO DO PAGADOR",
      conta: 123456,
      nome: payer.nome,
      documento: "cpf" in payer ? payer.cpf : payer.cnpj,
    },
    destino: {
      nomeParticipante: "BANCO SIMULADOR",
      conta: 654321,
      nome: ctx.credentials.ownerName,
      documento: OWNER_DOCUMENT,
    },
    criadoEm: formatTimestamp(infraction.openedAt),
    atualizadoEm: formatTimestamp(infraction.updatedAt),
  };
  if (infraction.defence) shown.defesa = infraction.defence.text;
  if (infraction.justificativaAnalista !== undefined) shown.justificativaAnalista = infraction.justificativaAnalista;
  return shown;
}
