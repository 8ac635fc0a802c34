/**
 * Reads Woovi's objects into our types. What a decision depends on (id, amount, time) must be there and valid, or the object
 * is null; the rest may be missing, and often is: the same object has other fields in a query, a list and a notification.
 */
import { MAX_CENTAVOS } from "../../lib/money.ts";
import {
  type Json,
  list,
  nameUnreadable,
  pick,
  readDocument,
  readId,
  readTime,
  record,
  text,
} from "../api-pix/read-values.ts";
import type { ListPage, PspBalance, PspCharge, PspInfraction, PspPix, PspReturn } from "../psp.ts";
import { ZONELESS } from "../zoneless.ts";

/** Woovi writes its times in UTC, with their zone. */
export const ZONE = "written";
const time = (value: unknown): Date | undefined => readTime(value, ZONELESS[ZONE]);

/** Amounts are integer centavos. */
export const readCentavos = (value: unknown): number | null =>
  Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= MAX_CENTAVOS ? (value as number) : null;

/** Ids that others made may be anything; ours are alphanumeric. */
const readOther = (value: unknown): string | undefined =>
  typeof value === "string" && /^[\w-]{1,100}$/.test(value) ? value : undefined;

const CHARGE_STATUS: Readonly<Record<string, PspCharge["status"]>> = {
  ACTIVE: "active",
  COMPLETED: "paid",
  // It has no word for one that was removed: what is over is shown as expired, and cannot be paid.
  EXPIRED: "removed",
};

/** A charge, without its payments; null where it is another than the one of this txid. */
export function readCharge(value: unknown, txid: string): PspCharge | null {
  const body = record(value);
  const charge = record(body?.charge);
  const amount = readCentavos(charge?.value);
  if (charge === undefined || charge.correlationID !== txid || amount === null) return null;
  const status = pick(CHARGE_STATUS, charge.status);
  return {
    ...{ txid, amount, status, pix: [] },
    ...(status === "unrecognised" && { unknownStatus: text(charge.status) }),
    pixCopyPaste: text(charge.brCode, 512) ?? text(body?.brCode, 512),
    pspPaymentId: readOther(charge.transactionID),
    createdAt: time(charge.createdAt),
    expiresAt: time(charge.expiresDate),
    pixKey: text(charge.pixKey),
  };
}

/** The owner of an account or key: name and document. */
function readPerson(value: unknown): PspPix["payer"] {
  const person = record(value);
  const name = text(person?.name);
  const document = readDocument(record(person?.taxID)?.taxID ?? person?.taxID);
  return name === undefined && document === undefined ? undefined : { name, document };
}

/** A received Pix, without its returns. */
export function readPix(value: unknown, inCharge?: unknown): PspPix | null {
  const pix = record(value);
  const e2eId = readId(pix?.endToEndId ?? pix?.endToEndID);
  const amount = readCentavos(pix?.value);
  const paidAt = time(pix?.time);
  if (pix === undefined || e2eId === undefined || amount === null || paidAt === undefined) return null;
  return {
    ...{ e2eId, amount, paidAt, returns: [], said: pix },
    txid: readId(record(pix.charge ?? inCharge)?.correlationID),
    pixKey: text(record(record(pix.creditParty)?.pixKey)?.pixKey),
    payer: readPerson(pix.payer) ?? readPerson(record(pix.debitParty)?.holder),
  };
}

/** Whether the transaction may have returns: Woovi says so in its status, and leaves that out of some answers. */
export const mayBeReturned = ({ said }: PspPix): boolean => record(said)?.status !== "CONFIRMED";

/** Whether the transaction says that money of it went back. */
export const isReturned = ({ said }: PspPix): boolean => /REFUND/.test(text(record(said)?.status) ?? "");

const RETURN_STATUS: Readonly<Record<string, PspReturn["status"]>> = {
  IN_PROCESSING: "processing",
  REFUNDED: "settled",
  CONFIRMED: "settled",
  NOT_ACCOMPLISHED: "failed",
  REJECTED: "failed",
};

/** Our id of a return is unique within its Pix, Woovi's `correlationID` at Woovi. */
export const correlationOf = (e2eId: string, id: string): string => `${e2eId}-${id}`;

/** Whether a refund of a charge is of another Pix of the same charge. */
export function isOfAnother(value: unknown, e2eId: string): boolean {
  const own = /^(E[a-zA-Z0-9]{31})-/.exec(text(record(value)?.correlationID) ?? "");
  return own !== null && own[1] !== e2eId;
}

