import { randomUUID } from "node:crypto";
import type { Answer } from "./answer.ts";

const PREFIX = "https://pix.bcb.gov.br/api/v2/error/";

/** Error types of API Pix 2.9.0, and of Efí's own calls, that this PSP gives, with the status and title of each. */
const PROBLEMS = {
  RequisicaoInvalida: [400, "Requisição inválida."],
  AcessoNegado: [403, "Acesso negado."],
  NaoEncontrado: [404, "Não encontrado."],
  ErroInternoDoServidor: [500, "Erro interno do servidor."],
  ServicoIndisponivel: [503, "Serviço indisponível."],
  IndisponibilidadePorTempoEsgotado: [504, "Tempo esgotado."],
  CobNaoEncontrado: [404, "Cobrança não encontrada."],
  CobOperacaoInvalida: [400, "Cobrança inválida."],
  CobConsultaInvalida: [400, "Consulta inválida."],
  CobVNaoEncontrada: [404, "Cobrança não encontrada."],
  CobVOperacaoInvalida: [400, "Cobrança inválida."],
  CobVConsultaInvalida: [400, "Consulta inválida."],
  LoteCobVNaoEncontrado: [404, "Lote não encontrado."],
  LoteCobVOperacaoInvalida: [400, "Lote de cobranças inválido."],
  LoteCobVConsultaInvalida: [400, "Consulta inválida."],
  PayloadLocationNaoEncontrado: [404, "Location não encontrada."],
  PayloadLocationOperacaoInvalida: [400, "Location inválida."],
  PayloadLocationConsultaInvalida: [400, "Consulta inválida."],
  CobPayloadNaoEncontrado: [404, "Cobrança não encontrada."],
  PixNaoEncontrado: [404, "Pix não encontrado."],
  PixConsultaInvalida: [400, "Consulta inválida."],
  PixDevolucaoNaoEncontrada: [404, "Devolução não encontrada."],
  PixDevolucaoInvalida: [400, "Devolução inválida."],
  WebhookOperacaoInvalida: [400, "Webhook inválido."],
  WebhookNaoEncontrado: [404, "Webhook não encontrado."],
  WebhookConsultaInvalida: [400, "Consulta inválida."],
  QrcodeOperacaoInvalida: [400, "QR Code inválido."],
  PixEnviadoNaoEncontrado: [404, "Pix enviado não encontrado."],
  InfracoesConsultaInvalida: [400, "Consulta inválida."],
  InfracaoNaoEncontrada: [404, "Infração não encontrada."],
  InfracaoOperacaoInvalida: [409, "Operação inválida."],
} as const;

export type ProblemType = keyof typeof PROBLEMS;

export type Violation = { razao: string; propriedade: string; valor?: string };

/** An error of the protocol: RFC 7807 with the Central Bank's types. `status` where a type has more than one. */
export function problem(
  type: ProblemType,
  detail: string,
  violacoes?: Violation[],
  status: number = PROBLEMS[type][0],
): Answer {
  const title = PROBLEMS[type][1];
  const body: Record<string, unknown> = {
    type: PREFIX + type,
    title,
    status,
    detail,
    correlationId: randomUUID(),
  };
  if (violacoes && violacoes.length > 0) body.violacoes = violacoes;
  return { status, body, type: "application/problem+json" };
}

/** Efí's older shape. */
export function efiError(status: number, nome: string, mensagem: string): Answer {
  return { status, body: { nome, mensagem } };
}
