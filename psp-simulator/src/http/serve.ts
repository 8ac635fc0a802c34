import type { FastifyReply, FastifyRequest } from "fastify";
import type { Route } from "../behaviour/behaviour.ts";
import { drawFault } from "../behaviour/draw.ts";
import { whenRecorded } from "../books/recorded.ts";
import type { Context } from "../context.ts";
import { checkToken, type Scope } from "../oauth/token.ts";
import type { Answer } from "./answer.ts";
import { inEfisWords } from "./efi.ts";
import { answerAfterFault, answerBeforeFault } from "./misbehave.ts";
import { problem } from "./problem.ts";
import { send } from "./send.ts";

export type Call = {
  params: Record<string, string>;
  query: Record<string, string | string[] | undefined>;
  body: unknown;
  headers: FastifyRequest["headers"];
};

/** Decides and records; never sends. It returns a promise where it waits for another program. */
export type Handler = (ctx: Context, call: Call) => Answer | Promise<Answer>;

type Served = {
  route: Route;
  /** undefined: the call needs no bearer token. */
  scope: Scope | undefined;
  /** What the call is about: txid, endToEndId, …; faults are drawn by it. */
  id: (ctx: Context, call: Call) => string;
  handle: Handler;
};

const TOO_MANY = { kind: "tooMany", probability: 1, retryAfter: 60, nth: 1 } as const;

/** Whether more calls of this route have come within a minute than the behaviour allows; a refused one counts too. */
function isBeyondLimit({ books, recentCalls, now }: Context, route: Route): boolean {
  const most = books.state.behaviour.perMinute[route];
  if (most === undefined) return false;
  const recent = [...(recentCalls.get(route) ?? []).filter((at) => now() - at < 60_000), now()];
  recentCalls.set(route, recent);
  return recent.length > most;
}

/**
 * The path of every call of a client: token, fault before, the work, the journal, fault after, answer. Handlers only
 * decide and record; nobody else sends. Reads wait for the journal as well: what a read shows must outlive kill -9.
 */
export function serve(ctx: Context, served: Served): (request: FastifyRequest, reply: FastifyReply) => void {
  return (request, reply) => {
    const call = request as unknown as Call;
    const refusal = served.scope && checkToken(ctx, request.headers.authorization, served.scope);
    if (refusal) {
      send(reply, refusal);
      return;
    }
    const id = served.id(ctx, call);
    if (isBeyondLimit(ctx, served.route)) {
      answerBeforeFault(ctx, reply, served.route, id, { ...TOO_MANY, route: served.route });
      return;
    }
    const fault = drawFault(ctx.drawer, ctx.books.state.behaviour, served.route, id);
    if (fault && answerBeforeFault(ctx, reply, served.route, id, fault)) return;

    const failed = (error: unknown): Answer => {
      ctx.report("call failed", { route: served.route, error: String(error) });
      return problem("ErroInternoDoServidor", "Condição inesperada ao processar requisição.");
    };
    const finish = (given: Answer): void => {
      const answer = ctx.books.state.behaviour.dialect === "efi" ? inEfisWords(served.route, given) : given;
      if (fault) answerAfterFault(ctx, reply, served.route, id, fault, answer);
      else whenRecorded(ctx, () => send(reply, answer));
    };
    let answer: Answer | Promise<Answer>;
    try {
      answer = served.handle(ctx, call);
    } catch (error) {
      answer = failed(error);
    }
    if (answer instanceof Promise) void answer.catch(failed).then(finish);
    else finish(answer);
  };
}
