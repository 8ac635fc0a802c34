import { bigint, instant, int, json, nullable, oneOf, table, text, uuid } from "../../db/columns.ts";
import { laneTable, type RowIn } from "../../ledger/lane-table.ts";

/**
 * The life of a balance block: money of a wallet that is set aside for a dispute (MED) or an order.
 * - `awaiting_response`: held; the merchant may send a defence.
 * - `defended`: held; the merchant has sent one.
 * - `approved`: the dispute was accepted, or the order carried out. For a case at an institution, money is taken only
 *   when the institution shows its return; until then the block still holds it.
 * - `rejected`: the hold was released, or a refund took it over. Final.
 */
export const BLOCK_STATUSES = ["awaiting_response", "defended", "approved", "rejected"] as const;
export type BlockStatus = (typeof BLOCK_STATUSES)[number];

/** Every change of status there is, with what causes it. */
export const BLOCK_EDGES: readonly { from: BlockStatus; to: BlockStatus; on: string }[] = [
  { from: "awaiting_response", to: "defended", on: "the merchant sends a defence, or the PSP shows one" },
  { from: "awaiting_response", to: "approved", on: "the case is accepted, or the PSP returns the whole amount itself" },
  {
    from: "awaiting_response",
    to: "rejected",
    on: "the case is refused or withdrawn, or a refund takes over the hold",
  },
  { from: "defended", to: "approved", on: "the case is accepted, or the PSP returns the whole amount itself" },
  { from: "defended", to: "rejected", on: "the case is refused or withdrawn, or a refund takes over the hold" },
  { from: "approved", to: "rejected", on: "the institution refuses the case after all, and has returned nothing" },
];

/** The types of block that an operator makes: an order, or a dispute that is in no institution's list. */
export const ORDERED_TYPES = ["med", "judicial", "administrative"] as const;
/** `precautionary`: the institution itself holds a received Pix while it examines it. */
export const BLOCK_TYPES = [...ORDERED_TYPES, "precautionary"] as const;
export type BlockType = (typeof BLOCK_TYPES)[number];

/** Whether the PSP has the defence. `pending` is stored before it is sent; null: no defence goes to the PSP. */
const DEFENCE_STATUSES = ["pending", "sent", "refused"] as const;

/** Why a block was closed (contract, section 7). The institution's own text is stored beside it. */
export const RESOLUTION_REASONS = [
  "refunded", "returned", "accepted", "defended", "withdrawn", "expired", "order_lifted", "other",
] as const; // biome-ignore format: a list
export type ResolutionReason = (typeof RESOLUTION_REASONS)[number];

/** A case's state in its institution's list. */
const CASE_STATUSES = ["open", "in_defence", "accepted", "rejected", "cancelled", "unrecognised"] as const;

/** Columns that are empty in a new block. */
const NOTHING_YET = [
  "defence", "defenceStatus", "defenceNextAt", "refundId", "resolutionReason", "resolutionText", "resolvedAt",
  "returnNextAt", "returnMissingSince", "amountChanges",
] as const; // biome-ignore format: a list
/** How much of its amount is held, taken and given back, and how much its case added. */
const SUMS = ["heldAmount", "takenAmount", "givenBackAmount", "adoptedAmount"] as const;
/** What an institution's list shows of its case. Empty in a block that a return opened before the list showed the case. */
const OF_CASE = ["caseId", "caseStatus", "caseAmount", "referenceNumber", "reason", "respondBy", "heldUntil"] as const;

/** A change of a block's amount, because the amount of its case has changed. */
type AmountChange = {
  /** Id of its event. */
  readonly id: string;
  /** Centavos: more that is held, or (negative) less. */
  readonly by: number;
  readonly at: string;
};

/** The commands that change blocks. */
const BLOCK_WRITERS = [
  "apply MED case", "defend block", "resolve block", "request refund", "finish return", "book PSP return",
  "settle block", "end hold", "give back block",
] as const; // biome-ignore format: a list

/**
 * Blocks by their own id. A block of a payment is also read with its Pix (claims/pix.ts), and written as part of both.
 * Locked, because the loop stores outside the lanes whether a defence was sent.
 */
