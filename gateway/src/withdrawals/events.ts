import { type Static, type TObject, Type } from "typebox";
import { STORY } from "../http/examples.ts";
import { defineEvent, type Sampling } from "../webhooks/events/define.ts";
import { brl, common, counterpart, endToEnd, is, reference, text, time, uuid } from "../webhooks/events/fields.ts";

const requested = {
  withdrawalId: uuid("Id of the withdrawal."),
  ...common,
  amount: brl("What left the wallet"),
  feeAmount: brl("Fee"),
  netAmount: brl("What the receiver got or was to get: amount minus feeAmount"),
  ...reference,
};

const withdrawal = {
  ...requested,
  ...endToEnd,
  ...counterpart("receiver"),
};
/** What every event of a withdrawal says. */
export type WithdrawalData = Static<TObject<typeof withdrawal>>;

const sampleRequest = ({ id, environment }: Sampling) => ({
  withdrawalId: id("withdrawal"),
  environment,
  currency: "BRL" as const,
  amount: 101,
  feeAmount: 1,
  netAmount: 100,
  externalReference: "payout-7",
});

const sampleWithdrawal = (sampling: Sampling) => ({
  ...sampleRequest(sampling),
  e2eId: STORY.e2eId,
  ...STORY.person,
});

export const withdrawalAwaitingApproval = defineEvent("withdrawal_awaiting_approval", {
  subject: "withdrawalId",
  data: {
    ...requested,
    amount: brl("What is to leave the wallet; held"),
    netAmount: brl("What the receiver is to get: amount minus feeAmount"),
    status: is("pending", "Status of the withdrawal."),
    pendingReason: is("awaiting_approval", "Why nothing of it has been sent."),
    createdAt: time("When it was requested."),
  },
}).withSample((sampling) => ({
  ...sampleRequest(sampling),
  status: "pending",
  pendingReason: "awaiting_approval",
  createdAt: sampling.at(),
}));

export const withdrawalCompleted = defineEvent("withdrawal_completed", {
  subject: "withdrawalId",
  data: {
    ...withdrawal,
    status: is("completed", "Status of the withdrawal."),
    completedAt: time("When it was settled."),
  },
}).withSample((sampling) => ({ ...sampleWithdrawal(sampling), status: "completed", completedAt: sampling.at() }));

export const withdrawalFailed = defineEvent("withdrawal_failed", {
  subject: "withdrawalId",
  data: {
    ...withdrawal,
    status: is("failed", "Status of the withdrawal."),
    failedAt: time("When it failed."),
    failureReason: text("Why, for people."),
    failureCode: text("Why, for machines, such as `holder_mismatch`. An open list."),
  },
}).withSample((sampling) => ({
  ...sampleWithdrawal(sampling),
  status: "failed",
  failedAt: sampling.at(),
  failureReason: "The key does not belong to the holder.",
  failureCode: "holder_mismatch",
}));

export const withdrawalPartiallyReturned = defineEvent("withdrawal_partially_returned", {
  subject: "returnTransactionId",
  data: {
    ...withdrawal,
    returnTransactionId: uuid("Id of the transaction that credited this part."),
    status: is("completed", "Status of the withdrawal; `reversed` comes with the part that makes the return whole."),
    returnAmount: brl("This part, credited"),
    returnedAmount: brl("The amount that was returned so far, including this part"),
    returnedAt: time("When it came back."),
    returnE2eId: Type.Optional(text("End-to-end id of the return (D…), where the institution has named it.")),
  },
}).withSample((sampling) => ({
  ...sampleWithdrawal(sampling),
  returnTransactionId: sampling.id("refund"),
  status: "completed",
  returnAmount: 40,
  returnedAmount: 40,
  returnedAt: sampling.at(),
  returnE2eId: STORY.returnE2eId,
}));

export const withdrawalReversed = defineEvent("withdrawal_reversed", {
  subject: "withdrawalId",
  data: {
    ...withdrawal,
    status: is("reversed", "Status of the withdrawal."),
    reversedAt: time("When it came back."),
    reversalTransactionId: uuid("Id of the transaction that credited it."),
    failureReason: text("Why, for people."),
  },
}).withSample((sampling) => ({
  ...sampleWithdrawal(sampling),
  status: "reversed",
  reversedAt: sampling.at(),
  reversalTransactionId: sampling.id("refund"),
  failureReason: "Returned by the receiver's bank",
}));
