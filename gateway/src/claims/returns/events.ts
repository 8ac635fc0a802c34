import { Type } from "typebox";
import { STORY } from "../../http/examples.ts";
import type { EventKind } from "../../webhooks/events/catalogue.ts";
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

const define = <Kind extends EventKind>(kind: Kind, reason: string) =>
  defineEvent(kind, { subject: "returnId", data }).withSample(({ id, at, environment }: Sampling) => ({
    returnId: id("return"),
    transactionId: id("charge"),
    environment,
    currency: "BRL",
    amount: STORY.amount,
    returnedAmount: STORY.amount,
    paymentMethod: "pix",
    status: "confirmed",
    reason,
    paidAt: at(),
    e2eId: STORY.e2eId,
    returnE2eId: STORY.returnE2eId,
    settledAt: at(),
    ...STORY.order,
  }));

export const depositReturned = define("deposit_returned", "amount_mismatch");
export const duplicatePaymentReturned = define("duplicate_payment_returned", "second_payment");
