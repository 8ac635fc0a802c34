import type { AccountLimits, ShownAccount, WalletLimits } from "../accounts/account-and-balance.ts";
import type { LimitReads } from "../accounts/routes.ts";
import { part } from "../db/sql.ts";
import { toBrl } from "../lib/money.ts";
import { dayPeriodOf, hourOf, nightOf, type Period, sumOf } from "./limits.ts";
import { type CountedHours, toHours } from "./wallet-limits.ts";

/** What an account's withdrawals have used, as `withdrawal_sums` stores it; nulls where nothing was ever withdrawn. */
type Used =
  | (CountedHours & { readonly counts: readonly number[] })
  | { readonly [F in "hours" | "amounts" | "counts"]: null };
/** The limits of a sub-account, with the sums that have used them. */
type OfWallet = Readonly<Record<"walletPerWithdrawal" | "walletPerDay" | "walletPerNight", number | null>> & {
  readonly walletHours: CountedHours["hours"];
  readonly walletAmounts: CountedHours["amounts"];
};

/** What an account's withdrawals have used of its limits, and what is left. */
function accountLimits(account: ShownAccount, used: Used, now: Date): AccountLimits {
  const amounts = used.hours === null ? new Map<number, number>() : toHours(used);
  const counts = new Map(used.hours?.map((hour, i) => [Number(hour), used.counts[i]!]));
  const hour = hourOf(now);
  return {
    perWithdrawal: shown(account.limitPerWithdrawal, new Map(), null, toBrl),
    perDay: shown(account.limitPerDay, amounts, dayPeriodOf(now), toBrl),
    perNight: shown(account.limitPerNight, amounts, nightOf(now), toBrl),
    perHourCount: shown(account.payoutsPerHourCount, counts, hour, Number),
    perHourSum: shown(account.payoutsPerHourSum, amounts, hour, toBrl),
  };
}

/** What a sub-account's withdrawals have used of its own limits, and what is left. */
function walletLimits(row: OfWallet, now: Date): WalletLimits {
  const used = toHours({ hours: row.walletHours, amounts: row.walletAmounts });
  return {
    perWithdrawal: shown(row.walletPerWithdrawal, new Map(), null, toBrl),
    perDay: shown(row.walletPerDay, used, dayPeriodOf(now), toBrl),
    perNight: shown(row.walletPerNight, used, nightOf(now), toBrl),
  };
}

const OF_ACCOUNT = part`s.hours, s.amounts, s.counts`;
const OF_WALLET = part`s.hours, s.amounts, s.counts, w.limit_per_withdrawal as "walletPerWithdrawal",
  w.limit_per_day as "walletPerDay", w.limit_per_night as "walletPerNight", w.withdrawal_hours as "walletHours",
  w.withdrawal_amounts as "walletAmounts"`;

/**
 * What is left of the limits of an account and of the caller's wallet. The main account has no limits beside the account's.
 */
export const REMAINING_LIMITS: LimitReads = {
  columns: (isMain) => (isMain ? OF_ACCOUNT : OF_WALLET),
  join: (accountId) => part`left join withdrawal_sums s on s.account_id = ${accountId}`,
  read: (account, row, now) => ({
    limits: accountLimits(account, row as Used, now),
    walletLimits: "walletHours" in row ? walletLimits(row as OfWallet, now) : null,
  }),
};

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
