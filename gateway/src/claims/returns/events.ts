import { Type } from "typebox";
import { STORY } from "../../http/examples.ts";
import { paid, paidOtherwise } from "../../webhooks/events/cause.ts";
import { defineEvent, type Sampling } from "../../webhooks/events/define.ts";
import { brl, common, is, metadata, reference, text, time, uuid } from "../../webhooks/events/fields.ts";

/** Both kinds of events about automatic returns have the same data; `reason` says why the money went back. */
const data = {
  returnId: uuid("Id of the return in `GET /returns`."),
  transactionId: uuid("The transaction of the charge that the payment was for."),
  ...common,
  amount: brl("What was received and is to go back"),
  returnedAmount: brl("What has gone back so far"),
  paymentMethod: is("pix", "How it was paid."),
  status: Type.Enum(["confirmed", "failed"], {
    type: "string",
    description:
      "`confirmed`: all of it is back with the payer. `failed`: the institution did not carry the return out; the operator decides, and the event with `confirmed` can follow.",
  }),
  reason: text("Why it was not credited, as in `GET /returns`. An open list."),
  paidAt: time("When the payer paid, as the PSP reports it."),
  e2eId: text("End-to-end id of the payment (E…)."),
  returnE2eId: Type.Optional(text("End-to-end id of its return (D…), where the institution has named it.")),
  settledAt: Type.Optional(time("When the return was settled; only where `confirmed`.")),
  failedAt: Type.Optional(time("When the return failed; only where `failed`.")),
  failureReason: Type.Optional(text("Why it failed, for people; only where `failed`.")),
  ...reference,
  ...metadata,
};

const sampleOf =
  (reason: string) =>
  ({ id, at, environment }: Sampling) => ({
    returnId: id("return"),
    transactionId: id("charge"),
    environment,
    currency: "BRL" as const,
    amount: STORY.amount,
    returnedAmount: STORY.amount,
    paymentMethod: "pix" as const,
    status: "confirmed" as const,
    reason,
    paidAt: at(),
    e2eId: STORY.e2eId,
    returnE2eId: STORY.returnE2eId,
    settledAt: at(),
    ...STORY.order,
  });

export const depositReturned = defineEvent({
  kind: "deposit_returned",
  summary: "The payment that an account policy refused is back with its payer, or its return failed.",
  since: "1.0",
  subject: "returnId",
  data,
  sample: sampleOf("amount_mismatch"),
  cause: paidOtherwise,
});

export const duplicatePaymentReturned = defineEvent({
  kind: "duplicate_payment_returned",
  summary: "A second payment of a completed charge is back with its payer, or its return failed.",
  since: "1.0",
  subject: "returnId",
  data,
  sample: sampleOf("second_payment"),
  cause: async (acts) => {
    const id = await paid(acts);
    await acts.pay(id);
    return id;
  },
});
