import { toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import type { Transaction } from "./transaction.ts";

/** A row of the view `transactions`. Centavos. */
export type TransactionRow = {
  transaction_id: string;
  type: Transaction["type"];
  status: "pending" | "completed" | "failed" | "expired" | "cancelled";
  amount: number;
  description: string | null;
  external_reference: string | null;
  customer_id: string | null;
  project_id: string | null;
  metadata: Record<string, unknown> | null;
  pix_copy_paste: string | null;
  expires_at: Date | null;
  paid_at: Date | null;
  e2e_id: string | null;
  counterpart_name: string | null;
  counterpart_document: string | null;
  failure_reason: string | null;
  blocked_reason: string | null;
  paid_after_expiry: boolean;
  return_status: "pending" | "sending" | "confirmed" | "failed" | null;
  return_e2e_id: string | null;
  return_settled_at: Date | null;
  direction: "in" | "out";
  original_id: string | null;
  withdrawal_status: Transaction["withdrawalStatus"] | null;
  fee_amount: number | null;
  net_amount: number | null;
  txid: string | null;
  /** As the charge was created, and centavos that each leg was given. */
  split: readonly { readonly reference: string }[] | null;
  applied_split: readonly number[] | null;
  refund: NonNullable<Transaction["refund"]> | null;
  disputed_amount: number | null;
  returned_amount: number | null;
  block_id: string | null;
  withdrawal_id: string | null;
  transfer_id: string | null;
  refund_id: string | null;
  /** Display name of the one that issued a payment's charge. */
  institution: string | null;
  /** In lists over all wallets. */
  sub_account?: string;
  created_at: Date;
  updated_at: Date;
};

export function toTransaction(row: TransactionRow): Transaction {
  const pending = row.status === "pending";
  return {
    ...present<Omit<Transaction, "blockedDeposit" | "updatedAt">>({
      id: row.transaction_id,
      status: row.status === "expired" ? "cancelled" : row.status,
      type: row.type,
      direction: row.direction,
      subAccount: row.sub_account,
      paymentMethod: "pix",
      amount: toBrl(row.amount),
      currency: "BRL",
      createdAt: row.created_at.toISOString(),
      description: row.description,
      externalReference: row.external_reference,
      customerId: row.customer_id,
      projectId: row.project_id,
      metadata: row.metadata,
      pixCopyPaste: pending ? row.pix_copy_paste : null,
      expiresAt: pending ? row.expires_at?.toISOString() : null,
      paidAt: row.paid_at?.toISOString(),
      e2eId: row.e2e_id,
      counterpartName: row.counterpart_name,
      counterpartDocument: row.counterpart_document,
      failureReason: row.failure_reason,
      withdrawalStatus: row.withdrawal_status,
      cancellationReason: row.status === "expired" ? "expired" : row.status === "cancelled" ? "requested" : null,
      paidAfterExpiry: row.paid_after_expiry || null,
      ...whatBecameOf(row),
      originalTransactionId: row.original_id,
      refundTransactionId: row.refund_id,
      blockId: row.block_id,
      withdrawalId: row.withdrawal_id,
      transferId: row.transfer_id,
    }),
    blockedDeposit: row.blocked_reason === null ? null : { reason: row.blocked_reason, refund: toRefund(row) },
    updatedAt: row.updated_at.toISOString(),
  };
}

/** Its costs and proceeds, and what has happened to it since. */
function whatBecameOf(row: TransactionRow): Partial<Transaction> {
  const paid = row.type === "payment" && (row.status === "completed" || row.status === "failed");
  const given = row.applied_split?.map((amount, leg) => ({
    subAccount: row.split![leg]!.reference,
    amount: toBrl(amount),
  }));
  return present({
    feeAmount: toBrl(row.fee_amount),
    netAmount: toBrl(row.net_amount),
    txid: row.txid,
    institution: row.institution,
    split: given?.filter(({ amount }) => amount > 0),
    refund: row.refund && { ...row.refund, amount: toBrl(row.refund.amount) },
    disputedAmount: paid && row.status === "completed" ? toBrl(row.disputed_amount ?? 0) : null,
    returnedAmount: paid || row.type === "withdrawal" ? toBrl(row.returned_amount ?? 0) : null,
  });
}

/** The automatic return of a blocked deposit, up to its end. */
function toRefund(row: TransactionRow): NonNullable<Transaction["blockedDeposit"]>["refund"] {
  const { return_status: status, return_e2e_id: e2eId, return_settled_at: settledAt } = row;
  return present({
    status: status === "confirmed" || status === "failed" ? status : "pending",
    e2eId,
    settledAt: settledAt?.toISOString(),
  });
}
