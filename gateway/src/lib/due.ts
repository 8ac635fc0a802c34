/**
 * What a charge with a due date (API Pix, `cobv`) costs on which day. The institution computes what is paid; this is what we
 * show, and what we expect of an institution that does not explain an amount. Amounts are centavos, rates hundredths of a
 * percent (100 is 1 %), days `2026-11-20` of São Paulo.
 *
 * As the Central Bank's manual of initiation has it: percentages are of the amount less the abatement, interest is simple,
 * and what refers to the due date refers to the first business day from it on.
 */
import { isDeepStrictEqual } from "node:util";
import { businessDaysBetween, daysBetween, nextBusinessDay, weekdaysBetween } from "./business-days.ts";
import { daysAfter, dayWindow } from "./days.ts";
import type { Centavos } from "./money.ts";

/** A fixed number of centavos, or hundredths of a percent. */
export type Rate = { readonly fixed: Centavos } | { readonly percentBps: number };
type DayCount = "calendar" | "business";

export type DueTerms = {
  /** The due date. */
  readonly date: string;
  /** Days after the due date on which it can still be paid. */
  readonly daysAfter: number;
  readonly fine?: Rate;
  readonly interest?: Rate & { readonly per: "day" | "month" | "year"; readonly days: DayCount };
  readonly discount?:
    | { readonly until: readonly (Rate & { readonly date: string })[] }
    | { readonly perDay: Rate & { readonly days: DayCount } };
  readonly abatement?: Rate;
};

/**
 * An edit of the terms of a charge. Stored before it is sent to the institution; its terms never change.
 * - `asked`: the institution may have either terms.
 * - `done`: it has the new ones. `refused`: it has kept the old ones.
 */
export type DueEdit = {
  readonly from: DueTerms;
  readonly to: DueTerms;
  /** ISO time, as are `sentAt` and `endedAt`. */
  readonly askedAt: string;
  readonly status: "asked" | "done" | "refused";
  readonly endedAt: string | null;
  /**
   * Requests that may have left. Each is counted before it is sent. If there was only one, whoever sent it knows its
   * outcome.
   */
  readonly requests: number;
  /** When the newest request without a known answer was counted. */
  readonly sentAt: string;
  /** A request without an answer may still arrive after the end, so a Pix by the new terms stays expected. */
  readonly mayArrive: boolean;
  /** `institution`: nobody asked for it here; the institution has shown these terms. A Pix by the old ones stays expected. */
  readonly by: "merchant" | "institution";
};

/** The parts of an amount: original + fine + interest − discount − abatement. */
export type Components = {
  readonly original: Centavos;
  readonly fine: Centavos;
  readonly interest: Centavos;
  readonly discount: Centavos;
  readonly abatement: Centavos;
};

/** Days of a rate's period: of the calendar, and those of business (manual of initiation: 1, 21 or 252). */
const PERIOD = { calendar: { day: 1, month: 30, year: 365 }, business: { day: 1, month: 21, year: 252 } } as const;

export const totalOf = ({ original, fine, interest, discount, abatement }: Components): Centavos =>
  original + fine + interest - discount - abatement;

/** Whether two terms mean the same, in whatever order their dates are listed. */
export const sameTerms = (one: DueTerms, other: DueTerms): boolean => isDeepStrictEqual(sorted(one), sorted(other));

function sorted(terms: DueTerms): DueTerms {
  const { discount } = terms;
  if (discount === undefined || !("until" in discount)) return terms;
  return { ...terms, discount: { until: [...discount.until].sort((a, b) => (a.date < b.date ? -1 : 1)) } };
}

/** Whether two terms cost the same on every day: a bank may show a date as the business day that it becomes. */
export const sameEffect = (one: DueTerms, other: DueTerms): boolean =>
  isDeepStrictEqual(effectOf(one), effectOf(other));

const isNothing = (rate: Rate): boolean => ("fixed" in rate ? rate.fixed : rate.percentBps) === 0;

function effectOf(terms: DueTerms): object {
  const { date, fine, interest, discount, abatement } = sorted(terms);
  const steps = discount !== undefined && "until" in discount ? discount.until : [];
  const perDay = discount !== undefined && "perDay" in discount && !isNothing(discount.perDay) ? discount.perDay : null;
  const given = (rate: Rate | undefined) => (rate === undefined || isNothing(rate) ? null : rate);
  return {
    ...{ due: nextBusinessDay(date), last: lastDayOf(terms), fine: given(fine), interest: given(interest), perDay },
    ...{ abatement: given(abatement) },
    steps: steps.filter((step) => !isNothing(step)).map((step) => ({ ...step, date: nextBusinessDay(step.date) })),
  };
}

