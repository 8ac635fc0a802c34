import { type WalletRow, walletsTable } from "../accounts/wallet.ts";
import { relation, uuid } from "../db/columns.ts";
import type { Tx } from "../db/pool.ts";
import { onTenants, sql } from "../db/sql.ts";
import { available } from "../ledger/chart.ts";
import type { FoundRows } from "../ledger/wanted.ts";

const CHARGES = { accountId: uuid, chargeId: uuid };

/** A wallet, with its ledger account where it has one. */
type Read = WalletRow & ({ no: number; balance: number; seq: number } | { no: null });

/** Reads the wallets that charges are paid into, and those of their split, before the charges are known. */
export async function readWalletsAhead(
  charges: readonly { readonly accountId: string; readonly chargeId: string }[],
  tx: Tx,
  found: FoundRows,
): Promise<void> {
  const { rows } = await tx.query<Read>(sql`
    select ${walletsTable.select("w", walletsTable.fields)}, l.no, l.balance, l.seq
    from (
      select distinct c.account_id, n.wallet_id from ${relation("u", CHARGES, charges)}
      join charges c on c.account_id = u.account_id and c.charge_id = u.charge_id
      cross join lateral (
        select c.wallet_id
        union all
        select (leg ->> 'walletId')::uuid
        from jsonb_array_elements(case when jsonb_typeof(c.split) = 'array' then c.split end) leg) n
      where ${onTenants("c.account_id", charges)}) p
    join wallets w on w.account_id = p.account_id and w.wallet_id = p.wallet_id
    left join ledger_accounts l on l.account_id = w.account_id and l.kind = 'available' and l.owner_id = w.wallet_id
      and ${onTenants("l.account_id", charges)}
    where ${onTenants("w.account_id", charges)}`);
  for (const { no, ...rest } of rows) {
    const { balance, seq, ...wallet } = rest as WalletRow & { balance: number; seq: number };
    const { accountId, walletId } = wallet;
    found.row(walletsTable, { accountId, id: walletId }, wallet);
    if (no !== null) found.ledger({ accountId, name: available(walletId), no, balance, seq, loadedSeq: seq });
  }
}
