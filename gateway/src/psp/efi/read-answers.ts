/**
 * The shapes of Efí's calls for what API Pix leaves out: sent Pix, balance, MED cases. Read as loosely as the standard's
 * (api-pix/read-answers.ts): id and amount must be there and make sense, everything else may be missing or be something else.
 */
import { type Dialect, isSent, notified, readReturns, readTariff } from "../api-pix/read-answers.ts";
import { redacted } from "../api-pix/read-errors.ts";
import { pick, readAmount, readDocument, readId, readTime, record, text } from "../api-pix/read-values.ts";
import type { PspBalance, PspInfraction, PspPayout, PspPayoutReturn } from "../psp.ts";
import { failureOf } from "./failures.ts";

const PAYOUT_STATUS: Readonly<Record<string, PspPayout["status"]>> = {
  EM_PROCESSAMENTO: "processing",
  // Not Efí's: of banks that hold payouts until a person approves them.
  AGUARDANDO_APROVACAO: "awaiting_approval",
  REALIZADO: "settled",
  NAO_REALIZADO: "failed",
};

/** A sent Pix, as the answer to the PUT or to a question; null when it lacks its id or amount. */
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
    // The documentation and Efí's first SDK say e2eId, its second endToEndId.
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
      (item, of) => readPayoutReturn(item, of, knownAt),
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
  const who = record(receiver?.identificacao) ?? record(receiver?.contaBanco) ?? receiver;
  if (who === undefined) return undefined;
  const name = text(who.nome);
  const document = readDocument(who.cpf) ?? readDocument(who.cnpj);
  return name === undefined && document === undefined ? undefined : { name, document };
}

const UNSETTLED: ReadonlySet<unknown> = new Set(["EM_PROCESSAMENTO", "NAO_REALIZADO"]);

/** Money that is on its way back, or did not come, has not come. Efí's reads have no status: those have. */
function settledReturns(value: unknown): unknown {
  if (value == null) return value;
  return (Array.isArray(value) ? value : [value]).filter((item) => !UNSETTLED.has(record(item)?.status));
}

/** `otherwise`: a return whose time cannot be read is still money, and no later than the payout was settled. */
function readPayoutReturn(value: unknown, dialect: Dialect, otherwise: Date | undefined): PspPayoutReturn | null {
  const item = record(value);
  // A status that nobody here knows: the money may have come back, or not.
  if ((item?.status ?? "DEVOLVIDO") !== "DEVOLVIDO") return null;
  const names = { id: readId(item?.id), rtrId: readId(item?.rtrId) };
  const amount = readAmount(item?.valor);
  const times = record(item?.horario);
  const returnedAt =
    readTime(times?.liquidacao ?? times?.solicitacao ?? item?.horario, dialect.zonelessTime) ?? otherwise;
  const isNamed = names.id !== undefined || names.rtrId !== undefined;
  return !isNamed || amount === null || returnedAt === undefined ? null : { ...names, amount, returnedAt, said: item };
}

/** The sent Pix that a notification names, each once: our id, and the tariff where it is shown. */
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
  };
}

/** A UUID at Efí; of any bank, what is safe in a path. */
export function readCaseId(value: unknown): string | undefined {
  return typeof value === "string" && /^[a-zA-Z0-9-]{1,64}$/.test(value) ? value : undefined;
}

/** "Date strings" in Efí's contract: a day alone means its beginning, so that no deadline is read too late. */
function readMoment(value: unknown, dialect: Dialect): Date | undefined {
  const day = typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value);
  return readTime(day ? `${value}T00:00:00` : value, dialect.zonelessTime);
}

/** The own account: `{ saldo, bloqueios: { judicial, med, total } }`. */
export function readBalance(value: unknown): PspBalance | null {
  const body = record(value);
  const total = readSigned(body?.saldo);
  const blocks = record(body?.bloqueios);
  const blocked = blocks === undefined ? 0 : readSigned(blocks.total);
  return total === null || blocked === null ? null : { total, blocked };
}

/** As `readAmount`, with zero and a sign. */
function readSigned(value: unknown): number | null {
  const written = typeof value === "number" ? String(value) : value;
  if (typeof written !== "string") return null;
  if (/^-?0{1,10}(?:\.0*)?$/.test(written)) return 0;
  const amount = readAmount(written.replace(/^-/, ""));
  return amount === null || !written.startsWith("-") ? amount : -amount;
}
