import { type TProperties, type TSchema, Type } from "typebox";
import { component, FreeObject } from "../../http/contract.ts";
import { ref } from "../../http/endpoint.ts";
import type { EventKind } from "./emit.ts";

/**
 * The bodies of the ten events, for the reference: what `emit` is given must fit them (gateway/test/contract/events).
 * Fields may be added; receivers ignore what they do not know.
 */
const uuid = (description: string) => Type.String({ format: "uuid", description });
const time = (description: string) => Type.String({ format: "date-time", description });
const text = (description: string) => Type.String({ description });
const brl = (description: string) => Type.Number({ minimum: 0, description: `${description}, BRL.` });
const is = <T extends string>(value: T, description: string) => Type.Literal(value, { description });

const common = {
  environment: Type.Enum(["production", "sandbox"], { type: "string", description: "Of the institution." }),
  currency: is("BRL", "Currency code."),
};
const reference = { externalReference: Type.Optional(text("As in the request.")) };
const metadata = {
  metadata: Type.Optional(FreeObject({ description: "As in the request." })),
};
const endToEnd = { e2eId: Type.Optional(text("PIX end-to-end id, 32 characters.")) };
const counterpart = (who: string) => ({
  counterpartName: Type.Optional(text(`Name of the ${who}, as the PSP tells it.`)),
  counterpartDocument: Type.Optional(text(`CPF or CNPJ of the ${who}, unmasked.`)),
});
const testMark = {
  test: Type.Optional(Type.Literal(true, { description: "Only in a test delivery: nothing has happened." })),
};

const payment = {
  transactionId: uuid("Id of the charge, which is the transaction's id."),
  ...common,
  paymentMethod: is("pix", "How it was to be paid."),
};
const late = {
  paidAfterExpiry: Type.Optional(Type.Boolean({ description: "Extension. True when it was paid late." })),
};

const SplitApplied = Type.Array(
  Type.Object(
    {
      subAccount: text("Reference of the sub-account that received it, or `principal`."),
      amount: brl("What it received"),
    },
    { description: "One part." },
  ),
  {
    maxItems: 10,
    description: "What was really distributed. Only when the charge was created with a split; empty when nothing was.",
  },
);

export const BlockedDeposit = component(
  "BlockedDeposit",
  Type.Object(
    {
      reason: text(
        "Why it was not credited: `cnpj_payer_not_allowed`, `unknown_payer_not_allowed`, `amount_mismatch`, `late_payment`. An open list.",
      ),
      refund: Type.Object(
        {
          status: Type.Enum(["pending", "confirmed", "failed"], {
            type: "string",
            description: "State of the automatic return.",
          }),
          e2eId: Type.Optional(text("Return id of the automatic return in the PIX network.")),
          settledAt: Type.Optional(time("When the return was settled.")),
        },
        { description: "The automatic return to the payer." },
      ),
    },
    { description: "A deposit that an account policy blocked: the amount was NOT credited." },
  ),
);

const withdrawal = {
  withdrawalId: uuid("Id of the withdrawal."),
  ...common,
  amount: brl("What left the wallet"),
  feeAmount: brl("Fee"),
  netAmount: brl("What the receiver got or was to get: amount minus feeAmount"),
  ...reference,
  ...endToEnd,
  ...counterpart("receiver"),
};

const block = {
  blockId: uuid("Id of the balance block."),
  ...common,
  amount: brl("Blocked amount"),
  blockType: Type.Enum(["med", "judicial", "administrative"], { type: "string", description: "Kind of block." }),
  createdAt: time("When it was created."),
  transactionId: Type.Optional(uuid("The payment it is about.")),
  referenceNumber: Type.Optional(text("Number of the case at the PSP or the court.")),
  reason: Type.Optional(text("Why the money is blocked.")),
  ...reference,
  ...endToEnd,
  respondBy: Type.Optional(time("Until when a defence can be sent.")),
};
const resolved = {
  ...block,
  resolutionReason: Type.Optional(text("Why it was resolved so.")),
  resolvedAt: Type.Optional(time("When it was resolved.")),
};

