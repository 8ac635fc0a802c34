import type { PayoutPolicy } from "../accounts/account.ts";
import { uuids } from "../db/arrays.ts";
import { bigint, int, relation, uuid } from "../db/columns.ts";
import { sql } from "../db/sql.ts";
import { type Update, update } from "../ledger/books.ts";
import type { WrittenTable } from "../ledger/table.ts";
import { OFFSET } from "../lib/days.ts";
import { toBrl } from "../lib/money.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Hours are counted for this long: the longest period of a limit, and some tolerance for clocks. */
const COUNTED = 26 * HOUR;
/** Local hours at which the night of the limits begins and ends. */
const NIGHT = { from: 20 * HOUR, to: 6 * HOUR };

/**
 * The limits of an account, and the amounts of withdrawals that they count: all that did not fail. Centavos; null: no
 * limit.
 */
export type WithdrawalLimits = {
  readonly accountId: string;
  readonly perWithdrawal: number | null;
  readonly perDay: number | null;
  readonly perNight: number | null;
  /** Sums by the full hour in which they count (`countedAt`; Unix milliseconds), of the last 26 hours. */
  readonly hours: ReadonlyMap<number, number>;
  /** How many withdrawals there were, by the same hours. */
  readonly counts?: ReadonlyMap<number, number>;
};

const LIMIT_NAMES = ["perWithdrawal", "perDay", "perNight", "perHourCount", "perHourSum", "newKeyAmount"] as const;
type LimitName = (typeof LIMIT_NAMES)[number];

/** A limit that a withdrawal would exceed. Centavos, or a number of withdrawals (`perHourCount`). */
type Exceeded = {
  readonly limitName: LimitName;
  readonly period: "withdrawal" | "hour" | "day" | "night" | "key";
  readonly limit: number;
  readonly used: number;
  /** When it counts from zero again; null for the limit of a single withdrawal. */
  readonly resetsAt: Date | null;
};

/** From its first instant (included) to its end (excluded), Unix milliseconds. */
export type Period = { readonly from: number; readonly to: number };

const sinceMidnight = (now: number): number => (((now - OFFSET) % DAY) + DAY) % DAY;

/** The calendar day in São Paulo. */
export function dayPeriodOf(now: Date): Period {
  const from = now.getTime() - sinceMidnight(now.getTime());
  return { from, to: from + DAY };
}

/** The hour of the clock. */
export function hourOf(now: Date): Period {
  const from = Math.floor(now.getTime() / HOUR) * HOUR;
  return { from, to: from + HOUR };
}

/** The night (20:00 to 06:00, across midnight) of this time in São Paulo; null by day. */
export function nightOf(now: Date): Period | null {
  const time = sinceMidnight(now.getTime());
  const midnight = now.getTime() - time;
  if (time >= NIGHT.from) return { from: midnight + NIGHT.from, to: midnight + DAY + NIGHT.to };
  return time < NIGHT.to ? { from: midnight - DAY + NIGHT.from, to: midnight + NIGHT.to } : null;
}

/** The sum over the hours of a period. */
export function sumOf(hours: ReadonlyMap<number, number>, { from, to }: Period): number {
  let sum = 0;
  for (const [hour, value] of hours) if (hour >= from && hour < to) sum += value;
  return sum;
}

/**
 * The first limit that a withdrawal of `amount` would exceed; null when it fits. The day's limit counts day and night. Both
 * periods end on full hours, so hourly sums are enough.
 */
export function exceeded(limits: WithdrawalLimits, amount: number, now: Date): Exceeded | null {
  const { perWithdrawal, perDay, perNight } = limits;
  if (perWithdrawal !== null && amount > perWithdrawal) {
    return { limitName: "perWithdrawal", period: "withdrawal", limit: perWithdrawal, used: 0, resetsAt: null };
  }
  const counted = (name: "day" | "night", limit: number | null, period: Period | null): Exceeded | null => {
    if (limit === null || period === null) return null;
    const used = sumOf(limits.hours, period);
    const limitName = name === "day" ? "perDay" : "perNight";
    return used + amount > limit ? { limitName, period: name, limit, used, resetsAt: new Date(period.to) } : null;
  };
  return counted("night", perNight, nightOf(now)) ?? counted("day", perDay, dayPeriodOf(now));
}

/**
 * The first limit of the account's payout policy that a withdrawal of `amount` would exceed; null when it fits. An hour is
 * a clock hour.
 *
 * @param toKey centavos on their way to the same key, if it was never paid; null: it was.
 */
export function exceededPolicy(
  policy: PayoutPolicy,
  limits: WithdrawalLimits,
  amount: number,
  toKey: number | null,
  now: Date,
): Exceeded | null {
  const { perHourCount, perHourSum, newKeyMaxAmount } = policy;
  const { from: hour, to } = hourOf(now);
  const byClock = { period: "hour", resetsAt: new Date(to) } as const;
  const [count, sum] = [limits.counts?.get(hour) ?? 0, limits.hours.get(hour) ?? 0];
  if (perHourCount !== null && count + 1 > perHourCount) {
    return { ...byClock, limitName: "perHourCount", limit: perHourCount, used: count };
  }
  if (perHourSum !== null && sum + amount > perHourSum) {
    return { ...byClock, limitName: "perHourSum", limit: perHourSum, used: sum };
  }
  if (newKeyMaxAmount !== null && toKey !== null && toKey + amount > newKeyMaxAmount) {
    return { limitName: "newKeyAmount", period: "key", limit: newKeyMaxAmount, used: toKey, resetsAt: null };
  }
  return null;
}

