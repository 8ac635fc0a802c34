import type { FastifyError, FastifyInstance } from "fastify";
import type { Context } from "../context.ts";
import { controlError } from "../control/error.ts";
import type { Answer } from "./answer.ts";
import { problem } from "./problem.ts";
import { send } from "./send.ts";

/** How bodies are read, and what is answered when a call never reaches its handler. */
export function readBodies(ctx: Context, app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(/^application\/(?:[\w.]+\+)?json/, { parseAs: "string" }, (_request, text, done) => {
    if (text === "") {
      done(null, undefined);
      return;
    }
    try {
      done(null, JSON.parse(text as string));
    } catch {
      done(Object.assign(new Error("The body is not JSON"), { statusCode: 400 }));
    }
  });
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, text, done) => {
    done(null, Object.fromEntries(new URLSearchParams(text as string)));
  });

  app.setNotFoundHandler((request, reply) => send(reply, refusal(request.url, 404, `No route ${request.method}`)));
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const status = error.statusCode ?? 500;
    if (error.validation) {
      const issues = error.validation.map(toIssue);
      const first = issues[0]!;
      const message = first.path === "" ? first.message : `${first.path}: ${first.message}`;
      send(reply, controlError(400, "VALIDATION_ERROR", message, { issues }));
      return;
    }
    if (status >= 500) ctx.report("request failed", { url: request.url, error: String(error) });
    send(reply, refusal(request.url, status, status >= 500 ? "Unexpected condition" : error.message));
  });
}

/** Names the field that is wrong, also when it is one that should not be there or is missing. */
function toIssue(found: NonNullable<FastifyError["validation"]>[number]): { path: string; message: string } {
  const { additionalProperty, missingProperty } = found.params;
  const field = additionalProperty ?? missingProperty;
  const path = [...found.instancePath.split("/").slice(1), ...(typeof field === "string" ? [field] : [])].join(".");
  if (additionalProperty !== undefined) return { path, message: "is unknown" };
  if (missingProperty !== undefined) return { path, message: "is required" };
  return { path, message: found.message ?? "is wrong" };
}

/** The same refusal in the shape of the part of the API that was called. */
function refusal(url: string, status: number, message: string): Answer {
  if (url.startsWith("/control")) return controlError(status, status === 404 ? "NOT_FOUND" : "BAD_REQUEST", message);
  if (url.startsWith("/oauth")) return { status, body: { error: "invalid_request", error_description: message } };
  if (status === 404) return problem("NaoEncontrado", "Recurso não encontrado.");
  if (status >= 500) return problem("ErroInternoDoServidor", "Condição inesperada ao processar requisição.");
  const answer = problem("RequisicaoInvalida", `Requisição inválida: ${message}`);
  return { ...answer, status, body: { ...(answer.body as object), status } };
}
