import { bigint, boolean, instant, json, nullable, type RowOf, text, textOf, uuid, view } from "../db/columns.ts";
import { type Fragment, part } from "../db/sql.ts";
import { showComponents } from "../http/amount-components.ts";
import { dayOf } from "../lib/days.ts";
import { type Components, type DueEdit, type DueTerms, dueOn, totalOf } from "../lib/due.ts";
import { isoOf } from "../lib/iso.ts";
import { toBrl } from "../lib/money.ts";
import { present, presentInPlace } from "../lib/present.ts";
import { showDue, showEdits } from "./due.ts";
import { type FiscalFields, fiscalFields, type InvoiceShown, toInvoice } from "./invoices/invoice.ts";
import type { Transaction } from "./transaction.ts";

/** The automatic return of a blocked deposit. */
type DepositReturn = {
  readonly status: "pending" | "sending" | "confirmed" | "failed";
  readonly e2eId: string | null;
  readonly settledAt: string | null;
};

/** What has become of a payment: its newest refund, and sums. Centavos. */
type Claims = {
  readonly refund: NonNullable<Transaction["refund"]> | null;
  readonly refunded: number;
  readonly disputed: number;
  readonly returned: number;
};

/** What is read of the view `transactions`. Centavos. */
const transactions = view({
  name: "transactions",
  columns: {
    transactionId: uuid,
    type: textOf<Transaction["type"]>(),
    status: textOf<"pending" | "completed" | "failed" | "expired" | "cancelled">(),
    amount: bigint,
    description: nullable(text),
    externalReference: nullable(text),
    customerId: nullable(uuid),
    projectId: nullable(uuid),
    metadata: nullable(json<Record<string, unknown>>()),
    pixCopyPaste: nullable(text),
    expiresAt: nullable(instant),
    paidAt: nullable(instant),
    e2eId: nullable(text),
    counterpartName: nullable(text),
    counterpartDocument: nullable(text),
    failureReason: nullable(text),
    blockedReason: nullable(text),
    paidAfterExpiry: boolean,
    depositReturn: nullable(json<DepositReturn>()),
    direction: textOf<"in" | "out">(),
    originalId: nullable(uuid),
    withdrawalStatus: nullable(textOf<NonNullable<Transaction["withdrawalStatus"]>>()),
    feeAmount: nullable(bigint),
    netAmount: nullable(bigint),
    txid: nullable(text),
    /** As the charge was created, and centavos that each leg was given. */
    split: nullable(json<readonly { readonly reference: string }[]>()),
    appliedSplit: nullable(json<readonly number[]>()),
    /** Of a payment that was refunded, disputed or sent back; null: nothing of the kind has happened. */
    claims: nullable(json<Claims>()),
    /** Of a withdrawal. */
    returnedAmount: nullable(bigint),
    blockId: nullable(uuid),
    withdrawalId: nullable(uuid),
    transferId: nullable(uuid),
    refundId: nullable(uuid),
    paymentLinkId: nullable(uuid),
    /** The one that issued a payment's charge: its display name and its CNPJ. */
    institution: nullable(json<{ readonly name: string; readonly cnpj: string | null }>()),
    due: nullable(json<DueTerms>()),
    dueEdits: nullable(json<readonly DueEdit[]>()),
    chargedAmount: nullable(bigint),
    components: nullable(json<Components>()),
    qrCodeId: nullable(uuid),
    invoice: nullable(json<InvoiceShown>()),
    isStatic: boolean,
    createdAt: instant,
    updatedAt: instant,
  },
});
/**
 * `receiver`: CPF or CNPJ of the account. `subAccount`: in lists over all wallets. `counterpartSubAccount`,
 * `originalExternalReference`, `expectedName`, `paidToOther` and `receiverExpected`: once they were read (counterparts.ts).
 */
export type TransactionRow = RowOf<typeof transactions.columns> & {
  readonly receiver: string | null;
  readonly subAccount?: string;
  readonly counterpartSubAccount?: string | null;
  readonly originalExternalReference?: string | null;
  readonly expectedName?: string | null;
  readonly paidToOther?: boolean | null;
  readonly receiverExpected?: boolean | null;
};

/** The columns of a `TransactionRow` from a row `t` of the view. The account's document is read once for all rows. */
export const transactionColumns = (accountId: string): Fragment =>
  part`${transactions.select("t")}, (select a.document from accounts a where a.account_id = ${accountId}) as receiver`;

