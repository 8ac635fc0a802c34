/**
 * Reads Efí's answers for what API Pix lacks: payouts, balance, MED cases. As loosely as the standard's
 * (api-pix/read-answers.ts): id and amount must be present and valid, everything else may be missing or different.
 */
import { type Dialect, isSent, notified, readReturns, readTariff } from "../api-pix/read-answers.ts";
import { redacted } from "../api-pix/read-errors.ts";
import { pick, readAmount, readDocument, readId, readSigned, readTime, record, text } from "../api-pix/read-values.ts";
import type { PspBalance, PspInfraction, PspPayout, PspPayoutReturn } from "../psp.ts";
import { failureOf } from "./failures.ts";

const PAYOUT_STATUS: Readonly<Record<string, PspPayout["status"]>> = {
  EM_PROCESSAMENTO: "processing",
  // Not Efí's statuses: those of banks which hold payouts until a person approves them, or while they analyse them.
  AGUARDANDO_APROVACAO: "awaiting_approval",
  EM_ANALISE: "under_analysis",
  REALIZADO: "settled",
  NAO_REALIZADO: "failed",
};

/** A payout, from the answer to the PUT or to a query; null when it lacks its id or amount. */
export function readPayout(value: unknown, dialect: Dialect): PspPayout | null {
  const body = record(value);
  if (body === undefined) return null;
  const extras = record(body.gnExtras);
  const id = readId(body.idEnvio) ?? readId(extras?.idEnvio);
  const amount = readAmount(body.valor);
  if (id === undefined || amount === null) return null;
  const times = record(body.horario);
  const settledAt = readTime(times?.liquidacao, dialect.zonelessTime);
  const status = pick(PAYOUT_STATUS, body.status);
  const knownAt = settledAt ?? readTime(times?.solicitacao, dialect.zonelessTime);
  return {
    id,
    // The documentation and Efí's first SDK use e2eId, its second one endToEndId.
    e2eId: readId(body.endToEndId) ?? readId(body.e2eId),
    amount,
    status,
    failure: status === "failed" ? readFailure(extras?.erro ?? body.erro, body.motivo) : undefined,
    settledAt,
    receiver: readReceiver(body.favorecido ?? extras?.favorecido),
    said: body,
    ...readTariff(body),
    ...readReturns(
      settledReturns(body.devolucoes),
      (item, itemDialect) => readPayoutReturn(item, itemDialect, knownAt),
      "payout_return",
      dialect,
    ),
  };
}

function readFailure(error: unknown, reason: unknown): PspPayout["failure"] {
  const reported = record(error);
  const code = text(reported?.codigo);
  const words = text(reported?.motivo) ?? text(reason) ?? text(error);
  const message = redacted([code, words].filter((part) => part !== undefined).join(": "));
  return { code: failureOf(code, words), message };
}

/** The receiver by key (`identificacao`) or by account (`contaBanco`). */
function readReceiver(value: unknown): PspPayout["receiver"] {
  const receiver = record(value);
  const holder = record(receiver?.identificacao) ?? record(receiver?.contaBanco) ?? receiver;
  if (holder === undefined) return undefined;
  const name = text(holder.nome);
  const document = readDocument(holder.cpf) ?? readDocument(holder.cnpj);
  return name === undefined && document === undefined ? undefined : { name, document };
}

const UNSETTLED: ReadonlySet<unknown> = new Set(["EM_PROCESSAMENTO", "NAO_REALIZADO"]);

/** Leaves out returns that are still on their way or have failed. Efí's queries send no status; notifications do. */
function settledReturns(value: unknown): unknown {
  if (value == null) return value;
  return (Array.isArray(value) ? value : [value]).filter((item) => !UNSETTLED.has(record(item)?.status));
}

/**
 * `otherwise`: the time for a return whose own time cannot be read. It is money all the same, and no earlier than the
 * payout's settlement.
 */
