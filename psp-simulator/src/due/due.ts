/** An amount (`modalidade` 1) or a percentage, in hundredths: centavos or hundredths of a percent. */
export type Part = { modalidade: number; hundredths: number };

/** What makes a charge one with a due date (cobv): API Pix, CobVSolicitada. */
export type Due = {
  dataDeVencimento: string;
  validadeAposVencimento: number;
  multa?: Part;
  juros?: Part;
  abatimento?: Part;
  /** Modes 1 and 2 have dates, 3 to 6 a value by day. */
  desconto?: { modalidade: number; datas: { data: string; hundredths: number }[] } | Part;
};

/** How an amount came about, in centavos. */
export type Composition = { original: number; multa: number; juros: number; desconto: number; abatimento: number };

export const finalCentavos = ({ original, multa, juros, desconto, abatimento }: Composition): number =>
  original + multa + juros - desconto - abatimento;
