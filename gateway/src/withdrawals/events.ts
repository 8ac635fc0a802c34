import { type Static, type TObject, Type } from "typebox";
import { STORY } from "../http/examples.ts";
import { type Acts, AMOUNT, NotCaused, paid } from "../webhooks/events/cause.ts";
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
/** The data of every event of a withdrawal. */
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

const KEY = "maria@example.com";

/** Makes a withdrawal, after a payment that gives the wallet the money for it. */
async function withdrawn(acts: Acts, pixKey: string): Promise<string> {
  await paid(acts, 2 * AMOUNT);
  return (await acts.withdraw(AMOUNT, pixKey)).id;
}

/**
 * Makes a withdrawal that comes back, `amount` BRL of it or all. With this key the simulator neither completes nor returns it;
 * the sandbox calls do.
 */
async function sentBack(acts: Acts, amount?: number): Promise<string> {
  const id = await withdrawn(acts, "manual@pixgate.test");
  await acts.settleWithdrawal(id, { outcome: "complete" });
  await acts.settleWithdrawal(id, { outcome: "reverse", ...(amount !== undefined && { amount }) });
  return id;
}

export const withdrawalAwaitingApproval = defineEvent({
  kind: "withdrawal_awaiting_approval",
  summary: "A withdrawal waits until another credential approves it; its whole amount is held.",
  since: "1.0",
  subject: "withdrawalId",
  data: {
    ...requested,
    amount: brl("What is to leave the wallet; held"),
    netAmount: brl("What the receiver is to get: amount minus feeAmount"),
    status: is("pending", "Status of the withdrawal."),
    pendingReason: is("awaiting_approval", "Why nothing of it has been sent."),
    createdAt: time("When it was requested."),
  },
  sample: (sampling) => ({
    ...sampleRequest(sampling),
    status: "pending",
    pendingReason: "awaiting_approval",
    createdAt: sampling.at(),
  }),
  cause: async (acts) => {
    await paid(acts, 2 * AMOUNT);
    const { id, pendingReason } = await acts.withdraw(AMOUNT, KEY);
    if (pendingReason === "awaiting_approval") return id;
    throw new NotCaused(
      `the account lets a withdrawal of ${AMOUNT} BRL leave without approval (${id} does): the operator sets payouts.approvalAbove below that first`,
    );
  },
});

export const withdrawalCompleted = defineEvent({
  kind: "withdrawal_completed",
  summary: "A withdrawal reached its receiver.",
  since: "1.0",
  subject: "withdrawalId",
  data: {
    ...withdrawal,
    status: is("completed", "Status of the withdrawal."),
    completedAt: time("When it was settled."),
  },
  sample: (sampling) => ({ ...sampleWithdrawal(sampling), status: "completed", completedAt: sampling.at() }),
  cause: (acts) => withdrawn(acts, KEY),
});

export const withdrawalFailed = defineEvent({
  kind: "withdrawal_failed",
  summary: "A withdrawal failed; its whole amount is available again.",
  since: "1.0",
  subject: "withdrawalId",
  data: {
    ...withdrawal,
    status: is("failed", "Status of the withdrawal."),
    failedAt: time("When it failed."),
    failureReason: text("Why, for people."),
    failureCode: text("Why, for machines, such as `holder_mismatch`. An open list."),
  },
  sample: (sampling) => ({
    ...sampleWithdrawal(sampling),
    status: "failed",
    failedAt: sampling.at(),
    failureReason: "The key does not belong to the holder.",
    failureCode: "holder_mismatch",
  }),
  cause: (acts) => withdrawn(acts, "fail@pixgate.test"),
});

export const withdrawalPartiallyReturned = defineEvent({
  kind: "withdrawal_partially_returned",
  summary: "A part of a completed withdrawal came back and is available.",
  since: "1.0",
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
  sample: (sampling) => ({
    ...sampleWithdrawal(sampling),
    returnTransactionId: sampling.id("refund"),
    status: "completed",
    returnAmount: 40,
    returnedAmount: 40,
    returnedAt: sampling.at(),
    returnE2eId: STORY.returnE2eId,
  }),
  cause: (acts) => sentBack(acts, 1),
});

export const withdrawalReversed = defineEvent({
  kind: "withdrawal_reversed",
  summary: "A completed withdrawal came back whole.",
  since: "1.0",
  subject: "withdrawalId",
  data: {
    ...withdrawal,
    status: is("reversed", "Status of the withdrawal."),
    reversedAt: time("When it came back."),
    reversalTransactionId: uuid("Id of the transaction that credited it."),
    failureReason: text("Why, for people."),
  },
  sample: (sampling) => ({
    ...sampleWithdrawal(sampling),
    status: "reversed",
    reversedAt: sampling.at(),
    reversalTransactionId: sampling.id("refund"),
    failureReason: "Returned by the receiver's bank",
  }),
  cause: (acts) => sentBack(acts),
});