/** A return of this Pix. `med`: known of those that we made; Woovi shows no nature. */
export function readReturn(value: unknown, e2eId: string): PspReturn | null {
  const refund = record(value);
  const amount = readCentavos(refund?.value);
  if (refund === undefined || amount === null) return null;
  const network = [refund.returnIdentification, refund.endToEndId].find((id) => /^D\w{31}$/.test(text(id) ?? ""));
  const rtrId = readId(network);
  const correlation = text(refund.correlationID) ?? "";
  const isOurs = correlation.startsWith(correlationOf(e2eId, ""));
  const id = isOurs
    ? correlation.slice(e2eId.length + 1)
    : (readOther(correlation) ?? readOther(refund.refundId) ?? rtrId);
  if (id === undefined || id === "") return null;
  // The query for one refund leaves the status out; then its charge's list of refunds tells.
  const status = refund.status == null ? "processing" : pick(RETURN_STATUS, refund.status);
  const at = time(refund.time);
  return {
    ...{ id, rtrId, amount, status, said: refund, requestedAt: at },
    med: isOurs ? false : null,
    settledAt: status === "settled" ? at : undefined,
  };
}

/** What an account holds: of one account, or the default one of a list. */
export function readBalance(value: unknown): PspBalance | null {
  const body = record(value);
  const account =
    record(body?.account) ??
    list(body?.accounts)
      .map(record)
      .find((one) => one?.isDefault === true);
  const { total, available } = record(account?.balance) ?? {};
  if (!Number.isSafeInteger(total) || !Number.isSafeInteger(available)) return null;
  // Several fields name what is blocked, and later versions have more of them: what is not available is.
  return { total: total as number, blocked: Math.max(0, (total as number) - (available as number)) };
}

const DISPUTE_STATUS: Readonly<Record<string, PspInfraction["status"]>> = {
  OPENED: "open",
  IN_REVIEW: "open",
  ACCEPTED: "accepted",
  REJECTED: "rejected",
  CANCELED: "cancelled",
  CANCELLED: "cancelled",
};

/** A dispute of Pix. Woovi names it by the Pix; it shows neither a protocol nor a deadline. */
export function readDispute(value: unknown): PspInfraction | null {
  const dispute = record(value);
  const e2eId = readId(dispute?.endToEndId);
  const amount = readCentavos(dispute?.value);
  if (dispute === undefined || e2eId === undefined || amount === null) return null;
  const status = pick(DISPUTE_STATUS, dispute.status);
  const isOver = status === "accepted" || status === "rejected" || status === "cancelled";
  return {
    ...{ id: e2eId, e2eId, amount, status },
    reason: text(dispute.disputeReason),
    openedAt: time(dispute.createdAt),
    closedAt: isOver ? time(dispute.updatedAt) : undefined,
  };
}

/** Whether a transaction is money that came in. The list has withdrawals, refunds and fees too. */
export const isPayment = (value: unknown): boolean => (record(value)?.type ?? "PAYMENT") === "PAYMENT";

/** The items of a page, those that cannot be read, and what follows. Null where it is no page. `isOurs`: others are left out. */
export function readPage<T>(
  value: unknown,
  field: string,
  asked: { readonly skip: number; readonly limit: number; readonly page: number },
  read: (item: unknown) => T | null,
  isOurs: (item: unknown) => boolean = () => true,
): { readonly values: readonly T[]; readonly rest: ListPage } | null {
  const all = record(value)?.[field];
  if (!Array.isArray(all)) return null;
  const items = all.filter(isOurs);
  const unreadable = items.filter((item) => read(item) === null);
  const info = record(record(value)?.pageInfo);
  // One that shows another page than was asked for has no pages.
  const isPaged = typeof info?.hasNextPage === "boolean" && info.skip === asked.skip;
  const isLong = all.length >= asked.limit;
  return {
    values: items.flatMap((item) => read(item) ?? []),
    rest: {
      nextPage: isPaged && info.hasNextPage === true ? asked.page + 1 : null,
      ...(unreadable.length > 0 && { unreadable: unreadable.map(nameOf) }),
      ...(!isPaged && isLong && { cutAt: all.length }),
    },
  };
}

/** What names an item that cannot be read: its time, if there is one, and a digest. */
function nameOf(item: unknown): string {
  const { time: at, createdAt } = (record(item) ?? {}) as Json;
  return nameUnreadable(item, time(at) ?? time(createdAt));
}
