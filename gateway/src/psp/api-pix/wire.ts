/**
 * The shapes of API Pix (2.9.0) and of the banks that bend it, read into our types.
 *
 * Reading is loose on purpose: fields come and go between versions and banks, optional ones come as null, amounts as
 * numbers, statuses are added. What a decision rests on (id, amount, time) must be there and make sense, else the
 * whole object is no object (null); everything else may be missing.
 */
import { normaliseDocument } from "../../lib/documents.ts";
import { parseDecimalString } from "../../lib/money.ts";
import { truncate } from "../../lib/text.ts";
import type { PspCharge, PspPix, PspReturn } from "../psp.ts";
import type { ApiPixConfig } from "./config.ts";

export type Json = Readonly<Record<string, unknown>>;

/** What reading depends on. */
export type Dialect = Pick<ApiPixConfig, "qrFields" | "zonelessTime"> & {
  /** The BR Code of a charge's location, for answers that have only that. */
  readonly buildQr: (location: string) => string | undefined;
  /** Told when parts of an answer could not be read and were left out: money may be in them. */
  readonly dropped: (what: Part, items: number) => void;
};

/** What an answer is a list of. */
export type Part = "pix" | "return" | "payout" | "payout_return" | "infraction";

/** A body as JSON, with or without byte order mark; undefined when it is none. */
export function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    const text = body.toString("utf8");
    return JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

export function record(value: unknown): Json | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Longest text that is kept of a name or a reason; the standard's longest is 200. */
const MAX_TEXT = 256;

/** A text that is not empty, cut, and without what the database cannot store (NUL, lone surrogates). */
export function text(value: unknown, max = MAX_TEXT): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  return truncate(value, max).toWellFormed().replaceAll("\0", "\ufffd");
}

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

/**
 * An amount in centavos, or null: `"25.90"`, and also `"25.9"`, `"25"`, `25.9`, `"25.900"`. A number is taken by the
 * digits it prints as, which are those of the JSON; nothing is multiplied or rounded. Zero, negative, a third decimal
 * that is not 0 and exponents are refused.
 */
export function readAmount(value: unknown): number | null {
  const written = typeof value === "number" ? String(value) : value;
  if (typeof written !== "string") return null;
  let amount = parseDecimalString(written);
  if (amount === null) {
    const parts = /^([0-9]{1,10})(?:\.([0-9]{0,2})0*)?$/.exec(written);
    if (parts !== null) amount = parseDecimalString(`${parts[1]}.${(parts[2] ?? "").padEnd(2, "0")}`);
  }
  return amount === null || amount === 0 ? null : amount;
}

const TIME = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:[.,](\d{1,3})\d*)?(?:([Zz])|([+-]\d{2}):?(\d{2})?)?$/;

/**
 * RFC 3339 and its relatives: without zone (read in `zoneless`, never in this machine's zone), with any number of
 * decimals, with a space, with `-0300`. Undefined when it is no time.
 */
export function readTime(value: unknown, zoneless: ApiPixConfig["zonelessTime"]): Date | undefined {
  if (typeof value !== "string") return undefined;
  const parts = TIME.exec(value);
  if (parts === null) return undefined;
  const [, day, clock, decimals, z, hours, minutes] = parts;
  const zone = z !== undefined ? "Z" : hours !== undefined ? `${hours}:${minutes ?? "00"}` : zoneless;
  const seconds = clock?.length === 5 ? `${clock}:00` : clock;
  const ms = Date.parse(`${day}T${seconds}.${(decimals ?? "").padEnd(3, "0")}${zone}`);
  return Number.isNaN(ms) ? undefined : new Date(ms);
}

/** RFC 3339 in UTC, for queries (`+` of an offset would have to be encoded, so always Z). */
export function writeTime(time: Date, millis: boolean): string {
  const written = time.toISOString();
  return millis ? written : `${written.slice(0, 19)}Z`;
}

