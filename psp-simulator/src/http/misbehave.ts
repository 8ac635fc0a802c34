import type { FastifyReply } from "fastify";
import type { RequestFault, Route } from "../behaviour/behaviour.ts";
import type { DrawnFault } from "../behaviour/draw.ts";
import { whenRecorded } from "../books/recorded.ts";
import { heldBy } from "../callbacks/callback.ts";
import { holdCallbacks } from "../callbacks/send.ts";
import type { Context } from "../context.ts";
import { note } from "../log/log.ts";
import type { Answer } from "./answer.ts";
import { problem } from "./problem.ts";
import { reset } from "./reset.ts";
import { send } from "./send.ts";

/** How long a socket is held when the rule does not say, in milliseconds. */
const DEFAULT_HOLD_MS = 30_000;
const DEFAULT_SLOW_MS = 1000;

const HTML = (status: number) =>
  `<html>\r\n<head><title>${status} Gateway Error</title></head>\r\n<body>\r\n<center><h1>${status} Gateway Error</h1></center>\r\n</body>\r\n</html>\r\n`;

type Fault = DrawnFault<RequestFault>;

function noteFault(ctx: Context, route: Route, id: string, fault: Fault): void {
  note(ctx.log, "fault", { route, id, kind: fault.kind, nth: fault.nth });
}

/** Plays a fault that comes before the work; true when the call ends with it. */
export function answerBeforeFault(ctx: Context, reply: FastifyReply, route: Route, id: string, fault: Fault): boolean {
  switch (fault.kind) {
    case "timeoutBefore":
      noteFault(ctx, route, id, fault);
      holdThenDestroy(reply, fault);
      return true;
    case "reset":
      noteFault(ctx, route, id, fault);
      destroy(ctx, reply);
      return true;
    case "error5xxBefore":
      noteFault(ctx, route, id, fault);
      sendError(reply, fault);
      return true;
    case "notFound":
      noteFault(ctx, route, id, fault);
      sendNotFound(reply, fault);
      return true;
    case "tooMany": {
      noteFault(ctx, route, id, fault);
      const retryAfter = fault.retryAfter ?? 1;
      send(reply, {
        status: 429,
        body: {
          type: "about:blank",
          title: "Too Many Requests",
          status: 429,
          detail: "Limite de requisições excedido.",
        },
        type: "application/problem+json",
        headers: { "retry-after": String(retryAfter) },
      });
      return true;
    }
    default:
      return false;
  }
}

/** Plays a fault on the answer to work that has been done. */
export function answerAfterFault(
  ctx: Context,
  reply: FastifyReply,
  route: Route,
  id: string,
  fault: Fault,
  answer: Answer,
): void {
  noteFault(ctx, route, id, fault);
  // Not even a slow answer may go out while its callbacks overtake it, unless the fault `early` says so.
  const about =
    route === "putCob" || route === "putCobv" ? { txid: id } : route === "putPayout" ? { idEnvio: id } : undefined;
  const release = fault.kind === "slow" && about ? holdCallbacks(ctx.sender, heldBy(about)) : undefined;
  whenRecorded(ctx, () => {
    switch (fault.kind) {
      case "slow":
        setTimeout(() => {
          send(reply, answer);
          release?.();
        }, fault.ms ?? DEFAULT_SLOW_MS).unref();
        return;
      case "timeoutAfter":
        holdThenDestroy(reply, fault);
        return;
      case "resetAfter":
        destroy(ctx, reply);
        return;
      case "error5xxAfter":
        sendError(reply, fault);
        return;
      case "brokenJson":
        sendBroken(reply, answer);
        return;
      default:
        send(reply, answer);
    }
  });
}

function holdThenDestroy(reply: FastifyReply, fault: Fault): void {
  reply.hijack();
  const socket = reply.raw.socket;
  const timer = setTimeout(() => socket?.destroy(), fault.ms ?? DEFAULT_HOLD_MS);
  socket?.once("close", () => clearTimeout(timer));
}

function destroy(ctx: Context, reply: FastifyReply): void {
  reply.hijack();
  const { socket } = reply.raw;
  if (socket) reset(ctx.connections, socket);
}

function sendError(reply: FastifyReply, fault: Fault): void {
  const status = fault.status ?? 503;
  if (fault.html) {
    reply.code(status).header("content-type", "text/html").send(HTML(status));
    return;
  }
  if (status === 500) send(reply, problem("ErroInternoDoServidor", "Condição inesperada ao processar requisição."));
  else if (status === 503) send(reply, problem("ServicoIndisponivel", "Serviço não está disponível no momento."));
  else send(reply, problem("IndisponibilidadePorTempoEsgotado", "O serviço demorou além do esperado para retornar."));
}

function sendNotFound(reply: FastifyReply, { generic }: Fault): void {
  if (generic) send(reply, problem("NaoEncontrado", "Entidade não encontrada."));
  else send(reply, { status: 404, body: { error: "Not Found", message: "no Route matched with those values" } });
}

function sendBroken(reply: FastifyReply, answer: Answer): void {
  const text = JSON.stringify(answer.body ?? {});
  reply
    .code(answer.status)
    .header("content-type", answer.type ?? "application/json")
    .send(text.slice(0, Math.max(1, Math.floor(text.length / 2))));
}
