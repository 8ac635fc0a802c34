/**
 * Payouts by Inter's API Banking: send, find. A payout is found only by the id that the answer to its request brings, so a
 * lost answer is resolved by the same request: the bank knows it by `x-id-idempotente` and pays once.
 */
import { createHash } from "node:crypto";
import { toDecimalString } from "../../lib/money.ts";
import type { Found, Outcome } from "../outcome.ts";
import { failureInWords, type PayoutFailure } from "../payout-failure.ts";
import type { Payouts, PspPayout } from "../psp.ts";
import { found, isAmount, outcome } from "./interpret.ts";
import { redacted } from "./read-errors.ts";
import { list, pick, readAmount, readDocument, readId, readTime, record, text } from "./read-values.ts";
import type { Caller } from "./request.ts";

/** Times without a zone are the bank's own, of Brasília. Nobody has confirmed that. */
const ZONE = "-03:00";
/** Namespace of the keys (RFC 9562, version 5): any fixed UUID, which must never change. */
const NAMESPACE = Buffer.from("6c2b9f5e3d514f0e9b5a7a1d9c8e4f02", "hex");

/** The bank's id of a payout: a UUID with dashes, of which only what is safe in a path is assumed. */
export const readReference = (value: unknown): string | undefined =>
  typeof value === "string" && /^[a-zA-Z0-9-]{1,100}$/.test(value) ? value : undefined;

