import type { Route } from "../behaviour/behaviour.ts";
import type { Answer } from "./answer.ts";
import { efiError, type Violation } from "./problem.ts";

/** Efí's own calls answer in one shape whatever the dialect. */
const OWN: ReadonlySet<Route> = new Set([
  "putPayout",
  "getPayout",
  "listPayouts",
  "getBalance",
  "listInfractions",
  "postDefence",
  "detailQr",
  "getReceipt",
  "resendWebhook",
  "postEvp",
  "listEvp",
  "deleteEvp",
  "getBucket",
  "getSettings",
  "putSettings",
]);

type Problem = { type: string; detail: string; violacoes?: Violation[] };

/** What Efí calls each refusal of the standard's routes; not found is 400 there, not 404. */
function nameOf({ type, violacoes }: Problem): string {
  const field = violacoes?.[0]?.propriedade ?? "";
  switch (type.slice(type.lastIndexOf("/") + 1)) {
    case "CobNaoEncontrado":
    case "CobVNaoEncontrada":
      return "cobranca_nao_encontrada";
    case "NaoEncontrado":
    case "PixNaoEncontrado":
      return "pix_nao_encontrado";
    case "PixDevolucaoNaoEncontrada":
      return "devolucao_nao_encontrada";
    case "WebhookNaoEncontrado":
      return "webhook_nao_encontrado";
    case "CobOperacaoInvalida":
    case "CobVOperacaoInvalida":
      if (/^cobv?\.status$/.test(field)) return "status_cobranca_invalido";
      return /^cobv?\.chave$/.test(field) ? "chave_invalida" : "valor_invalido";
    case "WebhookOperacaoInvalida":
      return field === "chave" ? "chave_invalida" : "valor_invalido";
    default:
      return "valor_invalido";
  }
}

/** The same answer as Efí words it on the standard's routes (behaviour `dialect`): `{nome, mensagem}`, mostly with 400. */
export function inEfisWords(route: Route, answer: Answer): Answer {
  if (answer.type !== "application/problem+json" || OWN.has(route)) return answer;
  if (answer.status >= 500) return efiError(answer.status, "erro_aplicacao", "Ocorreu um erro interno na aplicação");
  const problem = answer.body as Problem;
  const mensagem = problem.violacoes?.[0]?.razao ?? problem.detail;
  return efiError(answer.status === 404 ? 400 : answer.status, nameOf(problem), mensagem);
}
