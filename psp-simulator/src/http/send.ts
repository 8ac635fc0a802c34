import type { FastifyReply } from "fastify";
import type { Answer } from "./answer.ts";

export function send(reply: FastifyReply, answer: Answer): void {
  reply.code(answer.status);
  if (answer.headers) reply.headers(answer.headers);
  if (answer.body === undefined) {
    reply.send();
    return;
  }
  reply.header("content-type", answer.type ?? "application/json");
  reply.send(Buffer.isBuffer(answer.body) ? answer.body : JSON.stringify(answer.body));
}
