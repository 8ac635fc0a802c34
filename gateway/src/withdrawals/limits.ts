import { uuids } from "../db/arrays.ts";
import { sql } from "../db/sql.ts";
import type { RowKey, Table, Write } from "../ledger/books.ts";
import { toBrl } from "../lib/money.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** São Paulo is three hours behind UTC, all year since 2019. */
const OFFSET = -3 * HOUR;
/** Local hours at which the night of the limits begins and ends. */
const NIGHT = { from: 20 * HOUR, to: 6 * HOUR };

/** The limits of an account and what they count: amounts of withdrawals that did not fail. Centavos; null: no limit. */
export type WithdrawalLimits = {
  readonly perWithdrawal: number | null;
  readonly perDay: number | null;
  readonly perNight: number | null;
  /** Sums by the full hour they were asked in (Unix milliseconds), of the last day and a bit. */
  readonly hours: ReadonlyMap<number, number>;
};

/** A limit that a withdrawal would pass. */
export type Exceeded = {
  readonly period: "withdrawal" | "day" | "night";
  readonly limit: number;
  readonly used: number;
  /** When it counts from zero again; null for the one that counts each withdrawal by itself. */
  readonly resetsAt: Date | null;
};

type Period = { readonly from: number; readonly to: number };

const sinceMidnight = (now: number): number => (((now + OFFSET) % DAY) + DAY) % DAY;

/** The calendar day in São Paulo. */
export function dayOf(now: Date): Period {
  const from = now.getTime() - sinceMidnight(now.getTime());
  return { from, to: from + DAY };
}

/** The night (20:00 to 06:00) that it is in São Paulo, across midnight; null by day. */
export function nightOf(now: Date): Period | null {
  const time = sinceMidnight(now.getTime());
  const midnight = now.getTime() - time;
  if (time >= NIGHT.from) return { from: midnight + NIGHT.from, to: midnight + DAY + NIGHT.to };
  return time < NIGHT.to ? { from: midnight - DAY + NIGHT.from, to: midnight + NIGHT.to } : null;
}

/**
 * The first limit that a withdrawal of `amount` would pass; null when it fits. The day's counts day and night; both end
 * on full hours, so sums by the hour are enough.
 */
export function exceeded(limits: WithdrawalLimits, amount: number, now: Date): Exceeded | null {
  const { perWithdrawal, perDay, perNight } = limits;
  if (perWithdrawal !== null && amount > perWithdrawal) {
    return { period: "withdrawal", limit: perWithdrawal, used: 0, resetsAt: null };
  }
  const counted = (name: "day" | "night", limit: number | null, period: Period | null): Exceeded | null => {
    if (limit === null || period === null) return null;
    let used = 0;
    for (const [hour, sum] of limits.hours) if (hour >= period.from && hour < period.to) used += sum;
    return used + amount > limit ? { period: name, limit, used, resetsAt: new Date(period.to) } : null;
  };
  return counted("night", perNight, nightOf(now)) ?? counted("day", perDay, dayOf(now));
}

/** What a refusal tells of it. */
export const limitDetails = ({ period, limit, used, resetsAt }: Exceeded) => ({
  period,
  limit: toBrl(limit),
  used: toBrl(used),
  resetsAt: resetsAt?.toISOString() ?? null,
});

/**
 * The limits of a tenant for money commands; the row's id is the account's. The sums are of the rows of withdrawals, read
 * under the tenant's lock, and only where a limit needs them; the newest one is where the last day ends, since any that
 * counts today is within a day of it.
 */
export const limitsTable: Table<WithdrawalLimits> = {
  name: "withdrawal limits",
  order: 15,
  async load(tx, keys) {
    const { rows } = await tx.query<{
      account_id: string;
      limit_per_withdrawal: number | null;
      limit_per_day: number | null;
      limit_per_night: number | null;
      hour: number | null;
      sum: number | null;
    }>(sql`
      select a.account_id, a.limit_per_withdrawal, a.limit_per_day, a.limit_per_night, s.hour, s.sum
      from accounts a left join lateral (
        select (floor(extract(epoch from w.created_at) / 3600) * 3600000)::bigint as hour, sum(w.amount)::bigint as sum
        from withdrawals w
        where w.account_id = a.account_id and w.status <> 'failed' and w.created_at > (
          select max(n.created_at) from withdrawals n where n.account_id = a.account_id) - interval '26 hours'
        group by 1
      ) s on coalesce(a.limit_per_day, a.limit_per_night) is not null
      where a.account_id = any(${uuids(keys.map((k) => k.accountId))}::uuid[])`);
    const byAccount = new Map<string, { key: RowKey; row: WithdrawalLimits & { hours: Map<number, number> } }>();
    for (const row of rows) {
      let found = byAccount.get(row.account_id);
      if (!found) {
        const limits = {
          perWithdrawal: row.limit_per_withdrawal,
          perDay: row.limit_per_day,
          perNight: row.limit_per_night,
          hours: new Map<number, number>(),
        };
        found = { key: { accountId: row.account_id, id: row.account_id }, row: limits };
        byAccount.set(row.account_id, found);
      }
      if (row.hour !== null) found.row.hours.set(row.hour, row.sum ?? 0);
    }
    return [...byAccount.values()];
  },
  // The rows of withdrawals are what is stored: this one only lets the next command of the batch see them.
  update: () => Promise.resolve(),
};

/** Counts a withdrawal for the commands after it. */
export function countedWrite(accountId: string, limits: WithdrawalLimits, amount: number, now: Date): Write {
  const hour = Math.floor(now.getTime() / HOUR) * HOUR;
  const hours = new Map(limits.hours).set(hour, (limits.hours.get(hour) ?? 0) + amount);
  return {
    op: "update",
    table: limitsTable as Table<unknown>,
    key: { accountId, id: accountId },
    row: { ...limits, hours },
  };
}
