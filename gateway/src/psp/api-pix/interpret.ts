/** The meaning of a reply, for the command or query that it answers. */
import { MAX_CENTAVOS } from "../../lib/money.ts";
import type { Found, Outcome } from "../outcome.ts";
import type { Reply } from "./request.ts";

/** Codes that mean 404 at banks that send them with status 400. */
const ABSENT: ReadonlySet<string> = new Set([
  "cobranca_nao_encontrada",
  "pix_nao_encontrado",
  "devolucao_nao_encontrada",
  "webhook_nao_encontrado",
]);

const statusOf = ({ httpStatus, code }: Extract<Reply, { readonly kind: "refused" }>): number =>
  ABSENT.has(code) ? 404 : httpStatus;

/** The outcome of a command. If the body of an ok cannot be read, anything may have been done: unknown. */
export function outcome<T>(reply: Reply, read: (body: unknown) => T | null): Outcome<T> {
  switch (reply.kind) {
    case "ok": {
      const value = read(reply.body);
      return value === null ? { kind: "unknown", reason: "unexpected_answer" } : { kind: "accepted", value };
    }
    case "refused":
      return { kind: "rejected", httpStatus: statusOf(reply), code: reply.code, message: reply.message };
    case "unsent":
      return { kind: "unsent", reason: reply.reason };
    case "unknown":
      return { kind: "unknown", reason: reply.code === undefined ? reply.reason : `${reply.reason}_${reply.code}` };
  }
}

/** The answer to a query. Only the PSP's own error makes it absent; a proxy's 404 page does not. */
export function found<T>(reply: Reply, read: (body: unknown) => T | null): Found<T> {
  switch (reply.kind) {
    case "ok": {
      const value = read(reply.body);
      return value === null ? { kind: "unknown", reason: "unexpected_answer" } : { kind: "found", value };
    }
    case "refused":
      return statusOf(reply) === 404
        ? { kind: "absent" }
        : { kind: "unknown", reason: `http_${reply.httpStatus}_${reply.code}` };
    default:
      return { kind: "unknown", reason: reply.reason };
  }
}

export function isAmount(amount: number): boolean {
  return Number.isSafeInteger(amount) && amount > 0 && amount <= MAX_CENTAVOS;
}

/** Ids of others need not have the standard's lengths; they must only be safe in a path. */
export function isId(id: string): boolean {
  return /^[a-zA-Z0-9]{1,64}$/.test(id);
}
