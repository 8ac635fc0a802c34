import { type Static, Type } from "typebox";
import { AnswerObject, Brl, RequestObject, ref } from "../http/contract.ts";
import type { DueEdit, DueTerms, Rate } from "../lib/due.ts";
import { toBrl } from "../lib/money.ts";

const Day = (description: string) => Type.String({ format: "date", description });
const Percent = (description: string) => Type.Number({ minimum: 0.01, maximum: 100, multipleOf: 0.01, description });
const Fixed = Type.Optional(Brl({ minimum: 0.01, description: "Fixed amount, BRL; `percent` is left out then." }));
const DayCount = Type.Optional(
  Type.Enum(["calendar", "business"], { type: "string", default: "calendar", description: "Which days count." }),
);

/** A part that is an amount or a percentage. */
const amountOrPercent = {
  fixed: Fixed,
  percent: Type.Optional(Percent("Of the amount less the abatement, %; `fixed` is left out then.")),
};

const DueFine = RequestObject("DueFine", "Added once when it is paid late.", amountOrPercent);
const DueAbatement = RequestObject("DueAbatement", "Taken off whenever it is paid.", {
  fixed: Fixed,
  percent: Type.Optional(Percent("Of the amount, %; `fixed` is left out then.")),
});
const DueInterest = RequestObject("DueInterest", "Added for each day after the due date. Simple interest.", {
  ...amountOrPercent,
  per: Type.Enum(["day", "month", "year"], {
    type: "string",
    description: "The rate's period. A month has 30 days or 21 of business, a year 365 or 252. `fixed` is by day.",
  }),
  days: DayCount,
});
const DueDiscountStep = RequestObject("DueDiscountStep", "A discount up to a day.", {
  date: Day("The last day of this discount."),
  ...amountOrPercent,
});
const DueDiscountPerDay = RequestObject("DueDiscountPerDay", "A discount for each day before the due date.", {
  ...amountOrPercent,
  days: DayCount,
});
const DueDiscount = RequestObject("DueDiscount", "Taken off when it is paid early: `until` or `perDay`.", {
  until: Type.Optional(
    Type.Array(ref(DueDiscountStep), {
      minItems: 1,
      maxItems: 3,
      description: "Up to three days, none after the due date, all amounts or all percentages.",
    }),
  ),
  perDay: Type.Optional(ref(DueDiscountPerDay)),
});

/** When a charge is due, and what it costs before and after. */
export const Due = RequestObject("Due", "A due date, with what is added after it and taken off before it.", {
  date: Day("The due date, a day of São Paulo. One that is no business day moves to the next one."),
  daysAfter: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 365,
      default: 30,
      description: "Days after the due date on which it can still be paid.",
    }),
  ),
  fine: Type.Optional(ref(DueFine)),
  interest: Type.Optional(ref(DueInterest)),
  discount: Type.Optional(ref(DueDiscount)),
  abatement: Type.Optional(ref(DueAbatement)),
});
export type Due = Static<typeof Due>;

export const DueEdits = AnswerObject("DueEdit", "A change of the terms of a charge with a due date.", {
  from: ref(Due),
  to: ref(Due),
  status: Type.Enum(["pending", "done", "refused"], {
    type: "string",
    description:
      "`pending`: the institution has not answered, and the payer may pay by either terms. `refused`: the old terms stand.",
  }),
  askedAt: Type.String({ format: "date-time", description: "When it was asked for, or shown." }),
  by: Type.Enum(["merchant", "institution"], {
    type: "string",
    description:
      "Who made it. `institution`: nobody asked for it here, and the institution has shown it; the payer may pay by either terms.",
  }),
  endedAt: Type.Optional(Type.String({ format: "date-time", description: "When the institution's answer was known." })),
});

/** Edits as answers show them. */
export const showEdits = (edits: readonly DueEdit[]): Static<typeof DueEdits>[] =>
  edits.map(({ from, to, status, askedAt, endedAt, by }) => ({
    from: showDue(from),
    to: showDue(to),
    status: status === "asked" ? "pending" : status,
    askedAt,
    by,
    ...(endedAt !== null && { endedAt }),
  }));

/** Terms as answers show them. */
export function showDue(terms: DueTerms): Due {
  const { date, daysAfter, fine, interest, discount, abatement } = terms;
  return {
    date,
    daysAfter,
    ...(fine && { fine: showRate(fine) }),
    ...(interest && { interest: { ...showRate(interest), per: interest.per, days: interest.days } }),
    ...(discount && { discount: showDiscount(discount) }),
    ...(abatement && { abatement: showRate(abatement) }),
  };
}

function showDiscount(discount: NonNullable<DueTerms["discount"]>): NonNullable<Due["discount"]> {
  if ("perDay" in discount) return { perDay: { ...showRate(discount.perDay), days: discount.perDay.days } };
  return { until: discount.until.map((step) => ({ date: step.date, ...showRate(step) })) };
}

const showRate = (rate: Rate): { fixed: number } | { percent: number } =>
  "fixed" in rate ? { fixed: toBrl(rate.fixed) } : { percent: toBrl(rate.percentBps) };
