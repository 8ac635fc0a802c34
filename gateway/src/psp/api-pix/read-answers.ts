/**
 * The objects of API Pix (2.9.0), and of the banks that bend it, read into our types. What a decision rests on (id,
 * amount, time) must be there and make sense, else the whole object is none (null); everything else may be missing.
 */
import type { PspCharge, PspPix, PspReturn } from "../psp.ts";
import type { ApiPixConfig } from "./config.ts";
import { type Json, list, pick, readAmount, readDocument, readId, readTime, record, text } from "./read-values.ts";

/** What reading depends on. */
export type Dialect = Pick<ApiPixConfig, "qrFields" | "zonelessTime"> & {
  /** The BR Code of a charge's location, for answers that have only that. */
  readonly buildQr: (location: string) => string | undefined;
  /** Called when parts of an answer could not be read and were left out: they may be about money. */
  readonly dropped: (what: Part, items: number) => void;
};

/** What an answer is a list of. */
export type Part = "pix" | "return" | "payout" | "payout_return" | "infraction";

/** What `read` makes of the items of a list, without those that it cannot read. */
export function readList<T>(
  value: unknown,
  read: (item: unknown, dialect: Dialect) => T | null,
  what: Part,
  dialect: Dialect,
): readonly T[] {
  const items = list(value);
  const values = items.map((item) => read(item, dialect)).filter((item) => item !== null);
  if (values.length < items.length) dialect.dropped(what, items.length - values.length);
  return values;
}

function readPayer(pix: Json): PspPix["payer"] {
  const payer = record(pix.pagador) ?? record(record(pix.gnExtras)?.pagador);
  if (payer === undefined) return undefined;
  const name = text(payer.nome);
  const document = readDocument(payer.cpf) ?? readDocument(payer.cnpj);
  return name === undefined && document === undefined ? undefined : { name, document };
}

/** The tariff of a Pix, in Efí's addition to the standard; absent where there is none or it is zero. */
export function readTariff(item: Json): { readonly tariff?: number } {
  const tariff = readAmount(record(item.gnExtras)?.tarifa);
  return tariff === null ? {} : { tariff };
}

/** A received Pix, or null when it lacks its id, amount or time. */
export function readPix(value: unknown, dialect: Dialect): PspPix | null {
  const pix = record(value);
  if (pix === undefined) return null;
  const e2eId = readId(pix.endToEndId);
  const amount = readAmount(pix.valor);
  const paidAt = readTime(pix.horario, dialect.zonelessTime);
  if (e2eId === undefined || amount === null || paidAt === undefined) return null;
  return {
    e2eId,
    txid: readId(pix.txid),
    pixKey: text(pix.chave),
    amount,
    paidAt,
    payer: readPayer(pix),
    ...readTariff(pix),
    returns: readList(pix.devolucoes, readReturn, "return", dialect),
  };
}

const RETURN_STATUS: Readonly<Record<string, PspReturn["status"]>> = {
  EM_PROCESSAMENTO: "processing",
  DEVOLVIDO: "settled",
  NAO_REALIZADO: "failed",
};

/** A return, or null when it lacks an id or its amount. */
export function readReturn(value: unknown, dialect: Dialect): PspReturn | null {
  const body = record(value);
  if (body === undefined) return null;
  const rtrId = readId(body.rtrId);
  const id = readId(body.id) ?? rtrId;
  const amount = readAmount(body.valor);
  if (id === undefined || amount === null) return null;
  const times = record(body.horario);
  const nature = text(body.natureza);
  return {
    id,
    rtrId,
    amount,
    status: pick(RETURN_STATUS, body.status),
    med: nature?.startsWith("MED_") ?? false,
    requestedAt: readTime(times?.solicitacao ?? body.horario, dialect.zonelessTime),
    settledAt: readTime(times?.liquidacao, dialect.zonelessTime),
    reason: text(body.motivo),
  };
}

