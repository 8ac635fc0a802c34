import { uuids } from "../db/arrays.ts";
import { onTenants, sql } from "../db/sql.ts";
import type { Books, Table } from "../ledger/books.ts";

/** A wallet for money commands. */
export type WalletRow = {
  readonly accountId: string;
  readonly walletId: string;
  /** `principal` for the main account. */
  readonly reference: string;
  readonly status: "approved" | "suspended";
};

export const walletsTable: Table<WalletRow> = {
  name: "wallets",
  order: 30,
  async load(tx, keys) {
    const { rows } = await tx.query<{
      account_id: string;
      wallet_id: string;
      reference: string;
      status: WalletRow["status"];
    }>(sql`
      select w.account_id, w.wallet_id, w.reference, w.status
      from unnest(${uuids(keys.map((k) => k.accountId))}::uuid[], ${uuids(keys.map((k) => k.id))}::uuid[])
        as k (account_id, wallet_id)
      join wallets w on w.account_id = k.account_id and w.wallet_id = k.wallet_id
      where ${onTenants("w.account_id", keys)}`);
    return rows.map((row) => ({
      key: { accountId: row.account_id, id: row.wallet_id },
      row: { accountId: row.account_id, walletId: row.wallet_id, reference: row.reference, status: row.status },
    }));
  },
};

/** The wallet of an object as its events name it. The command must have wanted the wallet's row. */
export function eventWallet(
  books: Books,
  { accountId, walletId }: Pick<WalletRow, "accountId" | "walletId">,
): { readonly accountId: string; readonly walletId: string; readonly subAccount: string | null } {
  const wallet = books.find(walletsTable, { accountId, id: walletId });
  if (!wallet) throw new Error("an event of a wallet that does not exist");
  return { accountId, walletId, subAccount: walletId === accountId ? null : wallet.reference };
}
