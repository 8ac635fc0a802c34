import { STORY } from "../http/examples.ts";
import { defineEvent } from "../webhooks/events/define.ts";
import { brl, common, endToEnd, is, metadata, reference, time, uuid } from "../webhooks/events/fields.ts";

export const refundCompleted = defineEvent("refund_completed", {
  subject: "refundTransactionId",
  data: {
    refundTransactionId: uuid("Id of the refund's own transaction."),
    originalTransactionId: uuid("Id of the refunded payment."),
    ...common,
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
}).withSample(({ id, at, environment }) => ({
  refundTransactionId: id("refund"),
  originalTransactionId: id("charge"),
  environment,
  currency: "BRL",
  amount: STORY.amount,
  feeAmount: 0.25,
  netAmount: STORY.amount,
  paymentMethod: "pix",
  status: "completed",
  refundedAt: at(),
  e2eId: STORY.returnE2eId,
  ...STORY.order,
}));
