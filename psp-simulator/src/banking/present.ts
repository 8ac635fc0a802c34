/** Payouts in the words of Inter's API Banking. Times have no zone there: they are of Brasília. */
import { worded } from "../behaviour/behaviour.ts";
import type { Context } from "../context.ts";
import { formatAmount } from "../lib/amount.ts";
import type { Payout, Receiver } from "../payouts/payout.ts";
import { masked } from "../payouts/present.ts";

const BRASILIA_MS = 3 * 3_600_000;
const localTime = (at: number): string => new Date(at - BRASILIA_MS).toISOString().slice(0, 23);
/** JSON numbers in reais; at most fourteen digits, so none is rounded. */
export const reais = (centavos: number): number => Number(formatAmount(centavos));

type Own = NonNullable<Payout["own"]>;

/** The answer to a request, the same for each repeat of its key. */
export function presentOwnAccepted(payout: Payout, { codigo }: Own): Record<string, unknown> {
  const [dataOperacao, time = ""] = localTime(payout.requestedAt).split("T");
  return {
    tipoRetorno: payout.awaitsApproval ? "APROVACAO" : "PROCESSADO",
    codigoSolicitacao: codigo,
    endToEndId: payout.endToEndId,
    dataPagamento: dataOperacao,
    dataOperacao,
    horaPagamento: time.slice(0, 8),
  };
}

/** Ends that a person at the bank, or the bank itself, gives a payout: as a query and as a callback say them. */
const ENDS: Readonly<Record<string, readonly [read: string, notified: string]>> = {
  reprovado: ["REPROVADO", "REPROVADO"],
  aprovacao_expirada: ["EXPIRADO", "APROVACAO_EXPIRADA"],
  cancelado: ["CANCELADO", "CANCELADO"],
  SALDO_INSUFICIENTE: ["CANCELADO_SEM_SALDO", "ERRO"],
};
const endOf = ({ error }: Payout): readonly [string, string] => ENDS[error?.codigo ?? ""] ?? ["FALHA", "ERRO"];

/** `GET /banking/v2/pix/{codigoSolicitacao}`. */
export function presentOwn(ctx: Context, payout: Payout, { codigo }: Own): Record<string, unknown> {
  const ended = payout.status !== "EM_PROCESSAMENTO" && (payout.endShownFrom ?? 0) <= ctx.now();
  const underWay = payout.awaitsApproval ? "AGUARDANDO_APROVACAO" : "ENVIADO";
  const status = !ended ? underWay : payout.status === "REALIZADO" ? "PAGO" : endOf(payout)[0];
  const settledAt = ended ? payout.settledAt : undefined;
  return {
    transacaoPix: {
      contaCorrente: "123456789",
      recebedor: presentReceiver(payout.receiver),
      ...(payout.error && ended && { erros: [errorOf(payout.error)] }),
      endToEnd: payout.endToEndId,
      valor: reais(payout.pretence?.amountCentavos ?? payout.amountCentavos),
      status: payout.pretence?.status ?? worded(ctx.books.state.behaviour, status),
      dataHoraMovimento: localTime(settledAt ?? payout.requestedAt),
      dataHoraSolicitacao: localTime(payout.requestedAt),
      chave: payout.receiver.chave,
      codigoSolicitacao: codigo,
    },
    historico: [{ status: "CRIADO", dataHoraEvento: localTime(payout.requestedAt) }],
  };
}

/** A payout in a callback: the bank names its own id alone. */
export function presentOwnNotified(payout: Payout, { codigo }: Own): Record<string, unknown> {
  return {
    codigoSolicitacao: codigo,
    endToEnd: payout.endToEndId,
    chave: payout.receiver.chave,
    valor: formatAmount(payout.amountCentavos),
    status: payout.status === "REALIZADO" ? "EFETIVADO" : endOf(payout)[1],
    tipoMovimentacao: "PAGAMENTO",
    recebedor: presentReceiver(payout.receiver),
    ...(payout.error && { erros: [errorOf(payout.error)] }),
    dataHoraMovimento: localTime(payout.settledAt ?? payout.requestedAt),
    dataHoraSolicitacao: localTime(payout.requestedAt),
  };
}

const errorOf = ({ codigo, motivo }: NonNullable<Payout["error"]>) => ({ codigoErro: codigo, descricaoErro: motivo });

const presentReceiver = ({ nome, cpf, cnpj }: Receiver) => ({
  nome,
  cpfCnpj: cpf === undefined ? cnpj : masked(cpf),
});