function readPayoutReturn(value: unknown, dialect: Dialect, otherwise: Date | undefined): PspPayoutReturn | null {
  const item = record(value);
  // With an unknown status the money may have come back or not.
  if ((item?.status ?? "DEVOLVIDO") !== "DEVOLVIDO") return null;
  const names = { id: readId(item?.id), rtrId: readId(item?.rtrId) };
  const amount = readAmount(item?.valor);
  const times = record(item?.horario);
  const returnedAt =
    readTime(times?.liquidacao ?? times?.solicitacao ?? item?.horario, dialect.zonelessTime) ?? otherwise;
  const isNamed = names.id !== undefined || names.rtrId !== undefined;
  return !isNamed || amount === null || returnedAt === undefined ? null : { ...names, amount, returnedAt, said: item };
}

/** The payouts that a notification names, each once: our id, and the tariff if it is shown. */
export function readNotifiedPayouts(
  value: unknown,
): readonly { readonly payoutId: string; readonly tariff?: number }[] {
  const payouts = notified(value)
    .filter(isSent)
    .flatMap((item) => {
      const pix = record(item) ?? {};
      const payoutId = readId(record(pix.gnExtras)?.idEnvio) ?? readId(pix.idEnvio);
      return payoutId === undefined ? [] : [{ payoutId, ...readTariff(pix) }];
    });
  return [...new Map(payouts.map((payout) => [payout.payoutId, payout])).values()];
}

const INFRACTION_STATUS: Readonly<Record<string, PspInfraction["status"]>> = {
  ABERTA: "open",
  EM_DEFESA: "in_defence",
  ACEITA: "accepted",
  REJEITADA: "rejected",
  CANCELADA_EFI: "cancelled",
  CANCELADA: "cancelled",
};

/** A MED case, or null when it lacks its id, its Pix or its amount. */
export function readInfraction(value: unknown, dialect: Dialect): PspInfraction | null {
  const body = record(value);
  if (body === undefined) return null;
  const id = readCaseId(body.idInfracao);
  const e2eId = readId(body.endToEndId);
  const amount = readAmount(body.valor);
  if (id === undefined || e2eId === undefined || amount === null) return null;
  const analysis = record(body.dadosAnalise);
  const time = (written: unknown) => readMoment(written, dialect);
  const { protocolo } = body;
  return {
    id,
    e2eId,
    amount,
    status: pick(INFRACTION_STATUS, body.status),
    protocol: typeof protocolo === "number" ? String(protocolo) : text(protocolo),
    reason: text(body.razao),
    respondBy: time(analysis?.prazoFinalizacao),
    openedAt: time(analysis?.abertura) ?? time(body.criadoEm),
    closedAt: time(analysis?.finalizacao),
    resolution: text(body.justificativaAnalista),
    // The simulator's word; Efí's documents name no such block.
    ...(body.tipoSituacao === "bloqueio_cautelar" && {
      respondBy: undefined,
      precautionary: { heldUntil: time(analysis?.prazoFinalizacao) },
    }),
  };
}

/** A UUID at Efí; from any bank, a text that is safe in a path. */
export function readCaseId(value: unknown): string | undefined {
  return typeof value === "string" && /^[a-zA-Z0-9-]{1,64}$/.test(value) ? value : undefined;
}

/** "Date strings" in Efí's contract: a day alone means its beginning, so that no deadline is read too late. */
function readMoment(value: unknown, dialect: Dialect): Date | undefined {
  const day = typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value);
  return readTime(day ? `${value}T00:00:00` : value, dialect.zonelessTime);
}

/** Our own account: `{ saldo, bloqueios: { judicial, med, total } }`. */
export function readBalance(value: unknown): PspBalance | null {
  const body = record(value);
  const total = readSigned(body?.saldo);
  const blocks = record(body?.bloqueios);
  const blocked = blocks === undefined ? 0 : readSigned(blocks.total);
  return total === null || blocked === null ? null : { total, blocked };
}
