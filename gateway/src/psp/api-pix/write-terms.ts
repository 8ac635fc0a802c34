/** The terms of a charge with a due date as `/cobv` writes them: kinds by number (`modalidade`), amounts and percentages as text. */
import type { DueTerms, Rate } from "../../lib/due.ts";
import { toDecimalString } from "../../lib/money.ts";
import type { Json } from "./read-values.ts";

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