/** Details of a refusal by this limit. */
export const limitDetails = ({ limitName, period, limit, used, resetsAt }: Exceeded) => ({
  limitName,
  period,
  limit: limitName === "perHourCount" ? limit : toBrl(limit),
  used: limitName === "perHourCount" ? used : toBrl(used),
  resetsAt: resetsAt?.toISOString() ?? null,
});

/** The commands that change what limits count, of a tenant and of a sub-account. */
export const COUNTING = {
  count: {
    by: [
      "request withdrawal",
      "adopt withdrawal",
      "admit withdrawal",
      "resolve withdrawal",
      "cancel withdrawal",
      "reject withdrawal",
      "force withdrawal",
    ],
    columns: ["hours", "counts"],
  },
} as const;

/**
 * The limits of a tenant for money commands, with what they count. The row's id is the account's. Read and written under
 * the tenant's lock, together with the withdrawals.
 */
export const limitsTable: WrittenTable<WithdrawalLimits, { count: Pick<WithdrawalLimits, "hours" | "counts"> }> = {
  name: "withdrawal limits",
  order: 15,
  groups: COUNTING,
  keyOf: ({ accountId }) => ({ accountId, id: accountId }),
  async load(tx, keys) {
    const { rows } = await tx.query<{
      account_id: string;
      limit_per_withdrawal: number | null;
      limit_per_day: number | null;
      limit_per_night: number | null;
      hour: number | null;
      amount: number | null;
      count: number | null;
    }>(sql`
      select a.account_id, a.limit_per_withdrawal, a.limit_per_day, a.limit_per_night, h.hour, h.amount, h.count
      from accounts a
      left join withdrawal_sums s on s.account_id = a.account_id
      left join lateral unnest(s.hours, s.amounts, s.counts) as h (hour, amount, count) on true
      where a.account_id = any(${uuids(keys.map((k) => k.accountId))}::uuid[])`);
    return [...Map.groupBy(rows, (row) => row.account_id)].map(([accountId, [first, ...more]]) => ({
      key: { accountId, id: accountId },
      row: {
        accountId,
        perWithdrawal: first!.limit_per_withdrawal,
        perDay: first!.limit_per_day,
        perNight: first!.limit_per_night,
        hours: new Map(
          [first!, ...more].flatMap(({ hour, amount }) => (hour === null ? [] : [[hour, amount!] as const])),
        ),
        counts: new Map(
          [first!, ...more].flatMap(({ hour, count }) => (hour === null ? [] : [[hour, count!] as const])),
        ),
      },
    }));
  },
  /** Writes the counts only; operators change the limits themselves. */
  update(_, rows) {
    const flat = rows.flatMap(({ accountId, hours, counts }) =>
      [...hours].map(([hour, amount]) => ({ accountId, hour, amount, count: counts?.get(hour) ?? 0 })),
    );
    return [
      sql`
      insert into withdrawal_sums (account_id, hours, amounts, counts)
      select u.account_id, array_agg(u.hour order by u.hour), array_agg(u.amount order by u.hour),
        array_agg(u.count order by u.hour)
      from ${relation("u", { accountId: uuid, hour: bigint, amount: bigint, count: int }, flat)}
      group by u.account_id
      on conflict (account_id) do update set hours = excluded.hours, amounts = excluded.amounts,
        counts = excluded.counts`,
    ];
  },
};

/** The counts after a withdrawal of `amount` (negative: without it); null where its hour is no longer counted. */
export function countedHours(
  limits: Pick<WithdrawalLimits, "hours" | "counts">,
  counted: { readonly amount: number; readonly at: Date },
  now: Date,
): Required<Pick<WithdrawalLimits, "hours" | "counts">> | null {
  const { from: hour } = hourOf(counted.at);
  const since = now.getTime() - COUNTED;
  if (hour < since) return null;
  const hours = new Map([...limits.hours].filter(([startOfHour]) => startOfHour >= since));
  // A clock that was ahead has dropped hours too early. What was not counted cannot be taken out.
  hours.set(hour, Math.max(0, (hours.get(hour) ?? 0) + counted.amount));
  const counts = new Map([...(limits.counts ?? [])].filter(([startOfHour]) => startOfHour >= since));
  counts.set(hour, Math.max(0, (counts.get(hour) ?? 0) + Math.sign(counted.amount)));
  return { hours, counts };
}

/**
 * Counts the amount of a withdrawal in its hour, or with a negative amount takes it out. Nothing where that hour is no
 * longer counted.
 */
export function countedWrites(
  limits: WithdrawalLimits,
  counted: { readonly amount: number; readonly at: Date },
  now: Date,
): readonly Update<WithdrawalLimits>[] {
  const after = countedHours(limits, counted, now);
  return after === null ? [] : [update(limitsTable, limits, "count", after)];
}
