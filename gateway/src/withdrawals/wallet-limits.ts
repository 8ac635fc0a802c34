import { walletsTable } from "../accounts/wallet.ts";
import { uuids } from "../db/arrays.ts";
import { bigint, relation, uuid } from "../db/columns.ts";
import { onTenants, sql } from "../db/sql.ts";
import { type Update, update } from "../ledger/books.ts";
import type { WrittenTable } from "../ledger/table.ts";
import { COUNTING, countedHours, type WithdrawalLimits } from "./limits.ts";

/** The limits of a sub-account, in addition to those of its account, and what they count. Centavos; null: no limit. */
export type WalletLimits = WithdrawalLimits & { readonly walletId: string; readonly reference: string };

/** What a row of `wallets` counts. The driver returns numbers in an array as text. */
export type CountedHours = { readonly hours: readonly string[]; readonly amounts: readonly string[] };

export const toHours = ({ hours, amounts }: CountedHours): ReadonlyMap<number, number> =>
  new Map(hours.map((hour, i) => [Number(hour), Number(amounts[i])]));

/**
 * The limits of sub-accounts for money commands, written under the tenant's lock like the withdrawals. The main account has
 * none.
 */
export const walletLimitsTable: WrittenTable<WalletLimits, { count: Pick<WalletLimits, "hours" | "counts"> }> = {
  name: "withdrawal limits of wallets",
  order: 31,
  groups: COUNTING,
  keyOf: ({ accountId, walletId }) => ({ accountId, id: walletId }),
  async load(tx, keys) {
    const { rows } = await tx.query<Omit<WalletLimits, "hours"> & CountedHours>(sql`
      select ${walletsTable.select("w", ["accountId", "walletId", "reference"])},
        w.limit_per_withdrawal as "perWithdrawal", w.limit_per_day as "perDay", w.limit_per_night as "perNight",
        w.withdrawal_hours as hours, w.withdrawal_amounts as amounts
      from unnest(${uuids(keys.map((key) => key.accountId))}::uuid[], ${uuids(keys.map((key) => key.id))}::uuid[])
        as k (account_id, wallet_id)
      join wallets w on w.account_id = k.account_id and w.wallet_id = k.wallet_id
      where w.wallet_id <> w.account_id and ${onTenants("w.account_id", keys)}`);
    return rows.map(({ hours, amounts, ...row }) => ({
      key: { accountId: row.accountId, id: row.walletId },
      row: { ...row, hours: toHours({ hours, amounts }) },
    }));
  },
  /** Writes the counts only; operators change the limits themselves. */
  update(_, rows) {
    const flat = rows.flatMap(({ accountId, walletId, hours }) =>
      [...hours].map(([hour, amount]) => ({ accountId, walletId, hour, amount })),
    );
    return [
      sql`
      update wallets w set withdrawal_hours = s.hours, withdrawal_amounts = s.amounts
      from (
        select u.account_id, u.wallet_id, array_agg(u.hour order by u.hour) as hours,
          array_agg(u.amount order by u.hour) as amounts
        from ${relation("u", { accountId: uuid, walletId: uuid, hour: bigint, amount: bigint }, flat)}
        group by u.account_id, u.wallet_id) s
      where w.account_id = s.account_id and w.wallet_id = s.wallet_id and ${onTenants("w.account_id", rows)}`,
    ];
  },
};

/** Counts the amount of a withdrawal for its sub-account, or with a negative amount takes it out. */
export function countedOfWallet(
  limits: WalletLimits | undefined,
  counted: { readonly amount: number; readonly at: Date },
  now: Date,
): readonly Update<WalletLimits>[] {
  const after = limits && countedHours(limits, counted, now);
  return limits && after ? [update(walletLimitsTable, limits, "count", after)] : [];
}
