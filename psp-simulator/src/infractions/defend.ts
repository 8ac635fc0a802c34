import { record } from "../books/journal.ts";
import type { Context } from "../context.ts";
import type { Answer } from "../http/answer.ts";
import { type ProblemType, problem, type Violation } from "../http/problem.ts";
import type { Call } from "../http/serve.ts";
import { note } from "../log/log.ts";
import type { Infraction } from "./infraction.ts";

const MAX_TEXT = 4000;

/** `POST /gn/infracoes/{id}/defesa`: once, and in time. Only a dispute (`rejeitado`) is taken, as by Efí's SDK 2. */
export function postDefence(ctx: Context, call: Call): Answer {
  const { infractions } = ctx.books.state;
  const id = call.params.idInfracao!;
  const before = infractions.get(id);
  const refuse = (type: ProblemType, status: number, detail: string, violations?: Violation[]): Answer => {
    note(ctx.log, "infraction.defended", { id, result: status, outcome: "refused", reason: detail });
    return problem(type, detail, violations, status);
  };
  if (!before) return refuse("InfracaoNaoEncontrada", 404, "Nenhuma infração foi encontrada para o id informado.");
  const { analise, justificativa } = (call.body ?? {}) as Record<string, unknown>;
  const violations: Violation[] = [];
  if (analise !== "rejeitado") {
    violations.push({ razao: "O campo analise não respeita o schema.", propriedade: "analise" });
  }
  if (typeof justificativa !== "string" || justificativa === "" || justificativa.length > MAX_TEXT) {
    violations.push({ razao: "O campo justificativa não respeita o schema.", propriedade: "justificativa" });
  }
  if (violations.length > 0) {
    return refuse("RequisicaoInvalida", 400, "A requisição não respeita o schema.", violations);
  }
  if (before.status !== "ABERTA") {
    const text = before.status === "EM_DEFESA" ? "A infração já foi defendida." : "A infração já foi encerrada.";
    return refuse("InfracaoOperacaoInvalida", 409, text);
  }
  const now = ctx.now();
  if (now > before.respondBy) {
    return refuse("InfracaoOperacaoInvalida", 422, "O prazo para a defesa da infração terminou.");
  }

  const defence = { text: justificativa as string, at: now };
  const infraction: Infraction = { ...before, status: "EM_DEFESA", defence, updatedAt: now };
  const { endToEndId, amountCentavos, status } = infraction;
  const entry = { id, e2eId: endToEndId, amountCentavos, status, result: 201, outcome: "accepted" };
  record(ctx.books, { infraction, note: note(ctx.log, "infraction.defended", entry) });
  return { status: 201 };
}