const EVENTS: Readonly<Record<EventKind, { meaning: string; eventId: string; data: TProperties }>> = {
  payment_completed: {
    meaning: "A charge was paid and credited.",
    eventId: "the transaction's id",
    data: {
      ...payment,
      amount: brl("What was paid"),
      feeAmount: brl("Fee"),
      netAmount: brl("amount minus feeAmount"),
      split: Type.Optional(SplitApplied),
      status: is("completed", "Status of the transaction."),
      completedAt: time("When the payer paid, as the PSP tells it."),
      ...reference,
      ...endToEnd,
      ...counterpart("payer"),
      ...metadata,
      ...late,
    },
  },
  payment_expired: {
    meaning: "A charge expired without a payment.",
    eventId: "`payment_expired_<transactionId>`",
    data: {
      ...payment,
      amount: brl("Amount of the charge"),
      feeAmount: Type.Literal(0, { description: "No fee, BRL." }),
      netAmount: Type.Literal(0, { description: "Nothing was credited, BRL." }),
      status: is("expired", "What became of it; `GET /transactions/{id}` says `cancelled`."),
      expiredAt: time("When it expired."),
      ...reference,
      ...metadata,
    },
  },
  payment_failed: {
    meaning: "A payment was received and refused by a policy of the account; it is returned automatically.",
    eventId: "`payment_failed_<transactionId>`",
    data: {
      ...payment,
      amount: brl("What was paid"),
      feeAmount: Type.Literal(0, { description: "No fee, BRL." }),
      netAmount: Type.Literal(0, { description: "Nothing was credited, BRL." }),
      status: is("failed", "Status of the transaction."),
      failedAt: time("When it was refused."),
      failureReason: text("Why, for people."),
      blockedDeposit: ref(BlockedDeposit),
      ...reference,
      ...endToEnd,
      ...counterpart("payer"),
      ...metadata,
      ...late,
    },
  },
  refund_completed: {
    meaning: "A refund reached the payer.",
    eventId: "the refund transaction's id",
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
  },
  withdrawal_completed: {
    meaning: "A withdrawal reached its receiver.",
    eventId: "the withdrawal's id",
    data: {
      ...withdrawal,
      status: is("completed", "Status of the withdrawal."),
      completedAt: time("When it was settled."),
    },
  },
  withdrawal_failed: {
    meaning: "A withdrawal failed; its whole amount is available again.",
    eventId: "`withdrawal_failed_<withdrawalId>`",
    data: {
      ...withdrawal,
      status: is("failed", "Status of the withdrawal."),
      failedAt: time("When it failed."),
      failureReason: text("Why, for people."),
      failureCode: text("Why, for machines, such as `holder_mismatch`. An open list."),
    },
  },
  withdrawal_reversed: {
    meaning: "A completed withdrawal came back whole.",
    eventId: "`withdrawal_reversed_<withdrawalId>`",
    data: {
      ...withdrawal,
      status: is("reversed", "Status of the withdrawal."),
      reversedAt: time("When it came back."),
      reversalTransactionId: uuid("Id of the transaction that credited it."),
      failureReason: text("Why, for people."),
    },
  },
  balance_block_created: {
    meaning: "Balance was blocked (MED, judicial or administrative).",
    eventId: "`balance_block_created_<blockId>`",
    data: { ...block, status: is("awaiting_response", "Status of the block.") },
  },
  balance_block_approved: {
    meaning: "A block was approved: its amount went back to the payer.",
    eventId: "`balance_block_approved_<blockId>`",
    data: { ...resolved, status: is("approved", "Status of the block.") },
  },
  balance_block_rejected: {
    meaning: "A block was rejected: its amount is available again.",
    eventId: "`balance_block_rejected_<blockId>`",
    data: { ...resolved, status: is("rejected", "Status of the block.") },
  },
};

/** `payment_completed` → `PaymentCompleted`. */
const nameOf = (kind: string): string => kind.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

const built = Object.entries(EVENTS).map(([kind, { meaning, eventId, data }]) => {
  const name = nameOf(kind);
  const Data = component(`${name}Data`, Type.Object({ ...data, ...testMark }, { description: `Data of \`${kind}\`.` }));
  const Event = component(
    `${name}Event`,
    Type.Object(
      {
        event: is(kind, "Kind of the event."),
        eventId: text(`Unique: ${eventId}. Redeliveries have the same, so receivers drop repeats by it.`),
        timestamp: time("When it happened."),
        subAccount: Type.Union([Type.String(), Type.Null()], {
          description: "Reference of the sub-account whose wallet it is about; null for the main account.",
        }),
        data: ref(Data),
      },
      { description: meaning },
    ),
  );
  return { kind, meaning, Event, Data };
});

/** All components of events. */
export const EVENT_COMPONENTS: readonly (TSchema & { $id: string })[] = [
  BlockedDeposit,
  ...built.flatMap(({ Event, Data }) => [Event, Data]),
];

/** What the reference says of each event. */
export const EVENT_WEBHOOKS: Readonly<Record<string, { readonly summary: string; readonly component: string }>> =
  Object.fromEntries(
    built.map(({ kind, meaning, Event }) => [kind, { summary: meaning.replace(/\.$/, ""), component: Event.$id }]),
  );
