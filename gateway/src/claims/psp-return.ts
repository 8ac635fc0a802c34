import { bigint, boolean, instant, int, nullable, oneOf, table, text, uuid } from "../db/columns.ts";
import { laneTable, type RowIn } from "../ledger/lane-table.ts";

/**
 * Where a part of a PSP-made return is paid from.
 * - `block`: a block whose money has left before.
 * - `held`: the hold of a block.
 * - otherwise the account that has the Pix's money; for a receipt that became the operator's own, where it was booked.
 */
const PSP_RETURN_SOURCES = [
  ...(["block", "held", "available", "returns", "suspense"] as const),
  ...(["operator_funds", "transit", "write_offs"] as const),
] as const;
export type PspReturnSource = (typeof PSP_RETURN_SOURCES)[number];

/**
 * Returns that a PSP made by itself (MED). Each is stored in parts that all have its ids. The network's id and the block of
 * a case that is listed later may be added; nothing else changes. They are read with their Pix (claims/pix.ts).
 */
export const pspReturnsTable = laneTable(
  table({
    name: "psp_returns",
    key: ["accountId", "pspReturnId", "leg"],
    columns: {
      accountId: uuid,
      /** Source of its transfers. */
      pspReturnId: uuid,
      leg: int,
      /** The PSP's id and the network's id; either identifies it (psp/pair-returns.ts). */
      pspId: text,
      rtrId: nullable(text),
      e2eId: text,
      chargeId: nullable(uuid),
      walletId: nullable(uuid),
      institutionId: uuid,
      /** Centavos of this part. */
      amount: bigint,
      source: oneOf(PSP_RETURN_SOURCES),
      /** Whether the PSP marks it as the end of a dispute; null: it shows no nature. */
      med: nullable(boolean),
      /**
       * The block that the part belongs to. Always set for `block` and `held`; for `available` only where the block's hold
       * was released before, or where its case was listed after the return was booked.
       */
      blockId: nullable(uuid),
      /** Leg of the block's transfer that paid it; null: a transfer of the return itself paid it. */
      blockLeg: nullable(int),
      settledAt: instant,
      createdAt: instant,
    },
    groups: { state: { by: ["book PSP return", "finish return", "apply MED case"], columns: ["rtrId", "blockId"] } },
  }),
  { order: 250, load: "never", inserts: true },
);

/** A part of a return that a PSP made by itself. */
export type PspMadeReturn = RowIn<typeof pspReturnsTable>;

/** The PSP-made returns of Pix, for money commands. */
export const loadPspReturns = pspReturnsTable.reader({ by: ["accountId", "e2eId"] });