/** An unmasked CPF (11 digits) or CNPJ (14, since 2026 with letters), without punctuation; undefined otherwise. */
export function readDocument(value: unknown): string | undefined {
  const written = typeof value === "string" ? normaliseDocument(value) : "";
  return /^(?:[0-9]{11}|[0-9A-Z]{12}[0-9]{2})$/.test(written) ? written : undefined;
}

function readPayer(pix: Json): PspPix["payer"] {
  const payer = record(pix.pagador) ?? record(record(pix.gnExtras)?.pagador);
  if (payer === undefined) return undefined;
  const name = text(payer.nome);
  const document = readDocument(payer.cpf) ?? readDocument(payer.cnpj);
  return name === undefined && document === undefined ? undefined : { name, document };
}

/** Ids of the network and of banks; their documentation has ones of 26 to 34 characters where 32 is the rule. */
export function readId(value: unknown): string | undefined {
  return typeof value === "string" && /^[a-zA-Z0-9]{1,64}$/.test(value) ? value : undefined;
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

export function pick<T>(table: Readonly<Record<string, T>>, value: unknown): T | "unrecognised" {
  return typeof value === "string" && Object.hasOwn(table, value) ? (table[value] as T) : "unrecognised";
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

export type WireError = {
  /** Name of the problem without its address, `nome`, `error` or `codigo`: 1 to 64 of `[\w.-]`. */
  readonly code: string;
  /** For the log: bounded, without what looks like a document, a key or an address. */
  readonly message: string;
  /** A violated rule speaks of an id that is already in use. */
  readonly idInUse: boolean;
};

/**
 * An error body in one of the shapes seen: the standard's problem (`type`, `title`, `status`), `{nome, mensagem}`,
 * `{error, error_description | message}`, `{erros: [{codigo, mensagem}]}`. Null when it is none, so that a gateway's
 * page or an arbitrary object is never taken for the PSP's word.
 */
export function readError(value: unknown): WireError | null {
  const body = record(value);
  if (body === undefined) return null;

  const type = text(body.type);
  if (type !== undefined && text(body.title) !== undefined) {
    const violations = list(body.violacoes).map(record);
    const words = violations.map(
      (violation) => `${text(violation?.propriedade) ?? ""} ${text(violation?.razao) ?? ""}`,
    );
    const all = [text(body.title), text(body.detail), ...words];
    return wireError(type.slice(type.lastIndexOf("/") + 1), all);
  }
  const name = text(body.nome);
  if (name !== undefined) return wireError(name, [text(body.mensagem)]);

  const first = record(list(body.erros)[0]);
  const code = typeof first?.codigo === "number" ? String(first.codigo) : text(first?.codigo);
  if (code !== undefined) return wireError(code, [text(first?.mensagem)]);

  const error = text(body.error);
  if (error !== undefined) return wireError(error, [text(body.error_description) ?? text(body.message)]);
  return null;
}

function wireError(code: string, texts: readonly (string | undefined)[]): WireError {
  const all = texts.filter((part) => part !== undefined).join("; ");
  return {
    code: code.replace(/[^\w.-]+/g, "_").slice(0, 64) || "error",
    message: redacted(all),
    idInUse: /\bid\b|devolucao\.id|duplicad|já\s+(?:utilizad|existe|foi)|ja\s+(?:utilizad|existe|foi)/i.test(all),
  };
}

/** A text of the PSP's for the log and for merchants: bounded, without what looks like a document, a key or an address. */
export function redacted(words: string): string {
  return truncate(
    words
      .slice(0, 1000)
      .replace(/[\p{Cc}\s]+/gu, " ")
      .replace(/(?<![^\s@])[^\s@]+@\S+/g, "***")
      .replace(/[0-9A-Za-z]{8}-(?:[0-9A-Za-z]{4}-){3}[0-9A-Za-z]{12}/g, "***")
      .replace(/\+?\d[\d.\-/ ]{6,}\d/g, "***")
      .replace(/\b[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}\/?[0-9A-Z]{4}-?\d{2}\b/g, "***")
      .trim(),
    200,
  );
}
