import { bigints, instants, ints, texts, uuids } from "../db/arrays.ts";
import { onTenants, sql } from "../db/sql.ts";
import type { Loading, RowKey, Table } from "../ledger/books.ts";

/**
 * What a part of a PSP-made return is paid from: a block that was approved before (its money has left already), the hold
 * of an open block, or the account that has the Pix's money otherwise.
 */
export type PspReturnSource = "block" | "held" | "available" | "returns" | "suspense";

/** A part of a return that a PSP made without being asked (MED). All parts of one return have its ids. */
export type PspMadeReturn = {
  readonly accountId: string;
  /** Return id in the network: the same return is booked once. */
  readonly rtrId: string;
  readonly leg: number;
  /** Source of its transfers. */
  readonly pspReturnId: string;
  readonly e2eId: string;
  readonly chargeId: string | null;
  readonly walletId: string | null;
  readonly institutionId: string;
  /** Centavos of this part. */
  readonly amount: number;
  readonly source: PspReturnSource;
  /** Only for `block` and `held`. */
  readonly blockId: string | null;
  readonly settledAt: Date;
  readonly createdAt: Date;
};

/** The PSP-made returns of Pix, for money commands. */
export async function loadPspReturns(tx: Loading, keys: readonly RowKey[]): Promise<PspMadeReturn[]> {
  const { rows } = await tx.query<{
    account_id: string;
    rtr_id: string;
    leg: number;
    psp_return_id: string;
    e2e_id: string;
    charge_id: string | null;
    wallet_id: string | null;
    institution_id: string;
    amount: number;
    source: PspReturnSource;
    block_id: string | null;
    settled_at: Date;
    created_at: Date;
  }>(sql`
    select p.* from unnest(${uuids(keys.map((k) => k.accountId))}::uuid[], ${texts(keys.map((k) => k.id))}::text[])
      as k (account_id, e2e_id)
    join psp_returns p on p.account_id = k.account_id and p.e2e_id = k.e2e_id
    where ${onTenants("p.account_id", keys)}
    order by p.account_id, p.psp_return_id, p.leg`);
  return rows.map((row) => ({
    accountId: row.account_id,
    rtrId: row.rtr_id,
    leg: row.leg,
    pspReturnId: row.psp_return_id,
    e2eId: row.e2e_id,
    chargeId: row.charge_id,
    walletId: row.wallet_id,
    institutionId: row.institution_id,
    amount: row.amount,
    source: row.source,
    blockId: row.block_id,
    settledAt: row.settled_at,
    createdAt: row.created_at,
  }));
}

/** Written only, once: they are read with their Pix (claims/pix.ts). */
export const pspReturnsTable: Table<PspMadeReturn> = {
  name: "psp_returns",
  order: 250,
  load: () => Promise.resolve([]),
  async insert(tx, rows) {
    await tx.query(sql`
      insert into psp_returns (account_id, rtr_id, leg, psp_return_id, e2e_id, charge_id, wallet_id, institution_id, amount,
        source, block_id, settled_at, created_at)
      select * from unnest(
        ${uuids(rows.map((p) => p.accountId))}::uuid[], ${texts(rows.map((p) => p.rtrId))}::text[],
        ${ints(rows.map((p) => p.leg))}::int[], ${uuids(rows.map((p) => p.pspReturnId))}::uuid[],
        ${texts(rows.map((p) => p.e2eId))}::text[], ${uuids(rows.map((p) => p.chargeId))}::uuid[],
        ${uuids(rows.map((p) => p.walletId))}::uuid[], ${uuids(rows.map((p) => p.institutionId))}::uuid[],
        ${bigints(rows.map((p) => p.amount))}::bigint[], ${texts(rows.map((p) => p.source))}::text[],
        ${uuids(rows.map((p) => p.blockId))}::uuid[], ${instants(rows.map((p) => p.settledAt))}::timestamptz[],
        ${instants(rows.map((p) => p.createdAt))}::timestamptz[])`);
  },
};
