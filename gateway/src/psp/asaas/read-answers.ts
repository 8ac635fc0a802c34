/**
 * Reads Asaas's answers. What a decision depends on (id, amount, time) must be there and valid, or the whole object is null;
 * everything else may be missing.
 */
import { redacted } from "../api-pix/read-errors.ts";
import {
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
} from "../api-pix/read-values.ts";
import { failureInWords, type PayoutFailure } from "../payout-failure.ts";
import type { PspBalance, PspCharge, PspPayout, PspPix, PspReturn } from "../psp.ts";
import { ZONELESS } from "../zoneless.ts";

/** Its times have no zone and are those of Brasília. Nobody has confirmed that. */
export const ZONE = "brasilia";
const zoneless = ZONELESS[ZONE];

/** Its ids: `pay_080225913252`, UUIDs, codes of QR codes. Only what is safe in a path and a query is one. */
export const readAsaasId = (value: unknown): string | undefined =>
  typeof value === "string" && /^[a-zA-Z0-9_-]{1,100}$/.test(value) ? value : undefined;

/** The code and the words of its error; null where it is none of its own. */
export function readError(value: unknown): { readonly code: string; readonly message: string } | null {
  const first = record(list(record(value)?.errors)[0]);
  const code = text(first?.code);
  if (code === undefined || !/^[\w.-]{1,64}$/.test(code)) return null;
  return { code, message: redacted(text(first?.description) ?? "") };
}

/** What is left of an item that cannot be read: its time, if it has one, and its digest. */
export function nameOf(item: unknown): string {
  const at = readTime(record(item)?.effectiveDate, zoneless) ?? readTime(record(item)?.dateCreated, zoneless);
  return nameUnreadable(item, at);
}

/** When an item of a list was made, or was done if that is later; undefined where it shows neither. */
export function latestOf(item: unknown): number | undefined {
  const { dateCreated, effectiveDate } = record(item) ?? {};
  const times = [dateCreated, effectiveDate].flatMap((time) => readTime(time, zoneless)?.getTime() ?? []);
  return times.length > 0 ? Math.max(...times) : undefined;
}

/** A page: its items, and whether there are more; null where it is no list of Asaas, or does not say that. */
export function readPage(value: unknown): { readonly items: readonly unknown[]; readonly hasMore: boolean } | null {
  const body = record(value);
  if (!Array.isArray(body?.data) || typeof body.hasMore !== "boolean") return null;
  return { items: body.data, hasMore: body.hasMore };
}

/** A payment: what Asaas makes of each Pix that is received, and by which it is found and refunded. */
export type Payment = {
  readonly id: string;
  /** Our txid, which it has from its QR code. */
  readonly txid: string | undefined;
  readonly amount: number;
  readonly status: PspCharge["status"];
  /** Asaas's own word for an `unrecognised` status. */
  readonly word: string | undefined;
  /** Of its Pix, at Asaas. */
  readonly transactionId: string | undefined;
  readonly tariff: number | undefined;
  /** The least that went back, or is on its way, by its status. */
  readonly refunded: number;
  /** How many refunds it shows itself. */
  readonly refunds: number;
};

const PAYMENT: Readonly<Record<string, PspCharge["status"]>> = {
  // It is made before the money is there.
  PENDING: "active",
  RECEIVED: "paid",
  REFUND_REQUESTED: "paid",
  REFUND_IN_PROGRESS: "paid",
  REFUNDED: "paid",
};

export function readPayment(value: unknown): Payment | null {
  const body = record(value);
  const [id, amount] = [readAsaasId(body?.id), readAmount(body?.value)];
  if (body === undefined || id === undefined || amount === null) return null;
  const status = pick(PAYMENT, body.status);
  const net = readAmount(body.netValue);
  return {
    ...{ id, amount, status, txid: readId(body.externalReference), word: text(body.status, 64) },
    transactionId: readAsaasId(body.pixTransaction),
    tariff: net !== null && net < amount ? amount - net : undefined,
    refunded: body.status === "REFUNDED" ? amount : /^REFUND/.test(String(body.status)) ? 1 : 0,
    refunds: list(body.refunds).length,
  };
}

/** A Pix that was received, with the id of its payment. */
export type Transaction = { readonly pix: PspPix; readonly paymentId: string | undefined; readonly refunded: number };

/** Null for what is no received Pix, lacks what decides, or is not there yet. */
export function readTransaction(value: unknown): Transaction | null {
  const body = record(value);
  const [e2eId, amount, paidAt] = [
    readId(body?.endToEndIdentifier),
    readAmount(body?.value),
    readTime(body?.effectiveDate, zoneless),
  ];
  if (body === undefined || e2eId === undefined || amount === null || paidAt === undefined || !isReceived(body))
    return null;
  const refunded = readSigned(body.refundedValue ?? 0) ?? amount;
  const account = record(body.externalAccount);
  const payer = { name: text(account?.name), document: readDocument(account?.cpfCnpj) };
  return {
    paymentId: readAsaasId(body.payment),
    refunded,
    pix: {
      ...{ e2eId, amount, paidAt, returns: [], said: body },
      pixKey: text(body.addressKey),
      payer: payer.name === undefined && payer.document === undefined ? undefined : payer,
      // Each is asked for by its payment.
      ...(refunded > 0 && { unreadableReturns: 1 }),
    },
  };
}

