import { bigint, boolean, instant, json, nullable, type RowOf, text, textOf, uuid, view } from "../db/columns.ts";
import { dayOf } from "../lib/days.ts";
import { type Components, type DueEdit, type DueTerms, dueOn, totalOf } from "../lib/due.ts";
import { toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import { showComponents, showDue, showEdits } from "./due.ts";
import { type Fiscal, fiscalFields, type InvoiceShown, toInvoice } from "./invoice.ts";
import type { Transaction } from "./transaction.ts";

/** What is read of the view `transactions`. Centavos. */
export const transactions = view({
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
    returnStatus: nullable(textOf<"pending" | "sending" | "confirmed" | "failed">()),
    returnE2eId: nullable(text),
    returnSettledAt: nullable(instant),
    direction: textOf<"in" | "out">(),
    originalId: nullable(uuid),
    withdrawalStatus: nullable(textOf<NonNullable<Transaction["withdrawalStatus"]>>()),
    feeAmount: nullable(bigint),
    netAmount: nullable(bigint),
    txid: nullable(text),
    /** As the charge was created, and centavos that each leg was given. */
    split: nullable(json<readonly { readonly reference: string }[]>()),
    appliedSplit: nullable(json<readonly number[]>()),
    refund: nullable(json<NonNullable<Transaction["refund"]>>()),
    refundedAmount: nullable(bigint),
    disputedAmount: nullable(bigint),
    returnedAmount: nullable(bigint),
    blockId: nullable(uuid),
    withdrawalId: nullable(uuid),
    transferId: nullable(uuid),
    refundId: nullable(uuid),
    paymentLinkId: nullable(uuid),
    /** Display name of the one that issued a payment's charge. */
    institution: nullable(text),
    due: nullable(json<DueTerms>()),
    dueEdits: nullable(json<readonly DueEdit[]>()),
    chargedAmount: nullable(bigint),
    components: nullable(json<Components>()),
    qrCodeId: nullable(uuid),
    invoice: nullable(json<InvoiceShown>()),
    fiscal: nullable(json<Fiscal>()),
    createdAt: instant,
    updatedAt: instant,
  },
});
/** `subAccount`: in lists over all wallets. */
export type TransactionRow = RowOf<typeof transactions.columns> & { readonly subAccount?: string };

/** `now`: also what a pending charge with a due date costs at that time. */
export function toTransaction(row: TransactionRow, now?: Date): Transaction {
  const pending = row.status === "pending";
  return {
    ...present<Omit<Transaction, "blockedDeposit" | "updatedAt">>({
      id: row.transactionId,
      status: row.status === "expired" ? "cancelled" : row.status,
      type: row.type,
      direction: row.direction,
      subAccount: row.subAccount,
      paymentMethod: "pix",
      amount: toBrl(row.amount),
      currency: "BRL",
      createdAt: row.createdAt.toISOString(),
      description: row.description,
      externalReference: row.externalReference,
      customerId: row.customerId,
      projectId: row.projectId,
      metadata: row.metadata,
      pixCopyPaste: pending ? row.pixCopyPaste : null,
      expiresAt: pending ? row.expiresAt?.toISOString() : null,
      paidAt: row.paidAt?.toISOString(),
      e2eId: row.e2eId,
      counterpartName: row.counterpartName,
      counterpartDocument: row.counterpartDocument,
      failureReason: row.failureReason,
      withdrawalStatus: row.withdrawalStatus,
      cancellationReason: row.status === "expired" ? "expired" : row.status === "cancelled" ? "requested" : null,
      paidAfterExpiry: row.paidAfterExpiry || null,
      due: row.due && showDue(row.due),
      amountDue: pending && now && row.due ? toBrl(totalOf(dueOn(row.amount, row.due, dayOf(now)))) : null,
      dueEdits: now && row.dueEdits && showEdits(row.dueEdits),
      chargedAmount: toBrl(row.chargedAmount),
      components: row.components && showComponents(row.components),
      ...whatBecameOf(row),
      originalTransactionId: row.originalId,
      refundTransactionId: row.refundId,
      paymentLinkId: row.paymentLinkId,
      blockId: row.blockId,
      withdrawalId: row.withdrawalId,
      transferId: row.transferId,
      fiscal: row.fiscal && fiscalFields(row.fiscal),
      invoice: row.invoice && toInvoice(row.invoice),
    }),
    blockedDeposit: row.blockedReason === null ? null : { reason: row.blockedReason, refund: toRefund(row) },
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** Its costs and proceeds, and what has happened to it since. */
function whatBecameOf(row: TransactionRow): Partial<Transaction> {
  const paid = row.type === "payment" && (row.status === "completed" || row.status === "failed");
  const given = row.appliedSplit?.map((amount, leg) => ({
    subAccount: row.split![leg]!.reference,
    amount: toBrl(amount),
  }));
  return present({
    feeAmount: toBrl(row.feeAmount),
    netAmount: toBrl(row.netAmount),
    txid: row.txid,
    institution: row.institution,
    qrCodeId: row.qrCodeId,
    split: given?.filter(({ amount }) => amount > 0),
    refund: row.refund && { ...row.refund, amount: toBrl(row.refund.amount) },
    refundedAmount: paid && row.status === "completed" ? toBrl(row.refundedAmount ?? 0) : null,
    disputedAmount: paid && row.status === "completed" ? toBrl(row.disputedAmount ?? 0) : null,
    returnedAmount: paid || row.type === "withdrawal" ? toBrl(row.returnedAmount ?? 0) : null,
  });
}

/** The automatic return of a blocked deposit, up to its end. */
function toRefund(row: TransactionRow): NonNullable<Transaction["blockedDeposit"]>["refund"] {
  const { returnStatus: status, returnE2eId: e2eId, returnSettledAt: settledAt } = row;
  return present({
    status: status === "confirmed" || status === "failed" ? status : "pending",
    e2eId,
    settledAt: settledAt?.toISOString(),
  });
}
