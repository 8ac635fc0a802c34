import { type Static, type TObject, Type } from "typebox";
import { OPEN } from "../../http/contract.ts";
import { STORY } from "../../http/examples.ts";
import { AMOUNT, type Cause, paid } from "../../webhooks/events/cause.ts";
import { defineEvent, type Sampling } from "../../webhooks/events/define.ts";
import { brl, common, endToEnd, is, reference, text, time, uuid } from "../../webhooks/events/fields.ts";
import { BLOCK_TYPES, RESOLUTION_REASONS } from "./row.ts";

const block = {
  blockId: uuid("Id of the balance block."),
  ...common,
  amount: brl("Blocked amount"),
  blockType: Type.Enum([...BLOCK_TYPES], { ...OPEN, type: "string", description: "Kind of block." }),
  createdAt: time("When it was created."),
  transactionId: Type.Optional(uuid("The payment it is about.")),
  referenceNumber: Type.Optional(text("Number of the case at the PSP or the court.")),
  reason: Type.Optional(text("Why the money is blocked.")),
  ...reference,
  ...endToEnd,
  respondBy: Type.Optional(time("Until when a defence can be sent.")),
  heldUntil: Type.Optional(time("Until when the institution holds a precautionary block at the latest.")),
};
const resolved = {
  ...block,
  resolutionReason: Type.Optional(
    Type.Enum([...RESOLUTION_REASONS], {
      type: "string",
      description:
        "Why it was resolved so. `refunded`: a refund of the payment has taken over what the block held, so that it is not available.",
    }),
  ),
  resolutionText: Type.Optional(text("The institution's or the operator's own words.")),
  resolvedAt: Type.Optional(time("When it was resolved.")),
};
/** The data of a block's event, without the status. */
export type BlockData = Static<TObject<typeof resolved>>;

const sampleBlock = ({ id, at, environment }: Sampling) => ({
  blockId: id("block"),
  environment,
  currency: "BRL" as const,
  amount: STORY.amount,
  blockType: "med" as const,
  createdAt: at(),
  transactionId: id("charge"),
  referenceNumber: "MED-2025-000123",
  reason: "Fraud reported by the payer's bank",
  externalReference: STORY.order.externalReference,
  e2eId: STORY.e2eId,
  respondBy: at(7),
});

const contested: Cause = async (acts) => acts.contest(await paid(acts));
const resolvedAs =
  (outcome: "approved" | "rejected"): Cause =>
  async (acts) => {
    const id = await contested(acts);
    await acts.resolveContest(id, { outcome });
    return id;
  };

export const balanceBlockCreated = defineEvent({
  kind: "balance_block_created",
  summary: "Balance was blocked (MED, judicial, administrative or precautionary).",
  since: "1.0",
  subject: "blockId",
  data: { ...block, status: is("awaiting_response", "Status of the block.") },
  sample: (sampling) => ({ ...sampleBlock(sampling), status: "awaiting_response" }),
  cause: contested,
});

const changed: Cause = async (acts) => {
  const id = await contested(acts);
  await acts.changeContest(id, { amount: AMOUNT / 2 });
  return id;
};

export const balanceBlockChanged = defineEvent({
  kind: "balance_block_changed",
  summary:
    "The institution contests more or less by now, and a block holds more or less of the payment; or what it held by itself is a dispute by now.",
  since: "1.0",
  subject: "blockId",
  idField: "changeId",
  data: {
    ...block,
    changeId: uuid("Id of the change: a block may change several times."),
    status: Type.Enum(["awaiting_response", "defended"], { type: "string", description: "Status of the block." }),
    previousAmount: brl("Blocked amount before"),
    changedAt: time("When it was changed."),
  },
  sample: (sampling) => ({
    ...sampleBlock(sampling),
    changeId: sampling.id("return"),
    status: "awaiting_response",
    amount: STORY.amount / 2,
    previousAmount: STORY.amount,
    changedAt: sampling.at(1),
  }),
  cause: changed,
});

export const balanceBlockApproved = defineEvent({
  kind: "balance_block_approved",
  summary: "A block was approved: what it holds goes back to the payer, or where the order says.",
  since: "1.0",
  subject: "blockId",
  data: { ...resolved, status: is("approved", "Status of the block.") },
  sample: (sampling) => ({
    ...sampleBlock(sampling),
    status: "approved",
    resolutionReason: "accepted",
    resolutionText: "Fraud confirmed",
    resolvedAt: sampling.at(7),
  }),
  cause: resolvedAs("approved"),
});

export const balanceBlockRejected = defineEvent({
  kind: "balance_block_rejected",
  summary:
    "A block was rejected: what it still held is available again, unless a refund of the payment has taken it over.",
  since: "1.0",
  subject: "blockId",
  data: { ...resolved, status: is("rejected", "Status of the block.") },
  sample: (sampling) => ({
    ...sampleBlock(sampling),
    status: "rejected",
    resolutionReason: "defended",
    resolutionText: "Goods delivered",
    resolvedAt: sampling.at(7),
  }),
  cause: resolvedAs("rejected"),
});
