import { STORY } from "../../http/examples.ts";
import { type Acts, AMOUNT, paid } from "../../webhooks/events/cause.ts";
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

/** A payment that is refunded; the fee of the refund comes on top of what goes back. */
async function refunded(acts: Acts, reason?: string): Promise<string> {
  await paid(acts, 2 * AMOUNT);
  const id = await paid(acts);
  await acts.refund(id, reason);
  return id;
}

export const refundCompleted = defineEvent({
  kind: "refund_completed",
  summary: "A refund reached the payer.",
  since: "1.0",
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
  sample: (sampling) => ({
    ...sampleRefund(sampling),
    status: "completed",
    refundedAt: sampling.at(),
    e2eId: STORY.returnE2eId,
  }),
  cause: (acts) => refunded(acts),
});

export const refundFailed = defineEvent({
  kind: "refund_failed",
  summary: "A refund was not carried out: its amount and fee are no longer held for it.",
  since: "1.0",
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
  sample: (sampling) => ({
    ...sampleRefund(sampling),
    status: "failed",
    failedAt: sampling.at(),
    failureReason: "The institution refused the return.",
  }),
  cause: async (acts) => {
    // The simulator does not end a refund with this reason; the sandbox call does.
    const id = await refunded(acts, "manual");
    await acts.settleRefund(id, { outcome: "fail" });
    return id;
  },
});
