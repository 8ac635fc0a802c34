import { bigints, instants, texts, uuids } from "../db/arrays.ts";
import { onTenants, sql } from "../db/sql.ts";
import type { Table } from "../ledger/books.ts";

/** Money of a completed withdrawal that its receiver gave back. Its id is the network's, so the same one is booked once. */
export type WithdrawalReturn = {
  readonly accountId: string;
  readonly rtrId: string;
  /** Source of its transfer in the ledger. */
  readonly returnId: string;
  readonly withdrawalId: string;
  /** Centavos. */
  readonly amount: number;
  readonly returnedAt: Date;
  /** The transaction that shows it. */
  readonly movementId: string;
  readonly createdAt: Date;
};

/** Returns of withdrawals for money commands. Written once, never changed. */
export const withdrawalReturnsTable: Table<WithdrawalReturn> = {
  name: "withdrawal_returns",
  order: 130,
  async load(tx, keys) {
    const { rows } = await tx.query<{
      account_id: string;
      rtr_id: string;
      return_id: string;
      withdrawal_id: string;
      amount: number;
      returned_at: Date;
      movement_id: string;
      created_at: Date;
    }>(sql`
      select r.* from unnest(${uuids(keys.map((k) => k.accountId))}::uuid[], ${texts(keys.map((k) => k.id))}::text[])
        as k (account_id, rtr_id)
      join withdrawal_returns r on r.account_id = k.account_id and r.rtr_id = k.rtr_id
      where ${onTenants("r.account_id", keys)}`);
    return rows.map((row) => ({
      key: { accountId: row.account_id, id: row.rtr_id },
      row: {
        accountId: row.account_id,
        rtrId: row.rtr_id,
        returnId: row.return_id,
        withdrawalId: row.withdrawal_id,
        amount: row.amount,
        returnedAt: row.returned_at,
        movementId: row.movement_id,
        createdAt: row.created_at,
      },
    }));
  },
  async insert(tx, rows) {
    await tx.query(sql`
      insert into withdrawal_returns (account_id, rtr_id, return_id, withdrawal_id, amount, returned_at, movement_id, created_at)
      select * from unnest(
        ${uuids(rows.map((r) => r.accountId))}::uuid[], ${texts(rows.map((r) => r.rtrId))}::text[],
        ${uuids(rows.map((r) => r.returnId))}::uuid[], ${uuids(rows.map((r) => r.withdrawalId))}::uuid[],
        ${bigints(rows.map((r) => r.amount))}::bigint[], ${instants(rows.map((r) => r.returnedAt))}::timestamptz[],
        ${uuids(rows.map((r) => r.movementId))}::uuid[], ${instants(rows.map((r) => r.createdAt))}::timestamptz[])`);
  },
};