/** What is due on a day. Never below one centavo: a charge of nothing cannot be paid. */
export function dueOn(original: Centavos, terms: DueTerms, day: string): Components {
  const abatement = abatementOf(original, terms);
  const base = original - abatement;
  const due = nextBusinessDay(terms.date);
  const late = lateness(due, day);
  return {
    original,
    fine: late === 0 || terms.fine === undefined ? 0 : share(terms.fine, base),
    interest: late === 0 ? 0 : interestOf(base, terms, due, day),
    discount: Math.min(base - 1, discountOf(base, terms, due, day)),
    abatement,
  };
}

/** The last day on which it can be paid. Both it and the due date move to the next business day. */
export const lastDayOf = (terms: Pick<DueTerms, "date" | "daysAfter">): string =>
  nextBusinessDay(daysAfter(nextBusinessDay(terms.date), terms.daysAfter));

/**
 * The last day at a bank for which the due date, or the last day itself, is a local holiday of which nobody here knows: it
 * moves to the next business day.
 */
export function latestDayOf(terms: Pick<DueTerms, "date" | "daysAfter">): string {
  const after = (day: string) => nextBusinessDay(daysAfter(day, 1));
  const moved = nextBusinessDay(daysAfter(after(nextBusinessDay(terms.date)), terms.daysAfter));
  const last = after(lastDayOf(terms));
  return moved > last ? moved : last;
}

/** The end of the last day on which it can be paid. */
export const payableUntil = (terms: Pick<DueTerms, "date" | "daysAfter">): Date => dayWindow(lastDayOf(terms))!.to;

/**
 * The amounts that an institution may have computed for a day: from what was asked less every discount and abatement, to
 * what was asked with fine and interest. Wider than `dueOn`, since banks know local holidays, and round on their own.
 */
export function possibleOn(original: Centavos, terms: DueTerms, day: string): { from: Centavos; to: Centavos } {
  const late = Math.max(0, daysBetween(terms.date, day));
  const { interest, fine } = terms;
  const days = interest?.days === "business" ? weekdaysBetween(terms.date, day) : late;
  const fines = late === 0 || fine === undefined ? 0 : share(fine, original);
  const interests = interest === undefined ? 0 : share(interest, original, days, PERIOD[interest.days][interest.per]);
  const less = abatementOf(original, terms) + greatestDiscount(original, terms, day);
  // A bank may round each day's interest.
  const rounding = interests > 0 ? Math.max(1, days) : 0;
  return { from: Math.max(1, original - less), to: original + fines + interests + rounding };
}

/** The greatest discount that any bank could give for a payment on this day. */
function greatestDiscount(original: Centavos, { date, discount }: DueTerms, day: string): Centavos {
  if (discount === undefined) return 0;
  if ("until" in discount) return Math.max(...discount.until.map((step) => share(step, original)));
  // From the latest day that the due date may become: a week holds every holiday.
  return share(discount.perDay, original, Math.max(0, daysBetween(day, daysAfter(date, 7))));
}

const abatementOf = (original: Centavos, { abatement }: DueTerms): Centavos =>
  abatement === undefined ? 0 : Math.min(original - 1, share(abatement, original));

/** Days after the due date; fine and interest begin on the first business day after it. */
function lateness(due: string, day: string): number {
  const days = daysBetween(due, day);
  return days > 0 && businessDaysBetween(due, day) > 0 ? days : 0;
}

function interestOf(base: Centavos, { interest }: DueTerms, due: string, day: string): Centavos {
  if (interest === undefined) return 0;
  const days = interest.days === "business" ? businessDaysBetween(due, day) : daysBetween(due, day);
  return share(interest, base, days, PERIOD[interest.days][interest.per]);
}

function discountOf(base: Centavos, { discount }: DueTerms, due: string, day: string): Centavos {
  if (discount === undefined) return 0;
  if ("until" in discount) {
    const steps = [...discount.until].sort((a, b) => (a.date < b.date ? -1 : 1));
    const step = steps.find(({ date }) => day <= nextBusinessDay(date));
    return step === undefined ? 0 : share(step, base);
  }
  const { perDay } = discount;
  const days = perDay.days === "business" ? businessDaysBetween(day, due) : Math.max(0, daysBetween(day, due));
  return share(perDay, base, days);
}

/** A rate for so many days of its period. Exact in integers, rounded half up to the centavo once, at the end. */
function share(rate: Rate, base: Centavos, days = 1, period = 1): Centavos {
  if ("fixed" in rate) return rate.fixed * days;
  const divisor = BigInt(10_000 * period);
  return Number((2n * BigInt(base) * BigInt(rate.percentBps) * BigInt(days) + divisor) / (2n * divisor));
}
