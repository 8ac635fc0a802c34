/**
 * Reads the objects of API Pix (2.9.0), and of banks that deviate from it, into our types. What a decision depends on (id,
 * amount, time) must be present and valid, otherwise the whole object is dropped (null); everything else may be missing.
 */
import type { Components } from "../../lib/due.ts";
import type { PspCharge, PspPix, PspReturn } from "../psp.ts";
import type { ApiPixConfig } from "./config.ts";
import {
  type Json,
  list,
  nameUnreadable,
  pick,
  readAmount,
  readDocument,
  readId,
  readSigned,
  readTime,
  record,
  text,
} from "./read-values.ts";
import { readTerms } from "./terms.ts";

/** The settings that reading depends on. */
export type Dialect = Pick<ApiPixConfig, "qrFields" | "zonelessTime"> & {
  /** The BR Code of a charge's location, for answers that contain only the location. */
  readonly buildQr: (location: string) => string | undefined;
  /** Called when unreadable parts of an answer were left out: they may be about money. */
  readonly dropped: (what: Part, items: number) => void;
};

/** The kinds of items in answers. */
export type Part = "pix" | "return" | "payout" | "payout_return" | "infraction";

/** The items of a list that `read` understands. */
function readList<T>(
  value: unknown,
  read: (item: unknown, dialect: Dialect) => T | null,
  what: Part,
  dialect: Dialect,
): readonly T[] {
  return readItems(value, read, what, dialect).values;
}

/** The same, and the items that it does not understand. */
function readItems<T>(
  value: unknown,
  read: (item: unknown, dialect: Dialect) => T | null,
  what: Part,
  dialect: Dialect,
): { readonly values: readonly T[]; readonly others: readonly unknown[] } {
  const values: T[] = [];
  const others: unknown[] = [];
  for (const item of list(value)) {
    const readItem = read(item, dialect);
    if (readItem === null) others.push(item);
    else values.push(readItem);
  }
  if (others.length > 0) dialect.dropped(what, others.length);
  return { values, others };
}

/** The returns of a Pix or payout. A bank may send a single one without a list. */
export function readReturns<T>(
  value: unknown,
  read: (item: unknown, dialect: Dialect) => T | null,
  what: Part,
  dialect: Dialect,
): { readonly returns: readonly T[]; readonly unreadableReturns?: number } {
  const items = value == null || Array.isArray(value) ? list(value) : [value];
  const returns = readList(items, read, what, dialect);
  return { returns, ...(returns.length < items.length && { unreadableReturns: items.length - returns.length }) };
}

function readPayer(pix: Json): PspPix["payer"] {
  const payer = record(pix.pagador) ?? record(record(pix.gnExtras)?.pagador);
  if (payer === undefined) return undefined;
  const name = text(payer.nome);
  const document = readDocument(payer.cpf) ?? readDocument(payer.cnpj);
  return name === undefined && document === undefined ? undefined : { name, document };
}

/** The tariff of a Pix, which Efí adds to the standard; absent where there is none or it is zero. */
export function readTariff(item: Json): { readonly tariff?: number } {
  const tariff = readAmount(record(item.gnExtras)?.tarifa);
  return tariff === null ? {} : { tariff };
}

/**
 * The tax that was withheld, which is what `valorLiquido` (API Pix 2.11: what is left after it) leaves of the amount. Null
 * where that cannot be: more than the amount, nothing, or no amount at all. Booked as its amount such a Pix would be money that we
 * perhaps do not have.
 */
function readWithheld({ valorLiquido }: Json, amount: number): { readonly withheld?: number } | null {
  if (valorLiquido == null) return {};
  const net = readAmount(valorLiquido);
  if (net === null || net <= 0 || net > amount) return null;
  return net === amount ? {} : { withheld: amount - net };
}

/** The parts of `componentesValor` of a charge with a due date, by our names. */
const PARTS = { fine: "multa", interest: "juros", discount: "desconto", abatement: "abatimento" } as const;

/** How the PSP explains an amount; absent where it does not, or where any part cannot be read. */
function readComponents({ componentesValor }: Json): { readonly components?: Components } {
  const parts = record(componentesValor);
  const original = readAmount(record(parts?.original)?.valor);
  if (parts === undefined || original === null) return {};
  const read = (name: keyof typeof PARTS): number => {
    const part = parts[PARTS[name]];
    return part == null ? 0 : (readSigned(record(part)?.valor) ?? -1);
  };
  const components = {
    original,
    fine: read("fine"),
    interest: read("interest"),
    discount: read("discount"),
    abatement: read("abatement"),
  };
  return Object.values(components).every((value) => value >= 0) ? { components } : {};
}

