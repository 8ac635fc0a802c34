/**
 * Reads Stark Bank's objects into our types. What a decision depends on must be there and valid, or the object is null; the rest
 * may be missing: older samples of its documentation leave out what newer ones have.
 */
import { MAX_CENTAVOS } from "../../lib/money.ts";
import { list, pick, readDocument, readTime, record, text } from "../api-pix/read-values.ts";
import type { PspBalance, PspPayout } from "../psp.ts";

/** A transfer, with Stark Bank's own id of it, by which its log is asked for. */
export type Transfer = { readonly bankId: string; readonly payout: PspPayout };

/** By which a list of transfers is filtered: it has no filter by `externalId`. Stark Bank makes tags lower case. */
export const tagOf = (id: string): string => `pixgate-${id.toLowerCase()}`;

const readBankId = (value: unknown): string | undefined =>
  typeof value === "string" && /^[\w-]{1,64}$/.test(value) ? value : undefined;

const isCentavos = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= MAX_CENTAVOS;

/** Our id of a transfer; of one without an `externalId`, which not every answer has, its tag. Undefined: it is not ours. */
export function payoutIdOf(value: unknown): string | undefined {
  const { externalId, tags } = record(value) ?? {};
  const tag = list(tags).find((one) => typeof one === "string" && one.startsWith(tagOf("")));
  const id = typeof externalId === "string" ? externalId : (tag as string | undefined)?.slice(tagOf("").length);
  return id !== undefined && /^[a-zA-Z0-9]{1,35}$/.test(id) ? id : undefined;
}

const STATUS: Readonly<Record<string, PspPayout["status"]>> = {
  created: "processing",
  processing: "processing",
  success: "settled",
  failed: "failed",
  // One that was not begun, by a person at Stark Bank.
  canceled: "failed",
};

/** The transfer of this id of ours; null: it is another, or not readable. Why one failed, only its log says. */
export function readTransfer(value: unknown, id: string): Transfer | null {
  const transfer = record(value);
  const bankId = readBankId(transfer?.id);
  if (transfer === undefined || bankId === undefined || payoutIdOf(transfer) !== id || !isCentavos(transfer.amount))
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
      settledAt: status === "settled" ? readTime(transfer.updated, "Z") : undefined,
      receiver: name === undefined && document === undefined ? undefined : { name, document },
      ...(status === "settled" && isCentavos(transfer.fee) && { tariff: transfer.fee }),
    },
  };
}

/** Where a key leads: the account, as it is written into a transfer, and its owner. */
export type Destination = {
  readonly bankCode: string;
  readonly branchCode: string;
  readonly accountNumber: string;
  readonly accountType: string | undefined;
  readonly name: string;
  /** As it is shown; the directory may mask digits of a CPF. */
  readonly taxId: string;
};

export function readDestination(value: unknown): Destination | null {
  const key = record(record(value)?.key);
  const bankCode = typeof key?.ispb === "string" && /^[0-9A-Z]{8}$/.test(key.ispb) ? key.ispb : undefined;
  // Branch and number may be encrypted, and are longer then.
  const [branchCode, accountNumber] = [text(key?.branchCode, 1_024), text(key?.accountNumber, 1_024)];
  const [name, taxId] = [text(key?.name), text(key?.taxId)];
  if (!bankCode || !branchCode || !accountNumber || !name || !taxId) return null;
  return { bankCode, branchCode, accountNumber, accountType: text(key?.accountType), name, taxId };
}

/** Whether an owner's document, of which digits may be masked, can be the holder's. One that shows too little cannot. */
export function isHolder(shown: string, document: string): boolean {
  const marks = shown.toUpperCase().replaceAll(/[^0-9A-Z*]/g, "");
  const wanted = document.toUpperCase().replaceAll(/[^0-9A-Z]/g, "");
  const known = marks.replaceAll("*", "").length;
  return (
    marks.length === wanted.length && known >= 6 && [...marks].every((mark, at) => mark === "*" || mark === wanted[at])
  );
}

/** What the account holds; Stark Bank names nothing that is blocked. */
export function readBalance(value: unknown): PspBalance | null {
  const amount = record(list(record(value)?.balances)[0])?.amount;
  return Number.isSafeInteger(amount) ? { total: amount as number, blocked: 0 } : null;
}

/** The reasons in the log of a transfer that failed. */
export function readErrors(value: unknown): readonly string[] | null {
  const logs = record(value)?.logs;
  if (!Array.isArray(logs)) return null;
  return logs.flatMap((log) => list(record(log)?.errors).flatMap((error) => text(error) ?? []));
}
