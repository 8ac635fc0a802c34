import type { AccountRow } from "../accounts/account.ts";
import type { AccountLimits, Limits, WalletLimits } from "../accounts/account-and-balance.ts";
import type { Queries } from "../db/pool.ts";
import { prepared, sql } from "../db/sql.ts";
import { toBrl } from "../lib/money.ts";
import { dayOf, hourOf, nightOf, type Period, sumOf } from "./limits.ts";
import { type CountedHours, toHours } from "./wallet-limits.ts";

/** What an account's withdrawals have used of its limits, and what is left. */
async function readAccountLimits(queries: Queries, account: AccountRow, now: Date): Promise<AccountLimits> {
  const { rows } = await queries.query<{ hour: number; amount: number; count: number }>(
    prepared(sql`
    select h.hour, h.amount, h.count from withdrawal_sums s, unnest(s.hours, s.amounts, s.counts) as h (hour, amount, count)
    where s.account_id = ${account.accountId}`),
  );
  const amounts = new Map(rows.map(({ hour, amount }) => [hour, amount]));
  const counts = new Map(rows.map(({ hour, count }) => [hour, count]));
  const hour = hourOf(now);
  return {
    perWithdrawal: shown(account.limitPerWithdrawal, new Map(), null, toBrl),
    perDay: shown(account.limitPerDay, amounts, dayOf(now), toBrl),
    perNight: shown(account.limitPerNight, amounts, nightOf(now), toBrl),
    perHourCount: shown(account.payoutsPerHourCount, counts, hour, Number),
    perHourSum: shown(account.payoutsPerHourSum, amounts, hour, toBrl),
  };
}

/** The same of a sub-account's own limits; null of the main account. */
async function readWalletLimits(
  queries: Queries,
  accountId: string,
  walletId: string,
  now: Date,
): Promise<WalletLimits | null> {
  if (walletId === accountId) return null;
  type Row = Record<"perWithdrawal" | "perDay" | "perNight", number | null> & CountedHours;
  const { rows } = await queries.query<Row>(
    prepared(sql`
    select limit_per_withdrawal as "perWithdrawal", limit_per_day as "perDay", limit_per_night as "perNight",
      withdrawal_hours as hours, withdrawal_amounts as amounts
    from wallets where account_id = ${accountId} and wallet_id = ${walletId}`),
  );
  const { perWithdrawal, perDay, perNight, hours, amounts } = rows[0]!;
  const used = toHours({ hours, amounts });
  return {
    perWithdrawal: shown(perWithdrawal, new Map(), null, toBrl),
    perDay: shown(perDay, used, dayOf(now), toBrl),
    perNight: shown(perNight, used, nightOf(now), toBrl),
  };
}

/** What is left of the limits of an account and of the wallet of a call. */
export async function readLimits(queries: Queries, account: AccountRow, walletId: string, now: Date): Promise<Limits> {
  const [limits, walletLimits] = await Promise.all([
    readAccountLimits(queries, account, now),
    readWalletLimits(queries, account.accountId, walletId, now),
  ]);
  return { limits, walletLimits };
}

function shown(
  limit: number | null,
  hours: ReadonlyMap<number, number>,
  period: Period | null,
  unit: (value: number) => number,
): AccountLimits["perDay"] {
  const used = period === null ? 0 : sumOf(hours, period);
  return {
    limit: limit === null ? null : unit(limit),
    used: unit(used),
    remaining: limit === null ? null : unit(Math.max(0, limit - used)),
    resetsAt: period === null ? null : new Date(period.to).toISOString(),
  };
}