/** A received Pix, or null when it lacks its id, amount or time, or it is not clear what was credited. */
export function readPix(value: unknown, dialect: Dialect): PspPix | null {
  const pix = record(value);
  if (pix === undefined) return null;
  const e2eId = readId(pix.endToEndId);
  const amount = readAmount(pix.valor);
  const paidAt = readTime(pix.horario, dialect.zonelessTime);
  if (e2eId === undefined || amount === null || paidAt === undefined) return null;
  const withheld = readWithheld(pix, amount);
  if (withheld === null) return null;
  return {
    e2eId,
    txid: readId(pix.txid),
    pixKey: text(pix.chave),
    amount,
    ...withheld,
    paidAt,
    payer: readPayer(pix),
    said: pix,
    ...readComponents(pix),
    ...readTariff(pix),
    ...readReturns(pix.devolucoes, readReturn, "return", dialect),
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
    med: nature?.startsWith("MED_") ?? null,
    requestedAt: readTime(times?.solicitacao ?? body.horario, dialect.zonelessTime),
    settledAt: readTime(times?.liquidacao, dialect.zonelessTime),
    reason: text(body.motivo),
    said: body,
  };
}

const CHARGE_STATUS: Readonly<Record<string, PspCharge["status"]>> = {
  ATIVA: "active",
  CONCLUIDA: "paid",
  REMOVIDA_PELO_USUARIO_RECEBEDOR: "removed",
  REMOVIDA_PELO_PSP: "removed",
};

/** A charge of either kind, or null when it lacks its txid or amount. */
export function readCharge(value: unknown, dialect: Dialect): PspCharge | null {
  const cob = record(value);
  if (cob === undefined) return null;
  const txid = readId(cob.txid);
  const amount = readAmount(record(cob.valor)?.original);
  if (txid === undefined || amount === null) return null;
  const calendar = record(cob.calendario);
  const createdAt = readTime(calendar?.criacao, dialect.zonelessTime);
  const lifeS = Number(calendar?.expiracao ?? Number.NaN);
  const due = readTerms(cob);
  const loc = record(cob.loc);
  const locId = loc?.id;
  const status = pick(CHARGE_STATUS, cob.status);
  return {
    txid,
    amount,
    status,
    ...(status === "unrecognised" && { unknownStatus: text(cob.status, 64) }),
    pixCopyPaste: readQr(cob, loc, dialect),
    pspPaymentId: typeof locId === "number" ? String(locId) : text(locId),
    createdAt,
    expiresAt:
      createdAt !== undefined && lifeS > 0 && lifeS < 1e9 ? new Date(createdAt.getTime() + lifeS * 1000) : undefined,
    ...(due && { due }),
    pixKey: text(cob.chave),
    pix: readList(cob.pix, readPix, "pix", dialect),
  };
}

/** The standard's limit is 512; a much longer text is no BR Code. */
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

/** A page of a list: its readable items, names of the unreadable ones (`time/digest`), and the number of all. */
export type Page<T> = {
  readonly values: readonly T[];
  readonly unreadable: string[];
  readonly items: number;
  /** Number of pages and items of the whole list; undefined where the PSP does not send it. */
  readonly pages: number | undefined;
  readonly total: number | undefined;
};

/** A page whose items are in `field`; null when the answer is no list. */
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
  const counts = record(record(body.parametros)?.paginacao);
  const [pages, total] = [readCount(counts?.quantidadeDePaginas), readCount(counts?.quantidadeTotalDeItens)];
  // An answer without items and without pages is no list.
  if (items == null && pages === undefined) return null;
  const { values, others } = readItems(items, read, what, dialect);
  return { values, unreadable: others.map(nameOf), items: list(items).length, pages, total };
}

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)/g;

/** Identifies an unreadable item. The earliest time in it, if there is one, is most likely the time of the movement. */
function nameOf(item: unknown): string {
  const times = (JSON.stringify(item).match(TIME) ?? [])
    .map((time) => Date.parse(time))
    .filter((time) => !Number.isNaN(time));
  return nameUnreadable(item, times.length === 0 ? undefined : new Date(Math.min(...times)));
}

function readCount(value: unknown): number | undefined {
  const count = Number(value ?? Number.NaN);
  return Number.isSafeInteger(count) ? count : undefined;
}

/** The objects that a notification is about. */
export function notified(value: unknown): readonly unknown[] {
  return list(Array.isArray(value) ? value : record(value)?.pix);
}

/** Whether a notified Pix is one that we sent: banks report payouts at the same address, with fields of their own. */
export function isSent(item: unknown): boolean {
  const pix = record(item);
  const extras = record(pix?.gnExtras);
  return [pix?.tipo, pix?.idEnvio, pix?.favorecido, extras?.idEnvio, extras?.favorecido, pix?.codigoSolicitacao].some(
    (mark) => mark != null,
  );
}

/** The received Pix of a notification. Unreadable ones, and those that we sent, are left out. */
export function readNotified(value: unknown, dialect: Dialect): readonly PspPix[] {
  const received = notified(value).filter((item) => !isSent(item));
  return readList(received, readPix, "pix", dialect);
}