const CHARGE_STATUS: Readonly<Record<string, PspCharge["status"]>> = {
  ATIVA: "active",
  CONCLUIDA: "paid",
  REMOVIDA_PELO_USUARIO_RECEBEDOR: "removed",
  REMOVIDA_PELO_PSP: "removed",
};

/** An immediate charge, or null when it lacks its txid or amount. */
export function readCharge(value: unknown, dialect: Dialect): PspCharge | null {
  const cob = record(value);
  if (cob === undefined) return null;
  const txid = readId(cob.txid);
  const amount = readAmount(record(cob.valor)?.original);
  if (txid === undefined || amount === null) return null;
  const calendar = record(cob.calendario);
  const createdAt = readTime(calendar?.criacao, dialect.zonelessTime);
  const lifeS = Number(calendar?.expiracao ?? Number.NaN);
  const loc = record(cob.loc);
  const locId = loc?.id;
  return {
    txid,
    amount,
    status: pick(CHARGE_STATUS, cob.status),
    pixCopyPaste: readQr(cob, loc, dialect),
    pspPaymentId: typeof locId === "number" ? String(locId) : text(locId),
    createdAt,
    expiresAt:
      createdAt !== undefined && lifeS > 0 && lifeS < 1e9 ? new Date(createdAt.getTime() + lifeS * 1000) : undefined,
    pixKey: text(cob.chave),
    pix: readList(cob.pix, readPix, "pix", dialect),
  };
}

/** The standard's limit is 512; a text of another order of magnitude is no BR Code. */
const MAX_QR_LENGTH = 1024;

function readQr(cob: Json, loc: Json | undefined, dialect: Dialect): string | undefined {
  for (const field of dialect.qrFields) {
    const value = cob[field];
    const code = typeof value === "string" ? value.trim() : "";
    if (code.length > 0 && code.length <= MAX_QR_LENGTH) return text(code, MAX_QR_LENGTH);
  }
  const location = text(cob.location) ?? text(loc?.location);
  return location === undefined ? undefined : dialect.buildQr(location);
}

/** A page of a list: its readable items, how many there were, and how many pages (undefined where the PSP does not say). */
export type Page<T> = { readonly values: readonly T[]; readonly items: number; readonly pages: number | undefined };

/** A page whose items are in `field`; null when the answer is not that of a list. */
export function readPage<T>(
  value: unknown,
  field: string,
  read: (item: unknown, dialect: Dialect) => T | null,
  what: Part,
  dialect: Dialect,
): Page<T> | null {
  const body = record(value);
  const items = body?.[field];
  if (body === undefined || (items != null && !Array.isArray(items))) return null;
  const pages = Number(record(record(body.parametros)?.paginacao)?.quantidadeDePaginas ?? Number.NaN);
  // An answer with neither is not that of a list, whatever it is.
  if (items == null && !Number.isSafeInteger(pages)) return null;
  return {
    values: readList(items, read, what, dialect),
    items: list(items).length,
    pages: Number.isSafeInteger(pages) ? pages : undefined,
  };
}

/** The objects that a notification is about. */
export function notified(value: unknown): readonly unknown[] {
  return list(Array.isArray(value) ? value : record(value)?.pix);
}

/** Whether a notified Pix is one that we sent: a bank reports payouts through the same address, with marks of their own. */
export function isSent(item: unknown): boolean {
  const pix = record(item);
  const extras = record(pix?.gnExtras);
  return [pix?.tipo, pix?.idEnvio, pix?.favorecido, extras?.idEnvio, extras?.favorecido].some((mark) => mark != null);
}

/** The Pix of a notification; the ones in it that cannot be read, or that we sent and did not receive, are left out. */
export function readNotified(value: unknown, dialect: Dialect): readonly PspPix[] {
  const received = notified(value).filter((item) => !isSent(item));
  return readList(received, readPix, "pix", dialect);
}
