import type { AccountRow } from "../accounts/account.ts";
import type { AccountLimits } from "../accounts/account-and-balance.ts";
import type { Queries } from "../db/pool.ts";
import { prepared, sql } from "../db/sql.ts";
import { toBrl } from "../lib/money.ts";
import { dayOf, hourOf, nightOf, type Period, sumOf } from "./limits.ts";

/** What an account's withdrawals have used of its limits, and what is left. */
export async function readLimits(queries: Queries, account: AccountRow, now: Date): Promise<AccountLimits> {
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
