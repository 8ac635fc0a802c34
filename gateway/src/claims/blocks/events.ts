import { type Static, type TObject, Type } from "typebox";
import { OPEN } from "../../http/contract.ts";
import { STORY } from "../../http/examples.ts";
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
/** What an event says of a block, but for its status. */
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

export const balanceBlockCreated = defineEvent("balance_block_created", {
  subject: "blockId",
  data: { ...block, status: is("awaiting_response", "Status of the block.") },
}).withSample((sampling) => ({ ...sampleBlock(sampling), status: "awaiting_response" }));

export const balanceBlockApproved = defineEvent("balance_block_approved", {
  subject: "blockId",
  data: { ...resolved, status: is("approved", "Status of the block.") },
}).withSample((sampling) => ({
  ...sampleBlock(sampling),
  status: "approved",
  resolutionReason: "accepted",
  resolutionText: "Fraud confirmed",
  resolvedAt: sampling.at(7),
}));

export const balanceBlockRejected = defineEvent("balance_block_rejected", {
  subject: "blockId",
  data: { ...resolved, status: is("rejected", "Status of the block.") },
}).withSample((sampling) => ({
  ...sampleBlock(sampling),
  status: "rejected",
  resolutionReason: "defended",
  resolutionText: "Goods delivered",
  resolvedAt: sampling.at(7),
}));