/** The key of a request, always the same for one id of ours. Version 5, since a bank may refuse versions above it. */
function repeatKeyOf(id: string): string {
  const hash = createHash("sha1").update(NAMESPACE).update(id).digest().subarray(0, 16);
  hash[6] = (hash[6]! & 0x0f) | 0x50;
  hash[8] = (hash[8]! & 0x3f) | 0x80;
  return hash.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Finds a payout by the bank's id, the only one by which such a bank finds it. */
export async function findByReference(
  caller: Caller,
  reference: string | null,
  read: (body: unknown, reference: string) => PspPayout | null,
): Promise<Found<PspPayout>> {
  if (reference === null) return { kind: "unknown", reason: "no_bank_id" };
  if (readReference(reference) === undefined) return { kind: "unknown", reason: "invalid_id" };
  const reply = await caller.call({ route: "getOwnPayout", method: "GET", first: reference });
  // A proxy in front of a bank also answers 404, about a path.
  if (reply.kind === "refused" && reply.isGeneric)
    return { kind: "unknown", reason: `http_${reply.httpStatus}_${reply.code}` };
  return found(reply, (body) => read(body, reference));
}

export function sendOwnPayouts(caller: Caller): Payouts {
  return {
    async sendPayout({ id, amount, pixKey, mayLeave }) {
      if (!/^[a-zA-Z0-9]{1,35}$/.test(id)) return { kind: "unsent", reason: "invalid_id" };
      if (!isAmount(amount)) return { kind: "unsent", reason: "invalid_amount" };
      const reply = await caller.call({
        route: "postPayout",
        method: "POST",
        headers: ["x-id-idempotente", repeatKeyOf(id)],
        body: {
          // A number of at most 15 digits is written as it is read: nothing is multiplied or rounded.
          valor: Number(toDecimalString(amount)),
          // A person finds it by this in the bank's app, where no query does.
          descricao: id,
          destinatario: { tipo: "CHAVE", chave: pixKey },
        },
        redact: pixKey,
        mayLeave,
      });
      return inOurWords(outcome(reply, (body) => readAccepted(body, id, amount)));
    },

    findPayout: (id, reference = null) =>
      findByReference(caller, reference, (body, bankId) => readOwnPayout(body, id, bankId)),
  };
}

const ACCEPTED: Readonly<Record<string, PspPayout["status"]>> = {
  APROVACAO: "awaiting_approval",
  // That it was processed does not mean that it was paid: the query tells.
  PROCESSADO: "processing",
  AGENDADO: "processing",
};

/** The answer to a request; null without the bank's id, which nothing else would bring. Another word is left to the query. */
function readAccepted(value: unknown, id: string, amount: number): PspPayout | null {
  const body = record(value);
  const reference = readReference(body?.codigoSolicitacao);
  if (body === undefined || reference === undefined) return null;
  const status = pick(ACCEPTED, body.tipoRetorno);
  return {
    ...{ id, reference, amount, status: status === "unrecognised" ? "processing" : status },
    ...{ e2eId: readId(body.endToEndId), returns: [], said: body },
  };
}

const STATUS: Readonly<Record<string, PspPayout["status"]>> = {
  CRIADO: "processing",
  TRANSACAO_CRIADA: "processing",
  AGUARDANDO_APROVACAO: "awaiting_approval",
  APROVADO: "processing",
  TRANSACAO_APROVADA: "processing",
  AGENDADO: "processing",
  DEBITADO: "processing",
  PARCIALMENTE_DEBITADO: "processing",
  PARCIALMENTE_PAGO: "processing",
  ENVIADO: "processing",
  PIX_ENVIADO: "processing",
  PAGO: "settled",
  PIX_PAGO: "settled",
  REPROVADO: "failed",
  EXPIRADO: "failed",
  CANCELADO: "failed",
  FALHA: "failed",
  CANCELADO_SEM_SALDO: "failed",
  NAO_DEBITADO: "failed",
  AGENDAMENTO_CANCELADO: "failed",
};
const FAILURES: Readonly<Record<string, PayoutFailure>> = {
  REPROVADO: "not_approved",
  EXPIRADO: "not_approved",
  CANCELADO_SEM_SALDO: "insufficient_psp_balance",
};

/** A payout by its query; null without its amount, or where it is another one. */
function readOwnPayout(value: unknown, id: string, reference: string): PspPayout | null {
  const payout = record(record(value)?.transacaoPix);
  const amount = readAmount(payout?.valor);
  if (payout === undefined || amount === null) return null;
  const own = readReference(payout.codigoSolicitacao);
  if (own !== undefined && own !== reference) return null;
  const status = pick(STATUS, payout.status);
  return {
    ...{ id, reference, amount, status, returns: [] },
    // Evidence names the payout that it is about, also where the answer names it by the request alone.
    said: own === undefined ? { ...payout, askedBy: reference } : payout,
    e2eId: readId(payout.endToEnd),
    failure: status === "failed" ? readFailure(payout) : undefined,
    settledAt: status === "settled" ? readTime(payout.dataHoraMovimento, ZONE) : undefined,
    receiver: readReceiver(payout.recebedor),
  };
}

function readFailure({ status, erros }: Readonly<Record<string, unknown>>): PspPayout["failure"] {
  const error = record(list(erros)[0]);
  const words = [text(status), text(error?.codigoErro), text(error?.descricaoErro)];
  const message = redacted(words.filter((part) => part !== undefined).join(": "));
  return { code: FAILURES[text(status) ?? ""] ?? "psp_error", message };
}

/** A CPF comes masked, and is left out then. */
function readReceiver(value: unknown): PspPayout["receiver"] {
  const receiver = record(value);
  const name = text(receiver?.nome);
  const document = readDocument(receiver?.cpfCnpj);
  return name === undefined && document === undefined ? undefined : { name, document };
}

/** Our code of a bank's words about a refusal: banks name no codes of them. */
export const failureIn = (words: string): PayoutFailure => failureInWords(words) ?? "psp_error";

/** A refusal with one of our codes as its reason; the bank's own goes into the message. */
export function inOurWords(sent: Outcome<PspPayout>): Outcome<PspPayout, PayoutFailure> {
  if (sent.kind !== "rejected") return sent;
  const { httpStatus, code: own, message } = sent;
  const code = failureIn(message);
  return { kind: "rejected", httpStatus, code, message: message === "" ? own : `${own}: ${message}` };
}
