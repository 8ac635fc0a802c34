import { STORY } from "../../http/examples.ts";
import { defineEvent, type Sampling } from "../../webhooks/events/define.ts";
import { brl, common, endToEnd, is, metadata, reference, text, time, uuid } from "../../webhooks/events/fields.ts";

const refund = {
  refundTransactionId: uuid("Id of the refund's own transaction."),
  originalTransactionId: uuid("Id of the refunded payment."),
  ...common,
};

const sampleRefund = ({ id, environment }: Sampling) => ({
  refundTransactionId: id("refund"),
  originalTransactionId: id("charge"),
  environment,
  currency: "BRL" as const,
  amount: STORY.amount,
  feeAmount: 0.25,
  netAmount: STORY.amount,
  paymentMethod: "pix" as const,
  ...STORY.order,
});

export const refundCompleted = defineEvent("refund_completed", {
  subject: "refundTransactionId",
  data: {
    ...refund,
    amount: brl("What went back"),
    feeAmount: brl("Refund fee, debited beside it: the total cost is amount + feeAmount"),
    netAmount: brl("What the payer received, which is the amount"),
    paymentMethod: is("pix", "How it went back."),
    status: is("completed", "Status of the refund's transaction."),
    refundedAt: time("When it was settled."),
    ...endToEnd,
    ...reference,
    ...metadata,
  },
}).withSample((sampling) => ({
  ...sampleRefund(sampling),
  status: "completed",
  refundedAt: sampling.at(),
  e2eId: STORY.returnE2eId,
}));

export const refundFailed = defineEvent("refund_failed", {
  subject: "refundTransactionId",
  data: {
    ...refund,
    amount: brl("What was to go back; no longer held for the refund"),
    feeAmount: brl("Refund fee that was held beside it; no longer held"),
    netAmount: brl("What the payer was to receive, which is the amount"),
    paymentMethod: is("pix", "How it was to go back."),
    status: is("failed", "Status of the refund; `GET /transactions/{id}/refunds` says `ERROR`."),
    failedAt: time("When it failed."),
    failureReason: text("Why, for people."),
    ...reference,
    ...metadata,
  },
}).withSample((sampling) => ({
  ...sampleRefund(sampling),
  status: "failed",
  failedAt: sampling.at(),
  failureReason: "The institution refused the return.",
}));
