import { ApiError, invalid } from "../http/errors.ts";
import { daysBetween } from "../lib/business-days.ts";
import { dayOf, daysAfter, dayWindow } from "../lib/days.ts";
import { documentKind, normaliseDocument } from "../lib/documents.ts";
import {
  type Components,
  type DueEdit,
  type DueTerms,
  dueOn,
  lastDayOf,
  latestDayOf,
  payableUntil,
  possibleOn,
  type Rate,
  totalOf,
} from "../lib/due.ts";
import { LIMITS } from "../lib/limits.ts";
import { type Centavos, fromBrl, MAX_CENTAVOS, toBrl } from "../lib/money.ts";
import { present } from "../lib/present.ts";
import type { Capabilities } from "../psp/capabilities.ts";
import type { ChargeKind, PspPix } from "../psp/psp.ts";
import type { Due } from "../transactions/due.ts";
import { type ChargeRequest, type ChargeRow, DEFAULT_LIFE } from "./charge.ts";

/** What a charge may be paid with, and until when. */

/** How long a requested charge can be paid. Throws the refusal where its due date breaks a rule. */
export function acceptTerms(
  body: ChargeRequest,
  amount: Centavos,
  now: Date,
): { readonly due: DueTerms | null; readonly expiresIn: number; readonly expiresAt: Date } {
  if (body.due === undefined) {
    const expiresIn = body.expiresIn ?? DEFAULT_LIFE;
    return { due: null, expiresIn, expiresAt: new Date(now.getTime() + expiresIn * 1000) };
  }
  if (body.expiresIn !== undefined) throw invalid("expiresIn", "is left out of a charge with a due date");
  requireCustomer(body.customer);
  const due = acceptDue(body.due, amount, dayOf(now));
  const expiresAt = payableUntil(due);
  return { due, expiresIn: Math.ceil((expiresAt.getTime() - now.getTime()) / 1000), expiresAt };
}

/** The Central Bank wants the debtor of such a charge named, with a CPF or CNPJ. */
function requireCustomer(customer: ChargeRequest["customer"]): void {
  if ((customer?.name ?? "").trim() === "") throw invalid("customer.name", "is needed with a due date");
  if (!customer?.document) throw invalid("customer.document", "is needed with a due date");
  if (documentKind(normaliseDocument(customer.document)) === null)
    throw invalid("customer.document", "is neither a CPF nor a CNPJ with right check digits");
}

/**
 * The terms that a request names. Throws the refusal of a rule that they break.
 *
 * @param before the terms of the charge that they shall replace: its due date may stay, even when it has passed.
 */
export function acceptDue(due: Due, amount: Centavos, today: string, before?: DueTerms): DueTerms {
  requireDay("due.date", due.date);
  if (due.date < today && due.date !== before?.date)
    throw invalid("due.date", `is before today, ${today} in São Paulo`);
  if (daysBetween(today, due.date) > LIMITS.dueDaysAhead)
    throw invalid("due.date", `is more than ${LIMITS.dueDaysAhead} days ahead`);
  const { interest } = due;
  if (interest?.fixed !== undefined && interest.per !== "day")
    throw invalid("due.interest.per", "is `day` where the interest is a fixed amount");
  const terms = present<DueTerms>({
    date: due.date,
    daysAfter: due.daysAfter ?? 30,
    fine: due.fine && readRate("due.fine", due.fine),
    interest: interest && {
      ...readRate("due.interest", interest),
      per: interest.per,
      days: interest.days ?? "calendar",
    },
    discount: due.discount && readDiscount(due.discount, due.date),
    abatement: due.abatement && readRate("due.abatement", due.abatement),
  });
  if (lastDayOf(terms) < today) throw invalid("due.daysAfter", `ends before today, ${today} in São Paulo`);
  requireBelow(terms, amount, today);
  return terms;
}

type Discount = NonNullable<DueTerms["discount"]>;

