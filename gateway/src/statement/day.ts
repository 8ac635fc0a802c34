import { type Static, Type } from "typebox";
import type { Queries } from "../db/pool.ts";
import { prepared, sql, withoutIndex } from "../db/sql.ts";
import { AnswerObject, AnswerPart } from "../http/contract.ts";
import { invalid } from "../http/errors.ts";
import { sumKinds } from "../ledger/sum-kinds.ts";
import { findLinesAt } from "../ledger/window.ts";
import { dayOf, dayWindow } from "../lib/days.ts";
import { firstUuidAt, ID_SLACK } from "../lib/ids.ts";
import { toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import { pacedCount } from "./paced-count.ts";

/** The day PIX began: nothing was received before. */
const FIRST_DAY = "2020-11-16";
const HOURS = 24;
const HOUR = 3_600_000;

export const DaySummary = AnswerObject(
  "DaySummary",
  "A day of a wallet: the amounts that it received, and how many charges were created and paid.",
  {
    date: Type.String({ description: "The day, of São Paulo." }),
    until: Type.Optional(
      Type.String({
        format: "date-time",
        description: "Only what was before this time counts; as it was asked for.",
      }),
    ),
    received: AnswerPart(
      "What was credited by paid charges, by the time of booking: the statement's lines of the kind `charge_paid`.",
      {
        count: Type.Integer({ description: "Charges credited to the wallet." }),
        amount: Type.Number({ description: "Their gross amounts, BRL: the sum of `hours`." }),
        hours: Type.Array(
          AnswerPart("One hour of São Paulo.", {
            count: Type.Integer({ description: "Charges credited in the hour." }),
            amount: Type.Number({ description: "Their gross amounts, BRL." }),
          }),
          { minItems: HOURS, maxItems: HOURS, description: "The 24 hours of the day, from 0 h on." },
        ),
      },
    ),
    charges: AnswerPart("The charges of the day, by when they were created.", {
      created: Type.Integer({ description: "Charges created that day." }),
      paid: Type.Integer({
        description:
          "How many of those are credited by now, or by a Pix of before `until`. Of a day with more than 20,000 charges both numbers may be up to 5 s old.",
      }),
    }),
  },
);

export const DayQuery = Type.Object({
  date: Type.Optional(
    Type.String({
      maxLength: 10,
      description: "A day of São Paulo, such as `2026-11-23`, from 2020-11-16 to today; left out: today.",
    }),
  ),
  until: Type.Optional(
    Type.String({
      format: "date-time",
      description: "Only what was before this time of the day, to compare it with another that is not over.",
    }),
  ),
});

type Wallet = { readonly accountId: string; readonly walletId: string };

/**
 * Sums of a wallet's day, however many lines and charges it has: lines by stored sums, charges by an index, less often
 * where they are many.
 *
 * @throws ApiError for an invalid day, a day before PIX began or that has not begun, and for a time outside the day.
 */
export async function summariseDay(
  queries: Queries,
  wallet: Wallet,
  query: Static<typeof DayQuery>,
  now: Date,
): Promise<Static<typeof DaySummary>> {
  const date = query.date ?? dayOf(now);
  const day = dayWindow(date);
  if (day === null || date < FIRST_DAY || date > dayOf(now)) {
    throw invalid("date", `must be a day from ${FIRST_DAY} to today, such as 2026-11-23`);
  }
  const until = query.until === undefined ? null : new Date(query.until);
  if (until !== null && !(until >= day.from && until <= day.to)) throw invalid("until", "must be a time of the day");
  const [hours, charges] = await Promise.all([
    readHours(queries, wallet, day.from, until ?? day.to),
    pacedCount(queries, wallet.walletId, `${date} ${until?.getTime()}`, () =>
      countCharges(queries, wallet, day.from, until ?? day.to, until),
    ),
  ]);
  const [count, amount] = hours.reduce(([n, sum], hour) => [n + hour.count, sum + hour.amount], [0, 0]);
  return present<Static<typeof DaySummary>>({
    date,
    until: until?.toISOString(),
    received: { count, amount: toBrl(amount), hours: hours.map((hour) => ({ ...hour, amount: toBrl(hour.amount) })) },
    charges,
  });
}

type Hour = { readonly count: number; readonly amount: number };

/** The amount credited in each hour of a day. Centavos. */
async function readHours(queries: Queries, wallet: Wallet, from: Date, to: Date): Promise<Hour[]> {
  const ends = Array.from({ length: HOURS + 1 }, (_, h) => new Date(Math.min(from.getTime() + h * HOUR, to.getTime())));
  const found = await findLinesAt(queries, wallet, "available", ends);
  if (found === null) return ends.slice(1).map(() => ({ count: 0, amount: 0 }));
  const hours = ends.slice(1).map((_, h) => ({ no: found.no, from: found.lines[h]!, below: found.lines[h + 1]! }));
  const sums = await sumKinds(queries, wallet.accountId, hours);
  return sums.map((sum) => {
    const paid = sum.get("charge_paid");
    return { count: paid?.lines ?? 0, amount: paid?.came ?? 0 };
  });
}

/** Charges that an institution has accepted, and how many of them are paid: by now, or before `until`. */
async function countCharges(
  queries: Queries,
  wallet: Wallet,
  from: Date,
  to: Date,
  until: Date | null,
): Promise<{ readonly created: number; readonly paid: number }> {
  const ids = [firstUuidAt(from.getTime() - ID_SLACK), firstUuidAt(to.getTime() + ID_SLACK)];
  const { rows } = await queries.query<{ created: number; paid: number }>(
    prepared(sql`
    select count(*) as created,
      count(*) filter (where status = 'completed' and paid_at < ${until ?? "infinity"}::timestamptz) as paid
    from charges
    where account_id = ${wallet.accountId} and wallet_id = ${wallet.walletId}
      and charge_id >= ${ids[0]} and charge_id < ${ids[1]}
      and ${withoutIndex("created_at", "time")} >= ${from} and ${withoutIndex("created_at", "time")} < ${to}
      and status not in ('creating', 'rejected')`),
  );
  return rows[0]!;
}
