import { type Static, Type } from "typebox";
import type { Context } from "../context.ts";
import { sql } from "../db/sql.ts";
import { AmountComponents, showComponents } from "../http/amount-components.ts";
import { AnswerObject, Brl, RequestObject, ref } from "../http/contract.ts";
import { invalid, notFound } from "../http/errors.ts";
import { isBusinessDay, nextBusinessDay } from "../lib/business-days.ts";
import { dayOf, daysAfter, dayWindow } from "../lib/days.ts";
import { type DueTerms, dueOn, lastDayOf, totalOf } from "../lib/due.ts";
import { LIMITS } from "../lib/limits.ts";
import { fromBrl, toBrl } from "../lib/money.ts";
import { Due } from "../transactions/due.ts";
import { type ChargeColumns, chargesTable } from "./charge.ts";
import { notEditable } from "./revise.ts";
import { acceptDue } from "./terms.ts";

export const DuePreviewRequest = RequestObject(
  "DuePreviewRequest",
  "A charge with a due date: `amount` and `due`, or `transactionId`, with `due` for terms that it is to get.",
  {
    transactionId: Type.Optional(
      Type.String({ format: "uuid", description: "A pending charge with a due date; `amount` is left out then." }),
    ),
    amount: Type.Optional(Brl({ minimum: 1, description: "Amount of a charge that is not made yet, BRL." })),
    due: Type.Optional(ref(Due)),
    from: Type.Optional(
      Type.String({
        format: "date",
        description: "First day of the answer; today if left out, or if it is before today.",
      }),
    ),
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LIMITS.previewDays, default: 31, description: "Most days of the answer." }),
    ),
  },
);

const DueDay = AnswerObject("DueDay", "A day on which a charge can be paid.", {
  date: Type.String({ format: "date", description: "Day of São Paulo." }),
  isBusinessDay: Type.Boolean({ description: "Neither a weekend nor a national holiday." }),
  amount: Type.Number({ description: "What is due on it, BRL." }),
  components: ref(AmountComponents),
});

export const DuePreview = AnswerObject("DuePreview", "What a charge with a due date costs on which day.", {
  isEstimate: Type.Literal(true, {
    description: "Pixgate's own computation: what the institution computes wins, and it knows local holidays.",
  }),
  dueDay: Type.String({ format: "date", description: "The due date, or the business day that it moves to." }),
  lastDay: Type.String({ format: "date", description: "The last day on which it can be paid." }),
  days: Type.Array(ref(DueDay), { description: "Day by day, up to the last day at most." }),
});

/** Computes what a charge with a due date costs on which day, or would cost. Moves and stores nothing. */
export async function previewDue(
  ctx: Pick<Context, "db" | "clock">,
  owner: { readonly accountId: string; readonly walletId: string },
  asked: Static<typeof DuePreviewRequest>,
): Promise<Static<typeof DuePreview>> {
  const today = dayOf(ctx.clock.date());
  const { amount, due } = await termsOf(ctx, owner, asked, today);
  if (asked.from !== undefined && dayWindow(asked.from) === null) throw invalid("from", "is not a day");
  const lastDay = lastDayOf(due);
  const days: Static<typeof DueDay>[] = [];
  let day = asked.from !== undefined && asked.from > today ? asked.from : today;
  for (let left = asked.days ?? 31; left > 0 && day <= lastDay; left -= 1, day = daysAfter(day, 1)) {
    const components = dueOn(amount, due, day);
    days.push({
      date: day,
      isBusinessDay: isBusinessDay(day),
      amount: toBrl(totalOf(components)),
      components: showComponents(components),
    });
  }
  return { isEstimate: true, dueDay: nextBusinessDay(due.date), lastDay, days };
}

async function termsOf(
  { db }: Pick<Context, "db">,
  { accountId, walletId }: { readonly accountId: string; readonly walletId: string },
  { transactionId, amount, due }: Static<typeof DuePreviewRequest>,
  today: string,
): Promise<{ readonly amount: number; readonly due: DueTerms }> {
  if (transactionId === undefined) {
    if (amount === undefined) throw invalid("amount", "is needed without `transactionId`");
    if (due === undefined) throw invalid("due", "is needed without `transactionId`");
    return { amount: fromBrl(amount)!, due: acceptDue(due, fromBrl(amount)!, today) };
  }
  const { rows } = await db.query<Pick<ChargeColumns, "status" | "amount" | "due">>(sql`
    select ${chargesTable.select("", ["status", "amount", "due"])} from charges
    where account_id = ${accountId} and wallet_id = ${walletId} and charge_id = ${transactionId}
      and status not in ('creating', 'rejected')`);
  const [charge] = rows;
  if (charge === undefined) throw notFound("charge", transactionId);
  if (amount !== undefined) throw invalid("amount", "is left out with `transactionId`");
  if (charge.status !== "pending" || charge.due === null) throw notEditable(charge.status);
  return { amount: charge.amount, due: due ? acceptDue(due, charge.amount, today, charge.due) : charge.due };
}
