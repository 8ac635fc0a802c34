import { bigint, instant, int, nullable, oneOf, table, text, uuid } from "../../db/columns.ts";
import { laneTable, type RowIn } from "../../ledger/lane-table.ts";
import { txidFor } from "../../lib/ids.ts";

/**
 * The life of a return that we request from a PSP: money of a blocked deposit, of a second payment or of a refund, on its
 * way back to the payer.
 * - `pending`: nothing has been sent.
 * - `sending`: a request may have left, or the PSP works on it. Every call carries the same id.
 * - `confirmed`: the PSP settled it; the money has left. Final.
 * - `failed`: the PSP did not carry it out. A deposit's money stays in `returns` for the operator, a refund's is
 *   released. The operator may retry a deposit's return: under a new id where the PSP shows this one as failed or has given
 *   back a part by itself, otherwise by a query and a repeat under the same id.
 */
export const RETURN_STATUSES = ["pending", "sending", "confirmed", "failed"] as const;
export type ReturnStatus = (typeof RETURN_STATUSES)[number];

/** Every change of status there is, with what causes it. */
export const RETURN_EDGES: readonly { from: ReturnStatus; to: ReturnStatus; on: string }[] = [
  { from: "pending", to: "sending", on: "claimed by the loop" },
  { from: "pending", to: "confirmed", on: "the PSP shows it settled" },
  { from: "pending", to: "failed", on: "the PSP shows that it was not carried out, or made a return itself" },
  { from: "sending", to: "confirmed", on: "the PSP shows it settled, or operators decide that it was" },
  {
    from: "sending",
    to: "failed",
    on: "refused by the PSP, shown as not carried out, the PSP made a return itself, or operators decide that it failed",
  },
  { from: "failed", to: "sending", on: "the operator has it tried again, and the PSP does not show it as failed" },
  {
    from: "failed",
    to: "confirmed",
    on: "booked as refused, and the PSP shows it settled after all, or operators decide that the payer has the money",
  },
];

/**
 * Why we give a Pix back. `deposit`: it was not credited, or it belongs to no charge and the operator decides so. `refund`:
 * the merchant requests it.
 */
const RETURN_PURPOSES = ["deposit", "refund"] as const;

/** Our returns by their ids. They are read with their Pix (claims/pix.ts). A refund's return has the refund's id. */
export const pixReturnsTable = laneTable(
  table({
    name: "pix_returns",
    key: ["accountId", "returnId"],
    columns: {
      accountId: uuid,
      returnId: uuid,
      purpose: oneOf(RETURN_PURPOSES),
      e2eId: text,
      /** Our id at the PSP. */
      pspId: text,
      institutionId: uuid,
      /** Null for a Pix without a charge. */
      chargeId: nullable(uuid),
      amount: bigint,
      /** What the payer reads; the adapter shortens it to what the PSP accepts. */
      description: text,
      status: oneOf(RETURN_STATUSES),
      rtrId: nullable(text),
      settledAt: nullable(instant),
      failureReason: nullable(text),
      /** When the loop processes it next; null when it has ended. */
      nextAt: nullable(instant),
      /** The failed return that this one replaces, under an id of its own. */
      retryOf: nullable(uuid),
      /** When the operator last retried it, or decided after a restore that it leaves. */
      retriedAt: nullable(instant),
      /** Since when every request was refused; null after a request whose outcome is unknown. */
      refusedAt: nullable(instant),
      /** Since when a case about its missing outcome is open; null: none is. */
      caseOpenedAt: nullable(instant),
      /**
       * The decision by which a failed return's money became the operator's; null: none did. The transfers of that decision
       * have the return's id as their source.
       */
      writtenOffBy: nullable(uuid),
      /** Centavos that were written off. */
      writtenOffAmount: nullable(bigint),
      /** When the write-off was reversed: money went back to the payer after all, or operators decided it. */
      restoredAt: nullable(instant),
      /** How often the loop has processed it. */
      attempts: int,
      createdAt: instant,
      updatedAt: instant,
    },
    groups: {
      state: {
        by: [
          ...(["finish return", "book PSP return", "retry return", "report return", "force return"] as const),
          ...(["confirm return", "write off return", "take back write-off"] as const),
        ],
        columns: [
          ...(["status", "rtrId", "settledAt", "failureReason", "nextAt", "retriedAt", "caseOpenedAt"] as const),
          ...(["writtenOffBy", "writtenOffAmount", "restoredAt", "updatedAt"] as const),
        ],
      },
    },
    // Written by the loop's claim.
    leftOut: ["left_at"],
  }),
  { order: 210, load: "never", inserts: true, without: ["refusedAt", "attempts"] },
);

/** A return as money commands see it. */
export type PixReturn = RowIn<typeof pixReturnsTable>;

/** Whether the institution may still carry it out. */
export const isUnderWay = ({ status }: Pick<PixReturn, "status">): boolean =>
  status === "pending" || status === "sending";

/**
 * Our returns of Pix, for money commands, oldest first. Locks the rows, because the loop claims them outside the lanes, and
 * no claim may come between their reading and writing.
 */
export const loadReturns = pixReturnsTable.reader({
  fields: pixReturnsTable.fields,
  by: ["accountId", "e2eId"],
  lock: true,
});

/** A new return, due at once. */
export function newReturn(
  facts: Pick<
    PixReturn,
    "accountId" | "returnId" | "purpose" | "e2eId" | "institutionId" | "chargeId" | "amount" | "description"
  >,
  accountNumber: number,
  now: Date,
  retryOf: string | null = null,
): PixReturn {
  return {
    ...facts,
    pspId: txidFor(accountNumber, facts.returnId),
    status: "pending",
    rtrId: null,
    settledAt: null,
    failureReason: null,
    nextAt: now,
    retryOf,
    retriedAt: null,
    caseOpenedAt: null,
    writtenOffBy: null,
    writtenOffAmount: null,
    restoredAt: null,
    createdAt: now,
    updatedAt: now,
  };
}
