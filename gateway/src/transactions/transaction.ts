import { type Static, Type } from "typebox";
import type { Queries } from "../db/pool.ts";
import { prepared, sql } from "../db/sql.ts";
import { component, FreeObject, OPEN, ref } from "../http/contract.ts";
import { isUuid } from "../lib/ids.ts";
import { toBrl } from "../lib/money.ts";

export const BlockedDeposit = component(
  "BlockedDeposit",
  Type.Object(
    {
      reason: Type.String({
        description:
          "Why it was not credited: `cnpj_payer_not_allowed`, `unknown_payer_not_allowed`, `amount_mismatch`, `late_payment`. An open list.",
      }),
      refund: Type.Object(
        {
          status: Type.Enum(["pending", "confirmed", "failed"], {
            type: "string",
            description: "State of the automatic return.",
          }),
          e2eId: Type.Optional(Type.String({ description: "Return id of the automatic return in the PIX network." })),
          settledAt: Type.Optional(Type.String({ format: "date-time", description: "When the return was settled." })),
        },
        { description: "The automatic return to the payer." },
      ),
    },
    { description: "A deposit that an account policy blocked: the amount was NOT credited." },
  ),
);

export const Transaction = component(
  "Transaction",
  Type.Object(
    {
      id: Type.String({ format: "uuid", description: "Id of the transaction." }),
      status: Type.Enum(["pending", "completed", "failed", "cancelled"], { description: "Status of the transaction." }),
      type: Type.Enum(
        [
          "payment",
          "fee",
          "refund",
          "chargeback",
          "withdrawal",
          "adjustment",
          "referral_commission",
          "internal_transfer",
        ],
        { ...OPEN, description: "What kind of movement it is. `internal_transfer` does not travel over PIX." },
      ),
      direction: Type.Optional(
        Type.Enum(["in", "out"], { description: "Extension. Whether the money comes into the wallet or leaves it." }),
      ),
      paymentMethod: Type.Enum(["pix", "credit_card", "boleto"], { ...OPEN, description: "Always `pix` today." }),
      amount: Type.Number({ description: "Amount, BRL." }),
      currency: Type.Literal("BRL", { description: "Currency code." }),
      createdAt: Type.String({ format: "date-time", description: "When it was created." }),
      description: Type.Optional(Type.String({ description: "As in the request." })),
      externalReference: Type.Optional(Type.String({ description: "As in the request." })),
      customerId: Type.Optional(
        Type.String({ format: "uuid", description: "One id for each payer document of the account." }),
      ),
      projectId: Type.Optional(Type.String({ format: "uuid", description: "Project that tags it." })),
      metadata: Type.Optional(FreeObject({ description: "As in the request." })),
      pixCopyPaste: Type.Optional(Type.String({ description: "The code to pay with; only while pending." })),
      expiresAt: Type.Optional(
        Type.String({ format: "date-time", description: "When it expires; only while pending." }),
      ),
      paidAt: Type.Optional(
        Type.String({ format: "date-time", description: "When the payer paid, as the PSP tells it." }),
      ),
      e2eId: Type.Optional(Type.String({ description: "PIX end-to-end id, once the PSP has confirmed." })),
      counterpartName: Type.Optional(
        Type.String({ description: "Name of the payer (or recipient) as the PSP tells it." }),
      ),
      counterpartDocument: Type.Optional(Type.String({ description: "CPF or CNPJ of the counterpart, unmasked." })),
      failureReason: Type.Optional(Type.String({ description: "Why it failed; only when it did." })),
      withdrawalStatus: Type.Optional(
        Type.Enum(["pending", "processing", "completed", "failed", "reversed"], {
          description: "Extension. The exact status of a withdrawal.",
        }),
      ),
      cancellationReason: Type.Optional(
        Type.Enum(["expired", "requested"], { ...OPEN, description: "Extension. Why it was cancelled." }),
      ),
      paidAfterExpiry: Type.Optional(
        Type.Boolean({
          description: "Extension. True when it was paid late and credited; absent where a late payment was returned.",
        }),
      ),
      originalTransactionId: Type.Optional(
        Type.String({ format: "uuid", description: "Extension. The payment that a refund gives back." }),
      ),
      blockedDeposit: Type.Union([ref(BlockedDeposit), Type.Null()], {
        description: "What became of a deposit that an account policy blocked; null when there was none.",
      }),
      updatedAt: Type.String({ format: "date-time", description: "When it last changed." }),
    },
    { description: "Anything that moves, or is to move, a wallet's balance." },
  ),
);
export type Transaction = Static<typeof Transaction>;

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
  created_at: Date;
  updated_at: Date;
};

/**
 * Finds a transaction of a wallet by its id, or the newest with this external reference, or the newest with this
 * idempotency key, in that order (interface, GET /transactions/{id}).
 */
export async function findTransaction(
  queries: Queries,
  accountId: string,
  walletId: string,
  reference: string,
): Promise<Transaction | null> {
  if (isUuid(reference.toLowerCase())) {
    const { rows } = await queries.query<TransactionRow>(
      prepared(sql`
      select * from transactions
      where account_id = ${accountId} and transaction_id = ${reference.toLowerCase()} and wallet_id = ${walletId}`),
    );
    if (rows[0]) return toTransaction(rows[0]);
  }
  const byReference = await queries.query<TransactionRow>(
    prepared(sql`
    select * from transactions
    where account_id = ${accountId} and wallet_id = ${walletId} and external_reference = ${reference}
    order by transaction_id desc limit 1`),
  );
  if (byReference.rows[0]) return toTransaction(byReference.rows[0]);
  const byKey = await queries.query<TransactionRow>(
    prepared(sql`
    select * from transactions
    where account_id = ${accountId} and wallet_id = ${walletId} and idempotency_key = ${reference}
    order by transaction_id desc limit 1`),
  );
  return byKey.rows[0] ? toTransaction(byKey.rows[0]) : null;
}

export function toTransaction(row: TransactionRow): Transaction {
  const closed = row.status === "expired" || row.status === "cancelled";
  const pending = row.status === "pending";
  return {
    id: row.transaction_id,
    status: row.status === "expired" ? "cancelled" : row.status,
    type: row.type,
    direction: row.direction,
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
    ...(row.original_id === null ? {} : { originalTransactionId: row.original_id }),
    blockedDeposit: row.blocked_reason === null ? null : { reason: row.blocked_reason, refund: toRefund(row) },
    updatedAt: row.updated_at.toISOString(),
  };
}

/** The automatic return of a blocked deposit, to the end. */
function toRefund(row: TransactionRow): NonNullable<Transaction["blockedDeposit"]>["refund"] {
  const { return_status: status, return_e2e_id: e2eId, return_settled_at: settledAt } = row;
  return {
    status: status === "confirmed" || status === "failed" ? status : "pending",
    ...(e2eId === null ? {} : { e2eId }),
    ...(settledAt === null ? {} : { settledAt: settledAt.toISOString() }),
  };
}
