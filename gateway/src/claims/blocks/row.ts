import { bigint, instant, int, nullable, oneOf, table, text, uuid } from "../../db/columns.ts";
import { laneTable, type RowIn } from "../../ledger/lane-table.ts";

/**
 * The life of a balance block: money of a wallet that is set aside for a dispute (MED) or an order.
 *
 * - `awaiting_response`: held; the merchant may send a defence.
 * - `defended`: held; the merchant has sent one.
 * - `approved`: the dispute was accepted, or the order carried out. Of a case at an institution only what the
 *   institution has returned is taken; until it shows a return, the block still holds the money.
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

export const BLOCK_TYPES = ["med", "judicial", "administrative"] as const;
export type BlockType = (typeof BLOCK_TYPES)[number];

/** Whether the PSP has a defence: `pending` is stored before it is sent. Null: the PSP gets none. */
const DEFENCE_STATUSES = ["pending", "sent", "refused"] as const;

/** Why a block was closed (contract, section 7). What the institution wrote about it stands beside it. */
export const RESOLUTION_REASONS = [
  "refunded", "returned", "accepted", "defended", "withdrawn", "expired", "order_lifted", "other",
] as const; // biome-ignore format: a list
export type ResolutionReason = (typeof RESOLUTION_REASONS)[number];

/** What an institution's list says of a case. */
const CASE_STATUSES = ["open", "in_defence", "accepted", "rejected", "cancelled", "unrecognised"] as const;

/** What becomes of a block, empty in a new one. */
const NOTHING_YET = [
  "defence", "defenceStatus", "defenceNextAt", "refundId", "resolutionReason", "resolutionText", "resolvedAt",
  "returnNextAt", "returnMissingSince",
] as const; // biome-ignore format: a list
/** What of its amount is where, and what of it its case added. */
const SUMS = ["heldAmount", "takenAmount", "givenBackAmount", "adoptedAmount"] as const;
/** What an institution's list says of its case; empty in a block that a return opened before the list showed the case. */
const OF_CASE = ["caseId", "caseStatus", "referenceNumber", "reason", "respondBy"] as const;

/** The commands that change blocks. */
const BLOCK_WRITERS = [
  "apply MED case", "defend block", "resolve block", "request refund", "finish return", "book PSP return",
  "settle block", "end hold", "give back block",
] as const; // biome-ignore format: a list

/**
 * Blocks by their own id. One of a payment is read with its Pix as well (claims/pix.ts), and written as both. Locked: the
 * loop writes what became of a defence outside the lanes.
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
      /** What of it the wallet still holds, and what has left for the payer, centavos. The rest was released. */
      heldAmount: bigint,
      takenAmount: bigint,
      /** What operators booked as gone, and then gave to the wallet again, centavos. */
      givenBackAmount: bigint,
      /** What its case added to it, centavos: the return that opened it was of less than the case. */
      adoptedAmount: bigint,
      institutionId: uuid,
      environment: oneOf(["production", "sandbox"]),
      /** The payment that it is about, with its end-to-end id; null: none in particular. */
      chargeId: nullable(uuid),
      e2eId: nullable(text),
      externalReference: nullable(text),
      /** Id of the case at the PSP; null: the operator made the block, or the PSP has not listed the case yet. */
      caseId: nullable(text),
      /** The return of the PSP that opened it, because its case was not listed before; null: none did. */
      pspReturnId: nullable(uuid),
      /** What the PSP last said of the case: a closed one that is open again begins another block. */
      caseStatus: nullable(oneOf(CASE_STATUSES)),
      referenceNumber: nullable(text),
      reason: nullable(text),
      respondBy: nullable(instant),
      defence: nullable(text),
      defenceStatus: nullable(oneOf(DEFENCE_STATUSES)),
      /** When the loop sends it to the PSP next; null when the PSP has it. */
      defenceNextAt: nullable(instant),
      /** How often the loop sent it. */
      defenceAttempts: int,
      /** The refund that took over its hold. */
      refundId: nullable(uuid),
      resolutionReason: nullable(oneOf(RESOLUTION_REASONS)),
      /** The PSP's or the operator's own words. */
      resolutionText: nullable(text),
      resolvedAt: nullable(instant),
      /** When the PSP is next queried for the return of an accepted case; null: it is shown, or there is none to come. */
      returnNextAt: nullable(instant),
      returnAttempts: int,
      /** Since when the return is overdue, and a case of ours says so. */
      returnMissingSince: nullable(instant),
      createdAt: instant,
      updatedAt: instant,
    },
    groups: {
      state: {
        by: BLOCK_WRITERS,
        columns: [...NOTHING_YET, ...SUMS, ...OF_CASE, "amount", "status", "updatedAt"],
      },
    },
  }),
  { order: 240, load: "locked", inserts: true, without: ["defenceAttempts", "returnAttempts"] },
);

/** A balance block as money commands see it. */
export type Block = RowIn<typeof blocksTable>;

/** The blocks of Pix, for money commands, oldest first. */
export const loadBlocks = blocksTable.reader({ fields: blocksTable.fields, by: ["accountId", "e2eId"], lock: true });

/** What is known of a block from the beginning, and never changes. */
export type BlockFacts = Omit<
  Block,
  (typeof NOTHING_YET)[number] | (typeof SUMS)[number] | "status" | "createdAt" | "updatedAt"
>;

/** A new block, of which nothing has become yet. */
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
  createdAt: now,
  updatedAt: now,
});

/** True until it is decided. */
export const isOpen = ({ status }: Pick<Block, "status">): boolean =>
  status === "awaiting_response" || status === "defended";