function readDiscount({ until, perDay }: NonNullable<Due["discount"]>, date: string): Discount {
  if ((until === undefined) === (perDay === undefined))
    throw invalid("due.discount", "needs `until` or `perDay`, and not both");
  if (perDay !== undefined)
    return { perDay: { ...readRate("due.discount.perDay", perDay), days: perDay.days ?? "calendar" } };
  const steps = until!.map((step, i) => {
    const at = `due.discount.until[${i}]`;
    requireDay(`${at}.date`, step.date);
    if (step.date > date) throw invalid(`${at}.date`, "is after the due date");
    if (until!.findIndex((other) => other.date === step.date) < i) throw invalid(`${at}.date`, "is there already");
    const rate = readRate(at, step);
    if ("fixed" in rate !== (until![0]!.fixed !== undefined))
      throw invalid(at, "all discounts are amounts, or all percentages");
    return { date: step.date, ...rate };
  });
  return { until: steps };
}

function requireDay(path: string, day: string): void {
  if (dayWindow(day) === null) throw invalid(path, "is not a day");
}

function readRate(path: string, { fixed, percent }: { fixed?: number; percent?: number }): Rate {
  if ((fixed === undefined) === (percent === undefined))
    throw invalid(path, "needs `fixed` or `percent`, and not both");
  // A percentage with two decimals is a whole number of hundredths.
  return fixed === undefined ? { percentBps: fromBrl(percent!)! } : { fixed: fromBrl(fixed)! };
}

/** An abatement and its discounts must leave something to pay, and the highest amount, on the last day, must be one that a Pix can have. */
function requireBelow(terms: DueTerms, amount: Centavos, today: string): void {
  const { abatement } = terms;
  const only = (rate: Rate): Centavos =>
    "fixed" in rate ? rate.fixed : Math.ceil((amount * rate.percentBps) / 10_000);
  if (abatement !== undefined && only(abatement) >= amount) throw invalid("due.abatement", "leaves nothing to pay");
  const { discount } = terms;
  const days = discount === undefined ? [] : "until" in discount ? discount.until.map(({ date }) => date) : [today];
  if (days.some((day) => totalOf(dueOn(amount, terms, day)) <= 1))
    throw invalid("due.discount", "leaves nothing to pay");
  if (possibleOn(amount, terms, dayOf(new Date(payableUntil(terms).getTime() - 1))).to > MAX_CENTAVOS)
    throw invalid("due", `could ask for more than ${toBrl(MAX_CENTAVOS)}`);
}

/** The kind of a charge at its institution. */
export const kindOf = ({ due }: { readonly due: DueTerms | null }): ChargeKind => (due === null ? "immediate" : "due");

/** Days after a charge's last day for which interest is counted: no bank takes a payment later. */
const LATEST = 366;

/**
 * How long a payer's app that has read the code before an edit may still show the old terms, and pay by them. Milliseconds.
 */
const READ_BEFORE = 900_000;

/** A charge whose edit has no answer expires this many days after the later of its two last days, the old and the new. */
const ABANDONED_AFTER = 7;

type Terms = Pick<ChargeRow, "due" | "dueEdits">;
type Asked = Pick<ChargeRow, "amount"> & Terms;

/** The edit that waits for the institution's answer. */
export const openEdit = ({ dueEdits }: Pick<ChargeRow, "dueEdits">): DueEdit | null => {
  const last = dueEdits?.at(-1);
  return last?.status === "asked" ? last : null;
};

/**
 * The edits of a charge that ends. An edit that is still open ends with it as refused. Its request may still arrive at the
 * institution, so a Pix by its terms stays expected.
 */
export function endedEdits({ dueEdits }: Pick<ChargeRow, "dueEdits">, now: Date): readonly DueEdit[] {
  const last = openEdit({ dueEdits });
  if (last === null) return dueEdits ?? [];
  return [...dueEdits!.slice(0, -1), { ...last, status: "refused", endedAt: now.toISOString(), mayArrive: true }];
}

/** When a charge whose edit never had an answer may expire all the same: nobody can pay by the old or the new terms then. */
export function abandonedAt({ from, to }: Pick<DueEdit, "from" | "to">): Date {
  const [before, after] = [latestDayOf(from), latestDayOf(to)];
  return dayWindow(daysAfter(before > after ? before : after, ABANDONED_AFTER))!.to;
}

