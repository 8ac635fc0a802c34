/**
 * Reads Mercado Pago's objects. What a decision depends on (id, amount, time) must be there and valid, or the object is null;
 * the rest may be missing.
 */
import {
  list,
  nameUnreadable,
  pick,
  readAmount,
  readId,
  readSigned,
  readTime,
  record,
  text,
} from "../api-pix/read-values.ts";
import type { PspCharge, PspPix, PspReturn } from "../psp.ts";

/** Its times name their zone; a time without a zone is of Brasília. */
const time = (value: unknown): Date | undefined => readTime(value, "-03:00");

/** A text, or a whole number as text. Anything else has no text that may be made of it: making it can throw. */
export const readWritten = (value: unknown): string | undefined =>
  typeof value === "string" || Number.isSafeInteger(value) ? String(value) : undefined;

/** Its ids are numbers, in some answers written as text. */
export function readNumber(value: unknown): string | undefined {
  const written = readWritten(value);
  return written !== undefined && /^[1-9]\d{0,18}$/.test(written) ? written : undefined;
}

/** A payment: the charge, and the Pix once it is paid. */
export type Payment = {
  readonly id: string;
  /** Our txid, of charges of ours. */
  readonly txid: string | undefined;
  readonly amount: number;
  readonly status: PspCharge["status"];
  /** Its own word for an `unrecognised` status. */
  readonly word: string | undefined;
  readonly code: string | undefined;
  readonly createdAt: Date | undefined;
  readonly expiresAt: Date | undefined;
  /** When it was paid; undefined while it was not. */
  readonly paidAt: Date | undefined;
  readonly e2eId: string | undefined;
  readonly tariff: number | undefined;
  /** Centavos that went back of it, or may have. */
  readonly refunded: number;
  readonly hasRefunds: boolean;
  readonly said: PspPix["said"];
};

const STATUS: Readonly<Record<string, PspCharge["status"]>> = {
  pending: "active",
  // Mercado Pago examines it: the money is not there yet.
  in_process: "active",
  approved: "paid",
  in_mediation: "paid",
  refunded: "paid",
  charged_back: "paid",
  // Also when its time is over.
  cancelled: "removed",
  rejected: "removed",
};

/** Whether a payment is a Pix: its search has cards and boletos too. */
export const isPix = (value: unknown): boolean => (record(value)?.payment_method_id ?? "pix") === "pix";

export function readPayment(value: unknown): Payment | null {
  const body = record(value);
  const [id, amount] = [readNumber(body?.id), readAmount(body?.transaction_amount)];
  if (body === undefined || id === undefined || amount === null || !isPix(body)) return null;
  const status = pick(STATUS, body.status);
  const data = record(record(body.point_of_interaction)?.transaction_data);
  const isBack = body.status === "refunded" || body.status === "charged_back";
  return {
    ...{ id, amount, status, word: text(body.status, 64), txid: readId(body.external_reference) },
    code: text(data?.qr_code, 512),
    ...{ createdAt: time(body.date_created), expiresAt: time(body.date_of_expiration) },
    paidAt: status === "paid" ? time(body.date_approved) : undefined,
    e2eId: readE2e(data?.e2e_id, data?.transaction_id, record(body.transaction_details)?.transaction_id),
    tariff: readTariff(body.fee_details),
    refunded: isBack ? amount : (readSigned(body.transaction_amount_refunded ?? 0) ?? amount),
    hasRefunds: list(body.refunds).length > 0,
    said: body,
  };
}

/** The end-to-end id stands at one of several places, with `PIX` before it in recorded payments. */
function readE2e(...values: unknown[]): string | undefined {
  const ids = values.flatMap((value) => /^(?:PIX)?(E[a-zA-Z0-9]{31})$/.exec(text(value) ?? "")?.[1] ?? []);
  return ids[0];
}

/** The fee that the receiving account pays for the payment. */
function readTariff(fees: unknown): number | undefined {
  const ours = list(fees)
    .map(record)
    .filter((fee) => fee?.fee_payer === "collector");
  const sum = ours.reduce((so, fee) => so + (readAmount(fee?.amount) ?? 0), 0);
  return sum > 0 ? sum : undefined;
}

/** The Pix of a paid payment, without its returns; null where it is not paid, or shows no end-to-end id. */
export function pixOf({ e2eId, amount, paidAt, txid, tariff, said }: Payment): PspPix | null {
  if (e2eId === undefined || paidAt === undefined) return null;
  return { e2eId, txid, amount, paidAt, returns: [], said, ...(tariff !== undefined && { tariff }) };
}

export const chargeOf = (txid: string, payment: Payment): Omit<PspCharge, "pix"> => ({
  ...{ txid, amount: payment.amount, status: payment.status },
  ...(payment.status === "unrecognised" && { unknownStatus: payment.word }),
  ...{ pixCopyPaste: payment.code, pspPaymentId: payment.id },
  ...{ createdAt: payment.createdAt, expiresAt: payment.expiresAt },
});

const REFUND: Readonly<Record<string, PspReturn["status"]>> = {
  approved: "settled",
  in_process: "processing",
  pending: "processing",
  rejected: "failed",
  cancelled: "failed",
};

/**
 * A refund. It carries no id of ours, so its own stands for the network's: the gateway then pairs it with the return of ours
 * that it is. `med`: false where the account asked for it; it shows no nature of others.
 */
export function readRefund(value: unknown): PspReturn | null {
  const refund = record(value);
  const [id, amount] = [readNumber(refund?.id), readAmount(refund?.amount)];
  if (refund === undefined || id === undefined || amount === null) return null;
  const status = pick(REFUND, refund.status);
  const source = record(refund.source) ?? record(list(refund.source)[0]);
  const at = time(refund.date_created);
  return {
    ...{ id, rtrId: id, amount, status, requestedAt: at, said: refund },
    med: text(source?.type)?.toLowerCase() === "collector" ? false : null,
    settledAt: status === "settled" ? at : undefined,
  };
}

/** The refunds of a payment, and how many of them, or of what it shows as gone, cannot be read. */
export function readRefunds(value: unknown, refunded: number): Pick<PspPix, "returns" | "unreadableReturns"> | null {
  if (!Array.isArray(value)) return null;
  const returns = value.flatMap((item) => readRefund(item) ?? []);
  const explained = returns.reduce((sum, { status, amount }) => (status === "failed" ? sum : sum + amount), 0);
  // The payment may show that money went back before its list of refunds does.
  const lost = Math.max(value.length - returns.length, explained < refunded ? 1 : 0);
  return { returns, ...(lost > 0 && { unreadableReturns: lost }) };
}

/** A page of its search; null where it is none. */
export function readSearch(value: unknown): { readonly items: readonly unknown[]; readonly total: number } | null {
  const body = record(value);
  const total = record(body?.paging)?.total;
  if (!Array.isArray(body?.results) || !Number.isSafeInteger(total)) return null;
  return { items: body.results, total: total as number };
}

/** What names an item that cannot be read: its time, if there is one, and a digest. */
export function nameOf(item: unknown): string {
  const { date_approved, date_created } = record(item) ?? {};
  return nameUnreadable(item, time(date_approved) ?? time(date_created));
}
