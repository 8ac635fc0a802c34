import { type Place, worded } from "../behaviour/behaviour.ts";
import type { Context } from "../context.ts";
import { formatAmount } from "../lib/amount.ts";
import { formatTimestamp } from "../lib/timestamp.ts";
import { withComma } from "../returns/present.ts";
import type { Payout, PayoutReturn, Receiver } from "./payout.ts";

/** The answer to the PUT. The documentation calls the id `e2eId`, Efí's SDK 2 `endToEndId`: both are given. */
export function presentAccepted(payout: Payout): Record<string, unknown> {
  return {
    idEnvio: payout.idEnvio,
    endToEndId: payout.endToEndId,
    e2eId: payout.endToEndId,
    valor: formatAmount(payout.amountCentavos),
    horario: { solicitacao: formatTimestamp(payout.requestedAt) },
    status: underWay(payout),
  };
}

/** Efí has no words for a payout that a person must approve or that is analysed: these are of banks that hold payouts. */
const underWay = ({ awaitsApproval, isAnalysed }: Payout) =>
  awaitsApproval ? "AGUARDANDO_APROVACAO" : isAnalysed ? "EM_ANALISE" : "EM_PROCESSAMENTO";

/**
 * A payout as reads show it at this moment. `gnExtras.erro` is documented for callbacks only; it is here as well, since
 * no client could learn the reason of a failure from a read otherwise.
 */
export function presentPayout(ctx: Context, payout: Payout, place: "list" | "read"): Record<string, unknown> {
  const now = ctx.now();
  const ended = payout.status !== "EM_PROCESSAMENTO" && (payout.endShownFrom ?? 0) <= now;
  const horario: Record<string, string> = { solicitacao: formatTimestamp(payout.requestedAt) };
  if (ended && payout.settledAt !== undefined) horario.liquidacao = formatTimestamp(payout.settledAt);
  const shown: Record<string, unknown> = {
    endToEndId: payout.endToEndId,
    idEnvio: payout.idEnvio,
    valor: formatAmount(payout.pretence?.amountCentavos ?? payout.amountCentavos),
    chave: payout.chave,
    status: payout.pretence?.status ?? worded(ctx.books.state.behaviour, ended ? payout.status : underWay(payout)),
    horario,
    favorecido: presentRead(ctx, payout.receiver),
  };
  if (payout.infoPagador !== undefined) shown.infoPagador = payout.infoPagador;
  const tariff = ended ? shownTariff(ctx, payout, place) : undefined;
  if (ended && (payout.error || tariff)) {
    shown.gnExtras = { ...(tariff && { tarifa: tariff }), ...(payout.error && { erro: payout.error }) };
  }
  const returns = (payout.returns ?? []).filter((item) => item.shownFrom <= now);
  if (returns.length > 0 && ctx.books.state.behaviour.returnsIn.includes(place)) {
    const odd = ctx.books.state.behaviour.returnsCommaIn.includes(place);
    shown.devolucoes = returns.map((item) => ({
      ...withComma(presentReturned(item, now), odd),
      horario: formatTimestamp(item.at),
    }));
  }
  return shown;
}

/** A payout in a callback: in the list of Pix, marked by `tipo` and `gnExtras.idEnvio`. */
export function presentNotified(ctx: Context, payout: Payout): Record<string, unknown> {
  const now = ctx.now();
  const gnExtras: Record<string, unknown> = {
    idEnvio: payout.idEnvio,
    tarifa: shownTariff(ctx, payout, "callback") ?? "0.00",
    favorecido: presentReceiver(payout.receiver),
  };
  if (payout.error) gnExtras.erro = payout.error;
  const shown: Record<string, unknown> = {
    endToEndId: payout.endToEndId,
    chave: payout.chave,
    tipo: "SOLICITACAO",
    status: payout.pretence?.status ?? worded(ctx.books.state.behaviour, payout.status),
    valor: formatAmount(payout.pretence?.amountCentavos ?? payout.amountCentavos),
    horario: payout.settledAt === undefined ? null : formatTimestamp(payout.settledAt),
    gnExtras,
  };
  if (payout.infoPagador !== undefined) shown.infoPagador = payout.infoPagador;
  if (payout.returns && ctx.books.state.behaviour.returnsIn.includes("callback")) {
    shown.devolucoes = payout.returns.map((item) => ({
      ...withComma(presentReturned(item, now), ctx.books.state.behaviour.returnsCommaIn.includes("callback")),
      horario: { solicitacao: formatTimestamp(item.at), liquidacao: formatTimestamp(item.at) },
      status: "DEVOLVIDO",
      ...(item.motivo === undefined ? {} : { motivo: item.motivo }),
    }));
  }
  return shown;
}

/** The ids and the amount of money that came back. Efí's reads have only the `rtrId`. */
function presentReturned({ id, rtrId, rtrIdShownFrom, amountCentavos }: PayoutReturn, now: number) {
  return {
    ...(id === undefined ? {} : { id }),
    ...((rtrIdShownFrom ?? 0) <= now ? { rtrId } : {}),
    valor: formatAmount(amountCentavos),
  };
}

/** The tariff as text where this place shows it; a payout that failed costs nothing. */
function shownTariff(ctx: Context, { tariffCentavos, status }: Payout, place: Place): string | undefined {
  const isShown = status === "REALIZADO" && ctx.books.state.behaviour.tariffs.shownIn.includes(place);
  return isShown && tariffCentavos !== undefined ? formatAmount(tariffCentavos) : undefined;
}

/** Efí's contract names the holder of a key in callbacks only. */
function presentRead(ctx: Context, receiver: Receiver): Record<string, unknown> {
  const isEfi = ctx.books.state.behaviour.dialect === "efi";
  return isEfi && !receiver.contaBanco ? { chave: receiver.chave } : presentReceiver(receiver);
}

/** A person's number as banks show it. */
export const masked = (cpf: string): string => `***.${cpf.slice(3, 6)}.${cpf.slice(6, 9)}-**`;

/** A CPF is shown masked, as banks do to people's data; a company's number is public. Of an account it is what was sent. */
function presentReceiver({ chave, nome, cpf, cnpj, contaBanco }: Receiver): Record<string, unknown> {
  if (contaBanco) {
    const { codigoBanco: _bank, ...account } = contaBanco;
    return { contaBanco: { nome, ...(cpf === undefined ? { cnpj } : { cpf }), ...account } };
  }
  const identificacao: Record<string, string> = { nome };
  if (cpf !== undefined) identificacao.cpf = masked(cpf);
  if (cnpj !== undefined) identificacao.cnpj = cnpj;
  return { chave, identificacao };
}
