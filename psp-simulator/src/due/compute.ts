import { distance, endOf, plus, workingDays, workingFrom } from "./calendar.ts";
import type { Composition, Due, Part } from "./due.ts";

/** Days of a period of `juros`, by mode: value, percentage by day, month, year; the same for working days. */
const PERIODS = [1, 1, 30, 365, 1, 1, 21, 252];

/** The last moment at which it can be paid, milliseconds since 1970. */
export const dueUntil = ({ dataDeVencimento, validadeAposVencimento }: Due): number =>
  endOf(workingFrom(plus(workingFrom(dataDeVencimento), validadeAposVencimento))) - 1;

/**
 * What a payer is asked on a day (Manual de Padrões para Iniciação do Pix): percentages are of the amount less the
 * abatement, interest is simple, and fine and interest begin on the first working day after the due date.
 */
export function compose(original: number, due: Due, day: string): Composition {
  const abatimento = due.abatimento ? Math.min(original - 1, part(due.abatimento, original)) : 0;
  const rest = original - abatimento;
  const vencimento = workingFrom(due.dataDeVencimento);
  const isLate = day >= workingFrom(plus(vencimento, 1));
  const { multa, juros } = due;
  return {
    original,
    multa: isLate && multa ? part(multa, rest) : 0,
    juros: isLate && juros ? interest(juros, rest, vencimento, day) : 0,
    desconto: Math.min(rest - 1, discount(due.desconto, rest, vencimento, day)),
    abatimento,
  };
}

function interest({ modalidade, hundredths }: Part, rest: number, vencimento: string, day: string): number {
  const days = modalidade > 4 ? workingDays(vencimento, day) : distance(vencimento, day);
  if (modalidade === 1 || modalidade === 5) return hundredths * days;
  return rounded(BigInt(rest) * BigInt(hundredths) * BigInt(days), BigInt(PERIODS[modalidade - 1]! * 10_000));
}

function discount(desconto: Due["desconto"], rest: number, vencimento: string, day: string): number {
  if (!desconto) return 0;
  if ("datas" in desconto) {
    const open = desconto.datas
      .filter(({ data }) => workingFrom(data) >= day)
      .sort((a, b) => (a.data > b.data ? 1 : -1));
    return open[0] ? part({ modalidade: desconto.modalidade, hundredths: open[0].hundredths }, rest) : 0;
  }
  const { modalidade, hundredths } = desconto;
  if (day >= vencimento) return 0;
  const days = modalidade === 4 || modalidade === 6 ? workingDays(day, vencimento) : distance(day, vencimento);
  if (modalidade < 5) return hundredths * days;
  return rounded(BigInt(rest) * BigInt(hundredths) * BigInt(days), 10_000n);
}

const part = ({ modalidade, hundredths }: Part, of: number): number =>
  modalidade === 1 ? hundredths : rounded(BigInt(of) * BigInt(hundredths), 10_000n);

/** Half up: what is left of the division counts from its half on. */
function rounded(value: bigint, by: bigint): number {
  const whole = value / by;
  return Number((value % by) * 2n >= by ? whole + 1n : whole);
}