const isReceived = ({ type, status }: Readonly<Record<string, unknown>>): boolean =>
  type === "CREDIT" && status === "DONE";

/** Whether an item of the list of Pix is one that was received, or may be one for all we can read. */
export function mayBeReceived(value: unknown): boolean {
  const { type, status } = record(value) ?? {};
  const isOther = typeof type === "string" && type !== "CREDIT";
  // Under way, refused, cancelled: no money of it is there.
  return !isOther && (typeof status !== "string" || status === "DONE");
}

const REFUND: Readonly<Record<string, PspReturn["status"]>> = {
  PENDING: "processing",
  AWAITING_CRITICAL_ACTION_AUTHORIZATION: "processing",
  AWAITING_CUSTOMER_EXTERNAL_AUTHORIZATION: "processing",
  DONE: "settled",
  CANCELLED: "failed",
};

/** What marks a refund as ours: our id of it. */
export const markOf = (id: string): string => `devolucao ${id}`;
const MARKED = /^devolucao ([a-zA-Z0-9]{1,35})(?:$| )/;

function readRefund(value: unknown): PspReturn | null {
  const body = record(value);
  const rtrId = readId(body?.endToEndIdentifier);
  const own = MARKED.exec(text(body?.description) ?? "")?.[1];
  const [id, amount] = [own ?? rtrId, readAmount(body?.value)];
  if (body === undefined || id === undefined || amount === null) return null;
  const status = pick(REFUND, body.status);
  const requestedAt = readTime(body.dateCreated, zoneless);
  return {
    ...{ id, rtrId, amount, status, requestedAt, said: body },
    // It shows no nature of a refund that was not asked for here.
    med: own === undefined ? null : false,
    settledAt: status === "settled" ? (readTime(body.effectiveDate, zoneless) ?? requestedAt) : undefined,
  };
}

/** The refunds of a payment, and how many cannot be read. */
export function readRefunds(value: unknown): Pick<PspPix, "returns" | "unreadableReturns"> | null {
  const page = readPage(value);
  if (page === null || page.hasMore) return null;
  const returns = page.items.flatMap((item) => readRefund(item) ?? []);
  const unreadable = page.items.length - returns.length;
  return { returns, ...(unreadable > 0 && { unreadableReturns: unreadable }) };
}

const TRANSFER: Readonly<Record<string, PspPayout["status"]>> = {
  PENDING: "processing",
  BANK_PROCESSING: "processing",
  // Asaas examines it.
  BLOCKED: "under_analysis",
  DONE: "settled",
  FAILED: "failed",
  CANCELLED: "failed",
};

/** Its refusals have words, and no codes of their own. */
export const failureOf = (words: string): PayoutFailure => failureInWords(words) ?? "psp_error";

/** The words by which a person finds a payout at the bank, and we too should a list leave the reference out. */
export const wordsOf = (id: string): string => `Pixgate ${id}`;
const WORDS = /^Pixgate ([a-zA-Z0-9]{1,35})$/;

/** Our id of a transfer: its reference, or in its words. */
const idOfTransfer = ({ externalReference, description }: Readonly<Record<string, unknown>>): string | undefined =>
  readId(externalReference) ?? WORDS.exec(text(description) ?? "")?.[1];

/**
 * Whether an item of the list of transfers is certainly none of ours: it shows that it has no reference. One that does not
 * show its reference at all proves nothing.
 */
export function isForeign(value: unknown): boolean {
  const body = record(value);
  return body !== undefined && body.externalReference === null && idOfTransfer(body) === undefined;
}

/** Whether a transfer shows this id of ours, whatever else of it can be read. */
export function isOfPayout(value: unknown, id: string): boolean {
  const body = record(value);
  return body !== undefined && idOfTransfer(body) === id;
}

/** A transfer by our id, which it carries; null without id or amount. */
export function readTransfer(value: unknown): PspPayout | null {
  const body = record(value);
  const [reference, amount] = [readAsaasId(body?.id), readAmount(body?.value)];
  const id = body && idOfTransfer(body);
  if (body === undefined || reference === undefined || id === undefined || amount === null) return null;
  // Somebody has to confirm it by a code.
  const status =
    body.status === "PENDING" && body.authorized === false ? "awaiting_approval" : pick(TRANSFER, body.status);
  const account = record(body.bankAccount);
  const receiver = { name: text(account?.ownerName), document: readDocument(account?.cpfCnpj) };
  const fee = readAmount(body.transferFee);
  return {
    ...{ id, reference, amount, status, returns: [], said: body, e2eId: readId(body.endToEndIdentifier) },
    failure: status === "failed" ? readFailure(body) : undefined,
    settledAt: status === "settled" ? readTime(body.effectiveDate, zoneless) : undefined,
    receiver: receiver.name === undefined && receiver.document === undefined ? undefined : receiver,
    ...(fee !== null && { tariff: fee }),
  };
}

function readFailure({ status, failReason }: Readonly<Record<string, unknown>>): PspPayout["failure"] {
  const message = redacted([text(status), text(failReason)].filter((part) => part !== undefined).join(": "));
  return { code: status === "CANCELLED" ? "not_approved" : failureOf(message), message };
}

/** Its balance, which contains what is blocked as far as is known. */
export function readBalance(value: unknown): PspBalance | null {
  const total = readSigned(record(value)?.balance);
  return total === null ? null : { total, blocked: 0 };
}
