import { type Static, Type } from "typebox";
import { AnswerObject, AnswerPart, OPEN, RequestObject, ref, Words } from "../../http/contract.ts";
import { NextCursor } from "../../http/whole-list.ts";
import { toBrl } from "../../lib/money.ts";
import { present } from "../../lib/present.ts";
import { BLOCK_STATUSES, BLOCK_TYPES, type Block, RESOLUTION_REASONS } from "./row.ts";

const text = (description: string) => Type.Optional(Type.String({ description }));
const time = (description: string) => Type.Optional(Type.String({ format: "date-time", description }));

export const BalanceBlock = AnswerObject(
  "BalanceBlock",
  "Money of a wallet that is set aside for a dispute or an order.",
  {
    id: Type.String({ format: "uuid", description: "Id of the block." }),
    subAccount: text("Extension. In lists over all wallets: reference of its wallet, or `principal`."),
    amount: Type.Number({ description: "Blocked amount, BRL." }),
    status: Type.Enum([...BLOCK_STATUSES], {
      description:
        "`awaiting_response` and `defended`: the amount is held. `approved`: what the institution returns goes back to the payer, and the rest is available again; where it refuses the case after all and has returned nothing, the block becomes `rejected`. `rejected`: what it still held is available again, or a refund took it over.",
    }),
    blockType: Type.Enum([...BLOCK_TYPES], {
      ...OPEN,
      description:
        "MED (a contested payment), an order, or `precautionary`: the institution holds the payment while it looks at it, for up to 72 hours.",
    }),
    createdAt: Type.String({ format: "date-time", description: "When it was created." }),
    transactionId: Type.Optional(Type.String({ format: "uuid", description: "The payment that it is about." })),
    referenceNumber: text("Number of the case at the PSP or the court."),
    reason: text("Why the money is blocked."),
    externalReference: text("Of the payment, as in its request."),
    payerName: text(
      "Extension. In lists of a wallet, for who may read its transactions: name of the payer, as the institution reports it.",
    ),
    e2eId: text("PIX end-to-end id of the payment."),
    resolutionReason: Type.Optional(
      Type.Enum([...RESOLUTION_REASONS], {
        ...OPEN,
        description:
          "Why it was resolved so: `refunded` (a refund took over what it held), `returned` (the institution had returned all of it), `accepted`, `defended` or `withdrawn` (how the case ended), `expired`, `order_lifted`, `other`.",
      }),
    ),
    resolutionText: text("Extension. The institution's or the operator's own words."),
    takenAmount: Type.Optional(
      Type.Number({
        description:
          "Extension. What of it has left for the payer, BRL; there once something has, and when it is approved.",
      }),
    ),
    amountChanges: Type.Optional(
      Type.Array(
        AnswerPart("A change of the blocked amount.", {
          previousAmount: Type.Number({ description: "Blocked amount before, BRL." }),
          amount: Type.Number({ description: "Blocked amount from then on, BRL." }),
          changedAt: Type.String({ format: "date-time", description: "When it was changed." }),
        }),
        {
          description:
            "Extension. How the institution has changed what it contests, the oldest first; left out where it has not. Each was a `balance_block_changed`.",
        },
      ),
    ),
    resolvedAt: time("When it was resolved."),
    respondBy: time("Extension. Until when a defence can be sent."),
    heldUntil: time("Extension. Until when the institution holds a precautionary block at the latest."),
    defense: text("Extension. The defence that was sent."),
    defenseStatus: Type.Optional(
      Type.Enum(["pending", "sent", "refused"], {
        ...OPEN,
        description: "Extension. Whether the PSP has the defence; only of a case at a PSP.",
      }),
    ),
  },
);
export type BalanceBlock = Static<typeof BalanceBlock>;

export const BalanceBlockList = AnswerObject("BalanceBlockList", "The balance blocks of a wallet.", {
  items: Type.Array(ref(BalanceBlock), { description: "The wallet's blocks, newest first." }),
  total: Type.Integer({ description: "How many there are, on all pages." }),
  nextCursor: NextCursor,
});

export const DefenseRequest = RequestObject("DefenseRequest", "A defence against a block.", {
  text: Words({ maxLength: 4000, description: "Why the payment is legitimate." }),
});

export function toBalanceBlock(block: Block): BalanceBlock {
  return present({
    id: block.blockId,
    amount: toBrl(block.amount),
    status: block.status,
    blockType: block.blockType,
    createdAt: block.createdAt.toISOString(),
    transactionId: block.chargeId,
    referenceNumber: block.referenceNumber,
    reason: block.reason,
    externalReference: block.externalReference,
    e2eId: block.e2eId,
    resolutionReason: block.resolutionReason,
    resolutionText: block.resolutionText,
    resolvedAt: block.resolvedAt?.toISOString(),
    takenAmount: block.takenAmount > 0 || block.status === "approved" ? toBrl(block.takenAmount) : null,
    respondBy: block.respondBy?.toISOString(),
    heldUntil: block.heldUntil?.toISOString(),
    defense: block.defence,
    defenseStatus: block.defenceStatus,
    amountChanges: changesOf(block),
  });
}

/** Each change with the block's amount before and after it, computed backwards from the present amount. */
function changesOf({ amount, amountChanges }: Block): BalanceBlock["amountChanges"] | null {
  let after = amount;
  const newestFirst = (amountChanges ?? []).toReversed().map(({ by, at }) => {
    const change = { previousAmount: toBrl(after - by), amount: toBrl(after), changedAt: at };
    after -= by;
    return change;
  });
  return newestFirst.length === 0 ? null : newestFirst.reverse();
}
