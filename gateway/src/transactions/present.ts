import { toBrl } from "../lib/money.ts";
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
  const closed = row.status === "expired" || row.status === "cancelled";
  const pending = row.status === "pending";
  return {
    id: row.transaction_id,
    status: row.status === "expired" ? "cancelled" : row.status,
    type: row.type,
    direction: row.direction,
    ...(row.sub_account === undefined ? {} : { subAccount: row.sub_account }),
    paymentMethod: "pix",
    amount: toBrl(row.amount),
    currency: "BRL",
    createdAt: row.created_at.toISOString(),
    ...(row.description === null ? {} : { description: row.description }),
    ...(row.external_reference === null ? {} : { externalReference: row.external_reference }),
    ...(row.customer_id === null ? {} : { customerId: row.customer_id }),
    ...(row.project_id === null ? {} : { projectId: row.project_id }),
    ...(row.metadata === null ? {} : { metadata: row.metadata }),
    ...(pending && row.pix_copy_paste !== null ? { pixCopyPaste: row.pix_copy_paste } : {}),
    ...(pending && row.expires_at !== null ? { expiresAt: row.expires_at.toISOString() } : {}),
    ...(row.paid_at === null ? {} : { paidAt: row.paid_at.toISOString() }),
    ...(row.e2e_id === null ? {} : { e2eId: row.e2e_id }),
    ...(row.counterpart_name === null ? {} : { counterpartName: row.counterpart_name }),
    ...(row.counterpart_document === null ? {} : { counterpartDocument: row.counterpart_document }),
    ...(row.failure_reason === null ? {} : { failureReason: row.failure_reason }),
    ...(row.withdrawal_status == null ? {} : { withdrawalStatus: row.withdrawal_status }),
    ...(closed ? { cancellationReason: row.status === "expired" ? ("expired" as const) : ("requested" as const) } : {}),
    ...(row.paid_after_expiry ? { paidAfterExpiry: true } : {}),
    ...whatBecameOf(row),
    ...belonging(row),
    blockedDeposit: row.blocked_reason === null ? null : { reason: row.blocked_reason, refund: toRefund(row) },
    updatedAt: row.updated_at.toISOString(),
  };
}

/** What it cost and brought, and what has happened to it since. */
function whatBecameOf(row: TransactionRow): Partial<Transaction> {
  const paid = row.type === "payment" && (row.status === "completed" || row.status === "failed");
  const given = row.applied_split?.map((amount, leg) => ({
    subAccount: row.split![leg]!.reference,
    amount: toBrl(amount),
  }));
  return {
    ...(row.fee_amount === null ? {} : { feeAmount: toBrl(row.fee_amount) }),
    ...(row.net_amount === null ? {} : { netAmount: toBrl(row.net_amount) }),
    ...(row.txid === null ? {} : { txid: row.txid }),
    ...(row.institution === null ? {} : { institution: row.institution }),
    ...(given === undefined ? {} : { split: given.filter(({ amount }) => amount > 0) }),
    ...(row.refund === null ? {} : { refund: { ...row.refund, amount: toBrl(row.refund.amount) } }),
    ...(paid && row.status === "completed" ? { disputedAmount: toBrl(row.disputed_amount ?? 0) } : {}),
    ...(paid || row.type === "withdrawal" ? { returnedAmount: toBrl(row.returned_amount ?? 0) } : {}),
  };
}

/** The objects that it belongs to. */
const belonging = (row: TransactionRow): Partial<Transaction> => ({
  ...(row.original_id === null ? {} : { originalTransactionId: row.original_id }),
  ...(row.refund_id === null ? {} : { refundTransactionId: row.refund_id }),
  ...(row.block_id === null ? {} : { blockId: row.block_id }),
  ...(row.withdrawal_id === null ? {} : { withdrawalId: row.withdrawal_id }),
  ...(row.transfer_id === null ? {} : { transferId: row.transfer_id }),
});

/** The automatic return of a blocked deposit, to the end. */
function toRefund(row: TransactionRow): NonNullable<Transaction["blockedDeposit"]>["refund"] {
  const { return_status: status, return_e2e_id: e2eId, return_settled_at: settledAt } = row;
  return {
    status: status === "confirmed" || status === "failed" ? status : "pending",
    ...(e2eId === null ? {} : { e2eId }),
    ...(settledAt === null ? {} : { settledAt: settledAt.toISOString() }),
  };
}
