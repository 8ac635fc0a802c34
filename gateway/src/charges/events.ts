import { Type } from "typebox";
import { AmountComponents } from "../http/amount-components.ts";
import { AnswerPart, ref } from "../http/contract.ts";
import { STORY } from "../http/examples.ts";
import { FiscalFields } from "../transactions/invoices/invoice.ts";
import { BlockedDeposit } from "../transactions/transaction.ts";
import { charged, paid, paidOtherwise } from "../webhooks/events/cause.ts";
import { defineEvent, type Sampling } from "../webhooks/events/define.ts";
import {
  brl,
  common,
  counterpart,
  endToEnd,
  is,
  metadata,
  reference,
  text,
  time,
  uuid,
} from "../webhooks/events/fields.ts";

const payment = {
  transactionId: uuid("Id of the charge, which is the transaction's id."),
  ...common,
  paymentMethod: is("pix", "How it was to be paid."),
  qrCodeId: Type.Optional(uuid("Extension. The code that stays (`/qr-codes`) by which it was paid.")),
};
const nothing = {
  feeAmount: is(0, "No fee, BRL."),
  netAmount: is(0, "Nothing was credited, BRL."),
};
const madeBy = {
  paymentLinkId: Type.Optional(uuid("Extension. The payment link that made the charge.")),
};
const late = {
  paidAfterExpiry: Type.Optional(Type.Boolean({ description: "Extension. True when it was paid late and credited." })),
};

const SplitApplied = Type.Array(
  AnswerPart("One part.", {
    subAccount: text("Reference of the sub-account that received it, or `principal`."),
    amount: brl("What it received"),
  }),
  {
    maxItems: 10,
    description: "What was really distributed. Only when the charge was created with a split; empty when nothing was.",
  },
);

const samplePayment = ({ id, environment }: Sampling) => ({
  transactionId: id("charge"),
  environment,
  currency: "BRL" as const,
  paymentMethod: "pix" as const,
  amount: STORY.amount,
  ...STORY.order,
});

const sampleSplit = [{ subAccount: "loja-a", amount: 5 }];

export const paymentCompleted = defineEvent({
  kind: "payment_completed",
  summary: "A charge was paid and credited.",
  since: "1.0",
  subject: "transactionId",
  data: {
    ...payment,
    amount: brl("What was paid"),
    feeAmount: brl("Fee"),
    netAmount: brl("amount minus feeAmount and withheldAmount"),
    withheldAmount: Type.Optional(
      Type.Number({
        description: "Extension. What the institution kept back of the payment as tax, BRL; only where it did.",
      }),
    ),
    split: Type.Optional(SplitApplied),
    status: is("completed", "Status of the transaction."),
    completedAt: time("When the payer paid, as the PSP reports it."),
    chargedAmount: Type.Optional(
      Type.Number({ description: "Extension. What was asked, BRL; only of a charge with a due date." }),
    ),
    components: Type.Optional(ref(AmountComponents)),
    fiscal: ref(FiscalFields),
    ...reference,
    ...madeBy,
    ...endToEnd,
    ...counterpart("payer"),
    ...metadata,
    ...late,
  },
  sample: (sampling) => ({
    ...samplePayment(sampling),
    feeAmount: 0.5,
    netAmount: 25.4,
    split: sampleSplit,
    fiscal: { tPag: "17" },
    status: "completed",
    completedAt: sampling.at(),
    e2eId: STORY.e2eId,
    ...STORY.person,
  }),
  cause: (acts) => paid(acts),
});

export const paymentExpired = defineEvent({
  kind: "payment_expired",
  summary: "A charge expired without a payment.",
  since: "1.0",
  subject: "transactionId",
  data: {
    ...payment,
    amount: brl("Amount of the charge"),
    ...nothing,
    status: is("expired", "The charge's new status; `GET /transactions/{id}` shows it as `cancelled`."),
    expiredAt: time("When it expired."),
    ...reference,
    ...madeBy,
    ...metadata,
  },
  sample: (sampling) => ({
    ...samplePayment(sampling),
    feeAmount: 0,
    netAmount: 0,
    status: "expired",
    expiredAt: sampling.at(),
  }),
  cause: async (acts) => {
    const id = await charged(acts);
    await acts.expire(id);
    return id;
  },
});

export const paymentFailed = defineEvent({
  kind: "payment_failed",
  summary: "A payment was received and refused by a policy of the account; it is returned automatically.",
  since: "1.0",
  subject: "transactionId",
  data: {
    ...payment,
    amount: brl("What was paid"),
    ...nothing,
    status: is("failed", "Status of the transaction."),
    failedAt: time("When it was refused."),
    failureReason: text("Why, for people."),
    blockedDeposit: ref(BlockedDeposit),
    ...reference,
    ...madeBy,
    ...endToEnd,
    ...counterpart("payer"),
    ...metadata,
  },
  sample: (sampling) => ({
    ...samplePayment(sampling),
    feeAmount: 0,
    netAmount: 0,
    status: "failed",
    failedAt: sampling.at(),
    failureReason: "The account does not accept payers with a CNPJ.",
    blockedDeposit: { reason: "cnpj_payer_not_allowed", refund: { status: "pending" } },
    e2eId: STORY.e2eId,
    ...STORY.company,
  }),
  cause: paidOtherwise,
});
