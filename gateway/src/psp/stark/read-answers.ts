/**
 * Reads Stark Bank's objects into our types. What a decision depends on must be there and valid, or the object is null; the rest
 * may be missing: older samples of its documentation leave out what newer ones have.
 */
import { MAX_CENTAVOS } from "../../lib/money.ts";
import { list, pick, readDocument, readTime, record, text } from "../api-pix/read-values.ts";
import type { PspBalance, PspPayout } from "../psp.ts";
import { ZONELESS } from "../zoneless.ts";

/** Its times name their zone. */
export const ZONE = "written";

/** A transfer with Stark Bank's own id, which the request for its log needs. */
export type Transfer = { readonly bankId: string; readonly payout: PspPayout };

/** The tag by which lists of transfers are filtered: they have no filter by `externalId`. Stark Bank makes tags lower case. */
export const tagOf = (id: string): string => `pixgate-${id.toLowerCase()}`;

const readBankId = (value: unknown): string | undefined =>
  typeof value === "string" && /^[\w-]{1,64}$/.test(value) ? value : undefined;

const isCentavos = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= MAX_CENTAVOS;

/** Our id of a transfer: its `externalId` or, since not every answer has that, its tag. Undefined: the transfer is not ours. */
export function payoutIdOf(value: unknown): string | undefined {
  const id = text(record(value)?.externalId) ?? ownTag(value)?.slice(tagOf("").length);
  return id !== undefined && /^[a-zA-Z0-9]{1,35}$/.test(id) ? id : undefined;
}

const ownTag = (value: unknown): string | undefined =>
  list(record(value)?.tags).find((one): one is string => typeof one === "string" && one.startsWith(tagOf("")));

/** Whether a transfer has this id of ours. `open`: it shows neither an `externalId` nor a tag. */
function isOurs(value: unknown, id: string): boolean | "open" {
  const { externalId, tags } = record(value) ?? {};
  const shown = text(externalId);
  if (shown !== undefined) return shown === id;
  return Array.isArray(tags) || tags === null ? ownTag(value) === tagOf(id) : "open";
}

const STATUS: Readonly<Record<string, PspPayout["status"]>> = {
  created: "processing",
  processing: "processing",
  success: "settled",
  failed: "failed",
  // A person at Stark Bank cancelled it before it began.
  canceled: "failed",
};

/** The transfers of this id of ours in an answer. */
type Transfers = {
  readonly transfers: readonly Transfer[];
  /** How many further transfers are or may be ours but cannot be read: each may have been paid. */
  readonly unreadable: number;
  /** Whether the list has no further page: ours could stand there if Stark Bank ignored the filter. */
  readonly isWhole: boolean;
};

export function readTransfers(value: unknown, id: string): Transfers | null {
  const body = record(value);
  if (!Array.isArray(body?.transfers)) return null;
  const ours = list(body.transfers).filter((item) => isOurs(item, id) !== false);
  const transfers = ours.flatMap((item) => readTransfer(item, id) ?? []);
  const isWhole = typeof body.cursor !== "string" || body.cursor === "";
  return { transfers, unreadable: ours.length - transfers.length, isWhole };
}

/** One of our transfers; null: it is not readable. The reason of a failure is only in its log. */
function readTransfer(value: unknown, id: string): Transfer | null {
  const transfer = record(value);
  const bankId = readBankId(transfer?.id);
  if (transfer === undefined || bankId === undefined || isOurs(transfer, id) !== true || !isCentavos(transfer.amount))
    return null;
  const status = pick(STATUS, transfer.status);
  const [name, document] = [text(transfer.name), readDocument(transfer.taxId)];
  const isCancelled = transfer.status === "canceled";
  const code = isCancelled ? ("not_approved" as const) : ("psp_error" as const);
  return {
    bankId,
    payout: {
      ...{ id, amount: transfer.amount, status, returns: [], said: transfer },
      failure: status === "failed" ? { code, message: text(transfer.status)! } : undefined,
      settledAt: status === "settled" ? readTime(transfer.updated, ZONELESS[ZONE]) : undefined,
      receiver: name === undefined && document === undefined ? undefined : { name, document },
      ...(status === "settled" && isCentavos(transfer.fee) && { tariff: transfer.fee }),
      // Stark Bank's documentation of this list: "if there are two, second is the chargeback".
      ...(status === "settled" && new Set(list(transfer.transactionIds)).size > 1 && { unreadableReturns: 1 }),
    },
  };
}

/** A key's account, in the form that a transfer needs, and the account's owner. */
export type Destination = {
  readonly bankCode: string;
  readonly branchCode: string;
  readonly accountNumber: string;
  readonly accountType: string | undefined;
  readonly name: string;
  /** As the directory shows it, which may mask digits of a CPF. */
  readonly taxId: string;
};

/** `not_registered`: the directory shows the key in a state in which it cannot be paid (`created`, `canceled`, `failed`). */
export function readDestination(value: unknown): Destination | "not_registered" | null {
  const key = record(record(value)?.key);
  const status = key?.status ?? "registered";
  if (status !== "registered") return typeof status === "string" ? "not_registered" : null;
  const bankCode = typeof key?.ispb === "string" && /^[0-9A-Z]{8}$/.test(key.ispb) ? key.ispb : undefined;
  // Branch and number may be encrypted, and then they are longer.
  const [branchCode, accountNumber] = [text(key?.branchCode, 1_024), text(key?.accountNumber, 1_024)];
  const [name, taxId] = [text(key?.name), text(key?.taxId)];
  if (!bankCode || !branchCode || !accountNumber || !name || !taxId) return null;
  return { bankCode, branchCode, accountNumber, accountType: text(key?.accountType), name, taxId };
}

/** Whether an owner's document, which may have masked digits, can be the holder's. A document that shows too few digits cannot. */
export function isHolder(shown: string, document: string): boolean {
  const marks = shown.toUpperCase().replaceAll(/[^0-9A-Z*]/g, "");
  const wanted = document.toUpperCase().replaceAll(/[^0-9A-Z]/g, "");
  const known = marks.replaceAll("*", "").length;
  return (
    marks.length === wanted.length && known >= 6 && [...marks].every((mark, at) => mark === "*" || mark === wanted[at])
  );
}

/** The account's balance; Stark Bank does not report what is blocked of it. */
export function readBalance(value: unknown): PspBalance | null {
  const amount = record(list(record(value)?.balances)[0])?.amount;
  return Number.isSafeInteger(amount) ? { total: amount as number, blocked: 0 } : null;
}

/** The reasons in each log entry of a failed transfer; null where an entry cannot be read. */
export function readErrors(value: unknown): readonly (readonly string[])[] | null {
  const logs = record(value)?.logs;
  if (!Array.isArray(logs)) return null;
  const entries = logs.map((log) => {
    const errors = record(log)?.errors;
    return Array.isArray(errors) ? errors.map((error) => text(error)) : [undefined];
  });
  return entries.every((errors) => !errors.includes(undefined)) ? (entries as string[][]) : null;
}
