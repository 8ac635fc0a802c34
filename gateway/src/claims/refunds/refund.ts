import { type Static, Type } from "typebox";
import { AnswerObject, Brl, RequestObject } from "../../http/contract.ts";
import { pageOf } from "../../http/pages.ts";
import { toBrl } from "../../lib/money.ts";
import { present } from "../../lib/present.ts";
import { PUBLIC_REFUND_STATUS, type RefundRow } from "./row.ts";

export const RefundRequest = RequestObject("RefundRequest", "A payment to give back, whole or in part.", {
  amount: Type.Optional(
    Brl({
      minimum: 0.01,
      description:
        "Extension. What goes back, BRL, up to what is left of the payment. Left out: all that is left of it.",
    }),
  ),
  reason: Type.Optional(
    Type.String({ maxLength: 255, description: "Why. The PSP shows the payer the first 140 characters." }),
  ),
});

export const Refund = AnswerObject(
  "Refund",
  "A refund of a payment, whole or in part. It ends with `refund_completed`, or as `ERROR`.",
  {
    originalTransactionId: Type.String({ format: "uuid", description: "Id of the payment that is given back." }),
    refundTransactionId: Type.String({
      format: "uuid",
      description: "Extension. Id of the refund's own transaction, of type `refund`.",
    }),
    pspProvider: Type.String({ description: "The kind of PSP that carries it out." }),
    pspRefundTransactionId: Type.String({ description: "Id of the refund at the PSP." }),
    status: Type.Enum(["PENDING", "CONFIRMED", "ERROR"], {
      description: "`PENDING`: accepted and under way. `ERROR`: not carried out; another one may be asked for.",
    }),
    amount: Type.Number({ description: "Extension. What the payer receives, BRL." }),
    feeAmount: Type.Number({ description: "Extension. Refund fee, taken beside it when it is confirmed, BRL." }),
    currency: Type.Literal("BRL", { description: "Extension. Currency code." }),
    createdAt: Type.String({ format: "date-time", description: "Extension. When it was asked for." }),
    reason: Type.Optional(Type.String({ description: "Extension. As in the request." })),
    refundedAt: Type.Optional(Type.String({ format: "date-time", description: "Extension. When the PSP settled it." })),
    e2eId: Type.Optional(Type.String({ description: "Extension. Return id in the PIX network." })),
    failureReason: Type.Optional(Type.String({ description: "Extension. Why it was not carried out." })),
    externalReference: Type.Optional(
      Type.String({ description: "Extension. Reference of the payment, in `GET /refunds` alone." }),
    ),
    counterpartName: Type.Optional(
      Type.String({ description: "Extension. Name of who paid and gets it back, in `GET /refunds` alone." }),
    ),
    subAccount: Type.Optional(
      Type.String({ description: "Extension. Reference of its wallet, where a list covers all wallets." }),
    ),
  },
);
export type Refund = Static<typeof Refund>;

export const RefundPage = pageOf(Refund, "A page of refunds.");

/** A refund with columns of its return, its payment and its wallet. */
export type ListedRow = RefundRow & {
  readonly pspId: string;
  /** Reference of the payment. */
  readonly ofPayment: string | null;
  readonly payerName: string | null;
  readonly subAccount: string;
};

/** A refund as `GET /refunds` shows it, with data of its payment. */
export const toListedRefund = (
  { pspId, ofPayment, payerName, ...row }: Omit<ListedRow, "subAccount">,
  providers: ReadonlyMap<string, string>,
): Refund =>
  present({
    ...toRefund(row, { pspProvider: providers.get(row.institutionId) ?? "unknown", pspId }),
    externalReference: ofPayment,
    counterpartName: payerName,
  });

/** A refund as the API shows it. Without a fee if it was settled after it had failed. */
export function toRefund(row: RefundRow, at: { pspProvider: string; pspId: string }): Refund {
  return present({
    originalTransactionId: row.chargeId,
    refundTransactionId: row.refundId,
    pspProvider: at.pspProvider,
    pspRefundTransactionId: at.pspId,
    status: PUBLIC_REFUND_STATUS[row.status],
    amount: toBrl(row.amount),
    feeAmount: toBrl(row.late ? 0 : row.feeAmount),
    currency: "BRL",
    createdAt: row.createdAt.toISOString(),
    reason: row.reason,
    refundedAt: row.refundedAt?.toISOString(),
    e2eId: row.rtrId,
    failureReason: row.failureReason,
  });
}
