/** The terms of a charge with a due date as `/cobv` writes them: kinds by number (`modalidade`), amounts and percentages as text. */
import { dayWindow } from "../../lib/days.ts";
import type { DueTerms, Rate } from "../../lib/due.ts";
import { toDecimalString } from "../../lib/money.ts";
import { type Json, list, readSigned, record } from "./read-values.ts";

/** `juros`: a fixed amount, then a percentage by day, month and year; the same again for days of business. */
const INTEREST = { day: 2, month: 3, year: 4 } as const;
const BUSINESS = 4;

export const writeDueDate = ({ date, daysAfter }: DueTerms): Json => ({
  dataDeVencimento: date,
  validadeAposVencimento: daysAfter,
});

/** The fields of `valor` beside the original amount. */
export function writeTerms({ fine, interest, discount, abatement }: DueTerms): Json {
  return {
    ...(fine && { multa: writePart(fine) }),
    ...(interest && {
      juros: {
        modalidade: ("fixed" in interest ? 1 : INTEREST[interest.per]) + (interest.days === "business" ? BUSINESS : 0),
        valorPerc: written(interest),
      },
    }),
    ...(abatement && { abatimento: writePart(abatement) }),
    ...(discount && { desconto: writeDiscount(discount) }),
  };
}

function writeDiscount(discount: NonNullable<DueTerms["discount"]>): Json {
  if ("perDay" in discount) {
    const { perDay } = discount;
    const kind = "fixed" in perDay ? 3 : 5;
    return { modalidade: kind + (perDay.days === "business" ? 1 : 0), valorPerc: written(perDay) };
  }
  const [first] = discount.until;
  return {
    modalidade: "fixed" in first! ? 1 : 2,
    descontoDataFixa: discount.until.map((step) => ({ data: step.date, valorPerc: written(step) })),
  };
}

const writePart = (rate: Rate): Json => ({ modalidade: "fixed" in rate ? 1 : 2, valorPerc: written(rate) });
/** Hundredths of a percent are written like centavos. */
const written = (rate: Rate): string => toDecimalString("fixed" in rate ? rate.fixed : rate.percentBps);

/** A part as it is written, in hundredths. Readers answer `none` for one that is left out or zero, and undefined for an unreadable one. */
type Part = { readonly kind: number; readonly value: number };

/** The terms that `/cobv` shows. Undefined where any of them cannot be read: half of them would be other terms. */
export function readTerms(cob: Json): DueTerms | undefined {
  const [calendar, value] = [record(cob.calendario), record(cob.valor)];
  const [date, daysAfter] = [readDay(calendar?.dataDeVencimento), calendar?.validadeAposVencimento ?? 30];
  if (value === undefined || date === undefined || !isDays(daysAfter)) return undefined;
  const [fine, interest, abatement] = [readPart(value.multa), readPart(value.juros), readPart(value.abatimento)];
  const discount = readDiscount(value.desconto);
  if (fine === undefined || interest === undefined || abatement === undefined || discount === undefined)
    return undefined;
  return {
    date,
    daysAfter,
    ...(fine !== "none" && { fine: rateOf(fine, 1) }),
    ...(interest !== "none" && { interest: readInterest(interest) }),
    ...(discount !== "none" && { discount }),
    ...(abatement !== "none" && { abatement: rateOf(abatement, 1) }),
  };
}

/** Ten years: beyond them the days of the last one are none. */
const MOST_DAYS = 3_650;
const isDays = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MOST_DAYS;

const readDay = (value: unknown): string | undefined =>
  typeof value === "string" && dayWindow(value) !== null ? value : undefined;

/** A rate of a kind: those up to `fixed` are amounts, the others percentages. */
const rateOf = ({ kind, value }: Part, fixed: number): Rate =>
  kind <= fixed ? { fixed: value } : { percentBps: value };

function readPart(written: unknown): Part | "none" | undefined {
  if (written == null) return "none";
  const { modalidade, valorPerc } = record(written) ?? {};
  const [kind, value] = [Number(modalidade), readSigned(valorPerc)];
  if (!Number.isInteger(kind) || kind < 1 || kind > 8 || value === null || value < 0) return undefined;
  return value === 0 ? "none" : { kind, value };
}

function readInterest({ kind, value }: Part): NonNullable<DueTerms["interest"]> {
  const [of, days] = kind > BUSINESS ? [kind - BUSINESS, "business" as const] : [kind, "calendar" as const];
  return { ...rateOf({ kind: of, value }, 1), per: (["day", "day", "month", "year"] as const)[of - 1]!, days };
}

function readDiscount(written: unknown): NonNullable<DueTerms["discount"]> | "none" | undefined {
  if (written == null) return "none";
  const { modalidade, descontoDataFixa } = record(written) ?? {};
  if (Number(modalidade) > 2) {
    const part = readPart(written);
    if (part === undefined || part === "none") return part;
    return { perDay: { ...rateOf(part, 4), days: part.kind % 2 === 0 ? "business" : "calendar" } };
  }
  const until = list(descontoDataFixa).map((step) => {
    const { data, valorPerc } = record(step) ?? {};
    const [part, date] = [readPart({ modalidade, valorPerc }), readDay(data)];
    return part === undefined || part === "none" || date === undefined ? undefined : { date, ...rateOf(part, 1) };
  });
  const read = until.filter((step) => step !== undefined);
  return read.length === 0 || read.length < until.length ? undefined : { until: read };
}