/** `now`: also what a pending charge with a due date costs at that time. */
export function toTransaction(row: TransactionRow, now?: Date): Transaction {
  const { status, type, claims } = row;
  const pending = status === "pending";
  const completed = type === "payment" && status === "completed";
  const paid = completed || (type === "payment" && status === "failed");
  const transaction = presentInPlace<Omit<Transaction, "blockedDeposit">>({
    id: row.transactionId,
    status: status === "expired" ? "cancelled" : status,
    type,
    direction: row.direction,
    subAccount: row.subAccount,
    paymentMethod: "pix",
    amount: toBrl(row.amount),
    currency: "BRL",
    createdAt: isoOf(row.createdAt),
    updatedAt: isoOf(row.updatedAt),
    description: row.description,
    externalReference: row.externalReference,
    customerId: row.customerId,
    projectId: row.projectId,
    metadata: row.metadata,
    pixCopyPaste: pending ? row.pixCopyPaste : null,
    expiresAt: pending ? row.expiresAt && isoOf(row.expiresAt) : null,
    paidAt: row.paidAt && isoOf(row.paidAt),
    e2eId: row.e2eId,
    counterpartName: row.counterpartName,
    counterpartDocument: row.counterpartDocument,
    counterpartSubAccount: row.counterpartSubAccount,
    expectedName: row.expectedName,
    paidToOther: row.paidToOther,
    receiverExpected: row.receiverExpected,
    failureReason: row.failureReason,
    withdrawalStatus: row.withdrawalStatus,
    cancellationReason: status === "expired" ? "expired" : status === "cancelled" ? "requested" : null,
    paidAfterExpiry: row.paidAfterExpiry || null,
    due: row.due && showDue(row.due),
    amountDue: pending && now && row.due ? toBrl(totalOf(dueOn(row.amount, row.due, dayOf(now)))) : null,
    dueEdits: now && row.dueEdits && showEdits(row.dueEdits),
    chargedAmount: toBrl(row.chargedAmount),
    components: row.components && showComponents(row.components),
    feeAmount: toBrl(row.feeAmount),
    netAmount: toBrl(row.netAmount),
    withheldAmount: completed ? toBrl(withheldOf(row)) : null,
    txid: row.txid,
    institution: row.institution?.name,
    qrCodeId: row.qrCodeId,
    split: row.appliedSplit && legsOf(row.appliedSplit, row.split!),
    refund: claims?.refund && { ...claims.refund, amount: toBrl(claims.refund.amount) },
    refundedAmount: completed ? toBrl(claims?.refunded ?? 0) : null,
    disputedAmount: completed ? toBrl(claims?.disputed ?? 0) : null,
    returnedAmount: paid || type === "withdrawal" ? toBrl(claims?.returned ?? row.returnedAmount ?? 0) : null,
    originalTransactionId: row.originalId,
    originalExternalReference: row.originalExternalReference,
    refundTransactionId: row.refundId,
    paymentLinkId: row.paymentLinkId,
    blockId: row.blockId,
    withdrawalId: row.withdrawalId,
    transferId: row.transferId,
    fiscal: completed ? fiscalOf(row) : null,
    invoice: row.invoice && toInvoice(row.invoice),
  }) as Transaction;
  transaction.blockedDeposit =
    row.blockedReason === null ? null : { reason: row.blockedReason, refund: toRefund(row.depositReturn) };
  return transaction;
}

/** What of a completed payment is neither fee nor net, which only a withheld tax is; null: nothing. */
const withheldOf = ({ amount, feeAmount, netAmount }: TransactionRow): number | null =>
  feeAmount === null || netAmount === null ? null : amount - feeAmount - netAmount || null;

/** What each leg of a split was given. */
const legsOf = (applied: readonly number[], split: readonly { readonly reference: string }[]) =>
  applied
    .map((amount, leg) => ({ subAccount: split[leg]!.reference, amount: toBrl(amount) }))
    .filter(({ amount }) => amount > 0);

/** The automatic return of a blocked deposit, up to its end. */
function toRefund(made: DepositReturn | null): NonNullable<Transaction["blockedDeposit"]>["refund"] {
  return present({
    status: made?.status === "confirmed" || made?.status === "failed" ? made.status : "pending",
    e2eId: made?.e2eId,
    settledAt: made?.settledAt && new Date(made.settledAt).toISOString(),
  });
}

const fiscalOf = ({ isStatic, receiver, institution }: TransactionRow): FiscalFields =>
  fiscalFields({ isStatic, receiver, institution: institution?.cnpj ?? null });
