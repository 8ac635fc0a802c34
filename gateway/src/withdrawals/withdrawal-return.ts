import { bigint, instant, nullable, table, text, uuid } from "../db/columns.ts";
import { laneTable, type RowIn } from "../ledger/lane-table.ts";
import type { Table } from "../ledger/table.ts";

/**
 * Money of completed withdrawals that their receivers gave back. Inserted once; only ids are added later, since a PSP may
 * show another one (psp/pair-returns.ts).
 */
export const withdrawalReturnsTable = laneTable(
  table({
    name: "withdrawal_returns",
    key: ["accountId", "returnId"],
    columns: {
      accountId: uuid,
      /** Source of its transfer in the ledger. */
      returnId: uuid,
      withdrawalId: uuid,
      /** The PSP's id of the return, and the network's. */
      pspId: nullable(text),
      rtrId: nullable(text),
      /** Centavos. */
      amount: bigint,
      returnedAt: instant,
      /** The transaction that shows it. */
      movementId: uuid,
      createdAt: instant,
    },
    groups: { names: { by: ["resolve withdrawal"], columns: ["pspId", "rtrId"] } },
  }),
  { order: 130, load: "never", inserts: true },
);

/** Money of a withdrawal that came back. */
export type WithdrawalReturn = RowIn<typeof withdrawalReturnsTable>;

const loadReturns = withdrawalReturnsTable.reader({ by: ["accountId", "withdrawalId"] });

/** All returns of a withdrawal, by the withdrawal's id. Only read here; the rows are written by their own table. */
export const returnsOfWithdrawal: Table<readonly WithdrawalReturn[]> = {
  name: "returns_of_withdrawal",
  order: 131,
  async load(tx, keys) {
    const rows = await loadReturns(
      tx,
      keys.map(({ accountId, id: withdrawalId }) => ({ accountId, withdrawalId })),
    );
    return [...Map.groupBy(rows, ({ accountId, withdrawalId }) => `${accountId} ${withdrawalId}`).values()].map(
      (row) => ({
        key: { accountId: row[0]!.accountId, id: row[0]!.withdrawalId },
        row,
      }),
    );
  },
};
