import { bigint, instant, table, text, uuid } from "../db/columns.ts";
import { laneTable } from "../ledger/lane-table.ts";

/**
 * Money of completed withdrawals that their receivers gave back. A return's id is the network's, so the same one is booked
 * once. Written once, never changed.
 */
export const withdrawalReturnsTable = laneTable(
  table({
    name: "withdrawal_returns",
    key: ["accountId", "rtrId"],
    columns: {
      accountId: uuid,
      rtrId: text,
      /** Source of its transfer in the ledger. */
      returnId: uuid,
      withdrawalId: uuid,
      /** Centavos. */
      amount: bigint,
      returnedAt: instant,
      /** The transaction that shows it. */
      movementId: uuid,
      createdAt: instant,
    },
  }),
  { order: 130, load: "plain", inserts: true },
);
