import { bigint, boolean, instant, nullable, oneOf, table, text, uuid } from "../../db/columns.ts";
import { laneTable, type RowIn } from "../../ledger/lane-table.ts";

/**
 * The life of a refund, which gives a payment back, whole or in part.
 * - `pending`: its amount and fee are held, and its return is under way at the PSP.
 * - `confirmed`: the PSP settled the return. Amount and fee have left. Final.
 * - `error`: the PSP did not carry it out; the hold was released. The merchant may request another refund.
 */
export const REFUND_STATUSES = ["pending", "confirmed", "error"] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];

/** Every change of status there is, with what causes it. */
export const REFUND_EDGES: readonly { from: RefundStatus; to: RefundStatus; on: string }[] = [
  { from: "pending", to: "confirmed", on: "the PSP settled the return, or operators decide that it was settled" },
  {
    from: "pending",
    to: "error",
    on: "the PSP did not carry the return out, made one itself that leaves too little for it, or operators decide that it failed",
  },
  { from: "error", to: "confirmed", on: "booked as refused, and the PSP shows it settled after all" },
];

/** The status that the API shows. */
export const PUBLIC_REFUND_STATUS: Readonly<Record<RefundStatus, "PENDING" | "CONFIRMED" | "ERROR">> = {
  pending: "PENDING",
  confirmed: "CONFIRMED",
  error: "ERROR",
};

/** Refunds by their ids. They are read with their Pix (claims/pix.ts). */
export const refundsTable = laneTable(
  table({
    name: "refunds",
    key: ["accountId", "refundId"],
    columns: {
      accountId: uuid,
      /** Also the id of its return at the PSP, and of its transaction. */
      refundId: uuid,
      walletId: uuid,
      chargeId: uuid,
      e2eId: text,
      institutionId: uuid,
      /** Centavos. */
      amount: bigint,
      /** Held beside the amount, and taken when the refund is confirmed. */
      feeAmount: bigint,
      status: oneOf(REFUND_STATUSES),
      reason: nullable(text),
      idempotencyKey: nullable(text),
      /** Confirmed after it was released: its money is booked as a PSP-made return (claims/paid-back.ts), without a fee. */
      late: boolean,
      rtrId: nullable(text),
      refundedAt: nullable(instant),
      failureReason: nullable(text),
      createdAt: instant,
      updatedAt: instant,
    },
    groups: {
      state: {
        by: ["finish return", "book PSP return", "force return"],
        columns: ["status", "late", "rtrId", "refundedAt", "failureReason", "updatedAt"],
      },
    },
  }),
  { order: 230, load: "never", inserts: true },
);

/** A refund as money commands see it. */
export type RefundRow = RowIn<typeof refundsTable>;

/** The refunds of Pix, for money commands, oldest first. */
export const loadRefunds = refundsTable.reader({ by: ["accountId", "e2eId"] });
