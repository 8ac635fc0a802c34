import { relation, uuid } from "../../db/columns.ts";
import { onTenants, sql } from "../../db/sql.ts";
import type { Table } from "../../ledger/table.ts";

/** A debt that was written off, by the id of its transaction. */
type WrittenOff = {
  readonly walletId: string;
  /** Centavos. */
  readonly amount: number;
  /** It was reversed, which happens once and completely. */
  readonly isTakenBack: boolean;
};

/** Leg of the transfer that reverses a write-off; the write-off is leg 0 of the same source. */
export const TAKEN_BACK_LEG = 1;

/** Only read: the ledger has both transfers. */
export const writtenOffTable: Table<WrittenOff> = {
  name: "written_off",
  order: 221,
  async load(tx, keys) {
    type Row = WrittenOff & { readonly accountId: string; readonly id: string };
    const { rows } = await tx.query<Row>(sql`
      select t.account_id as "accountId", t.source_id as id, a.owner_id as "walletId", t.amount,
        exists (
          select from ledger_transfers b where b.account_id = t.account_id and b.source_id = t.source_id and b.kind = t.kind
            and b.leg = ${TAKEN_BACK_LEG}) as "isTakenBack"
      from ${relation("k", { accountId: uuid, id: uuid }, keys)}
      join ledger_transfers t on t.account_id = k.account_id and t.source_id = k.id and t.kind = 'debt_written_off' and t.leg = 0
      join ledger_accounts a on a.account_id = t.account_id and a.no = t.to_no
      where ${onTenants("t.account_id", keys)}`);
    return rows.map(({ accountId, id, ...row }) => ({ key: { accountId, id }, row }));
  },
};