/** Whether the newest edit ended so long ago that the institution's reads, which may lag behind, show its outcome. */
export const isSettledEdit = ({ dueEdits }: Pick<ChargeRow, "dueEdits">, now: Date): boolean => {
  const last = dueEdits?.at(-1);
  return last === undefined || (last.endedAt !== null && now.getTime() > Date.parse(last.endedAt) + READ_BEFORE);
};

/**
 * The terms that a Pix of this time may have been paid by. Empty: an immediate charge. Otherwise:
 * - the terms of the charge;
 * - the new terms of an edit that the institution may have made, or may still make;
 * - the old terms of an edit, until `READ_BEFORE` after it was made;
 * - the old terms of an edit that was made at the institution itself, whenever that was.
 */
function termsAt({ due, dueEdits }: Terms, paidAt: Date): readonly DueTerms[] {
  if (due === null) return [];
  const others = (dueEdits ?? []).flatMap(({ from, to, status, endedAt, mayArrive, by }) => [
    ...(status === "asked" || mayArrive ? [to] : []),
    ...(by === "institution" || (status === "done" && paidAt.getTime() <= Date.parse(endedAt!) + READ_BEFORE)
      ? [from]
      : []),
  ]);
  return [due, ...others];
}

/** Until when a Pix of this time was in time. A local holiday may move the bank's last day: what it accepts then is not late. */
export function latestEnd(charge: Terms & Pick<ChargeRow, "expiresAt">, paidAt: Date): Date {
  const { due, expiresAt } = charge;
  // It ended earlier than by its terms: the sandbox has ended it.
  if (due === null || expiresAt < payableUntil(due)) return expiresAt;
  const ends = termsAt(charge, paidAt).map((terms) => dayWindow(latestDayOf(terms))!.to);
  return new Date(Math.max(...ends.map((end) => end.getTime())));
}

/**
 * Whether a charge may be paid with this Pix. What a charge with a due date costs is for its institution to say: its
 * components, where they explain the amount, or else an amount that is possible on that day.
 */
export function isExpected(charge: Asked, pix: Pick<PspPix, "amount" | "paidAt" | "components">): boolean {
  const { amount, due } = charge;
  if (due === null) return pix.amount === amount;
  if (explains(amount, pix)) return true;
  const day = dayOf(pix.paidAt);
  return termsAt(charge, pix.paidAt).some((terms) => {
    const latest = daysAfter(lastDayOf(terms), LATEST);
    const { from, to } = possibleOn(amount, terms, day < latest ? day : latest);
    return from <= pix.amount && pix.amount <= to;
  });
}

/**
 * The components of a Pix, if they add up from the amount asked to the amount paid; null: they do not, or the charge has no
 * due date.
 */
export function explained(
  { amount, due }: Pick<ChargeRow, "amount" | "due">,
  pix: Pick<PspPix, "amount" | "components">,
): Components | null {
  return due !== null && explains(amount, pix) ? pix.components! : null;
}

const explains = (amount: Centavos, { components, amount: paid }: Pick<PspPix, "amount" | "components">): boolean =>
  components !== undefined && components.original === amount && totalOf(components) === paid;

/** The refusal where every institution that could get the charge accepts less in one Pix. */
export function tooMuch(candidates: readonly { readonly can: Pick<Capabilities, "maxAmount"> }[]): ApiError {
  const limit = toBrl(Math.max(...candidates.map(({ can }) => can.maxAmount ?? 0)));
  const message = "No institution that may issue this charge takes so much in one Pix.";
  return new ApiError("NOT_SUPPORTED_BY_INSTITUTION", message, { needs: "a higher amount", limit });
}

/** A charge needs an institution that issues charges; some only pay out. */
export const noCharges = (): ApiError =>
  new ApiError(
    "NOT_SUPPORTED_BY_INSTITUTION",
    "No institution that may have this charge issues charges; it only pays out.",
    { needs: "charges" },
  );

/** A charge with a due date needs an institution that issues them. */
export const noDueDates = (): ApiError =>
  new ApiError(
    "NOT_SUPPORTED_BY_INSTITUTION",
    "No institution that may issue this charge issues charges with a due date.",
    { needs: "charges with a due date" },
  );