export const blocksTable = laneTable(
  table({
    name: "balance_blocks",
    key: ["accountId", "blockId"],
    columns: {
      accountId: uuid,
      blockId: uuid,
      walletId: uuid,
      blockType: oneOf(BLOCK_TYPES),
      status: oneOf(BLOCK_STATUSES),
      /** Centavos. */
      amount: bigint,
      /** Centavos that the wallet still holds, and centavos that have left for the payer. The rest was released. */
      heldAmount: bigint,
      takenAmount: bigint,
      /** Centavos that operators booked as gone and later gave back to the wallet. */
      givenBackAmount: bigint,
      /** Centavos that its case added, where the return that opened the block was smaller than the case. */
      adoptedAmount: bigint,
      institutionId: uuid,
      environment: oneOf(["production", "sandbox"]),
      /** The payment that it is about; null: no particular one. */
      chargeId: nullable(uuid),
      e2eId: nullable(text),
      externalReference: nullable(text),
      /** Id of the case at the PSP; null: the operator made the block, or the PSP has not listed the case yet. */
      caseId: nullable(text),
      /** The PSP's return that opened it before its case was listed; null: it was not opened by a return. */
      pspReturnId: nullable(uuid),
      /** The status that the PSP last showed. A closed case that is open again gets another block. */
      caseStatus: nullable(oneOf(CASE_STATUSES)),
      referenceNumber: nullable(text),
      reason: nullable(text),
      respondBy: nullable(instant),
      defence: nullable(text),
      defenceStatus: nullable(oneOf(DEFENCE_STATUSES)),
      /** When the loop sends the defence next; null when the PSP has it. */
      defenceNextAt: nullable(instant),
      /** How often the loop sent it. */
      defenceAttempts: int,
      /** The refund that took over its hold. */
      refundId: nullable(uuid),
      resolutionReason: nullable(oneOf(RESOLUTION_REASONS)),
      /** Text of the PSP or of the operator. */
      resolutionText: nullable(text),
      resolvedAt: nullable(instant),
      /** When the PSP is next queried for the return of an accepted case; null: it was shown, or none is expected. */
      returnNextAt: nullable(instant),
      returnAttempts: int,
      /** Since when the return is overdue and an operators' case about it is open. */
      returnMissingSince: nullable(instant),
      createdAt: instant,
      updatedAt: instant,
      /** Centavos that the PSP last showed as contested by the whole case; null: no case, or one of an earlier version. */
      caseAmount: nullable(bigint),
      /** The changes of its amount that followed those of its case, oldest first; null: none. */
      amountChanges: nullable(json<readonly AmountChange[]>()),
      /** Until when the institution holds a precautionary block at the latest; null: it does not say, or another kind. */
      heldUntil: nullable(instant),
    },
    groups: {
      state: {
        by: BLOCK_WRITERS,
        columns: [...NOTHING_YET, ...SUMS, ...OF_CASE, "blockType", "amount", "status", "updatedAt"],
      },
    },
  }),
  { order: 240, load: "locked", inserts: true, without: ["defenceAttempts", "returnAttempts"] },
);

/** A balance block as money commands see it. */
export type Block = RowIn<typeof blocksTable>;

/** The blocks of Pix, for money commands, oldest first. */
export const loadBlocks = blocksTable.reader({ fields: blocksTable.fields, by: ["accountId", "e2eId"], lock: true });

/** The facts of a block that never change. */
export type BlockFacts = Omit<
  Block,
  (typeof NOTHING_YET)[number] | (typeof SUMS)[number] | "status" | "createdAt" | "updatedAt"
>;

/** A new block; nothing has happened to it yet. */
export const newBlock = (facts: BlockFacts, now: Date): Block => ({
  ...facts,
  status: "awaiting_response",
  heldAmount: facts.amount,
  takenAmount: 0,
  givenBackAmount: 0,
  adoptedAmount: 0,
  defence: null,
  defenceStatus: null,
  defenceNextAt: null,
  refundId: null,
  resolutionReason: null,
  resolutionText: null,
  resolvedAt: null,
  returnNextAt: null,
  returnMissingSince: null,
  amountChanges: null,
  createdAt: now,
  updatedAt: now,
});

/** Whether a court or an authority has ordered the block. Institutions neither open nor end such blocks. */
export const isOrder = ({ blockType }: Pick<Block, "blockType">): boolean =>
  blockType === "judicial" || blockType === "administrative";

/** True until it is decided. */
export const isOpen = ({ status }: Pick<Block, "status">): boolean =>
  status === "awaiting_response" || status === "defended";
