import { formatAmount } from "../lib/amount.ts";
import type { Composition, Due, Part } from "./due.ts";

/** `calendario` beside the time of creation. */
export const presentCalendar = ({ dataDeVencimento, validadeAposVencimento }: Due): Record<string, unknown> => ({
  dataDeVencimento,
  validadeAposVencimento,
});

/** `valor` beside the original amount. */
export function presentParts({ multa, juros, abatimento, desconto }: Due): Record<string, unknown> {
  const part = ({ modalidade, hundredths }: Part) => ({ modalidade, valorPerc: formatAmount(hundredths) });
  return {
    ...(multa && { multa: part(multa) }),
    ...(juros && { juros: part(juros) }),
    ...(abatimento && { abatimento: part(abatimento) }),
    ...(desconto && {
      desconto:
        "datas" in desconto
          ? {
              modalidade: desconto.modalidade,
              descontoDataFixa: desconto.datas.map(({ data, hundredths }) => ({
                data,
                valorPerc: formatAmount(hundredths),
              })),
            }
          : part(desconto),
    }),
  };
}

/** `componentesValor` of a Pix: the original always, the others where they are not zero. */
export function presentComposition({ original, ...others }: Composition): Record<string, unknown> {
  const shown = Object.entries(others).filter(([, centavos]) => centavos > 0);
  const valued = (centavos: number) => ({ valor: formatAmount(centavos) });
  return {
    original: valued(original),
    ...Object.fromEntries(shown.map(([name, centavos]) => [name, valued(centavos)])),
  };
}

/** `valor` as a payer's bank reads it at the location: what is asked on that day. */
export function presentFinal(composition: Composition, final: number): Record<string, string> {
  const { original, ...others } = composition;
  const shown = Object.entries(others).filter(([, centavos]) => centavos > 0);
  return {
    original: formatAmount(original),
    ...Object.fromEntries(shown.map(([name, centavos]) => [name, formatAmount(centavos)])),
    final: formatAmount(final),
  };
}

/** Who receives: the standard wants an address, and this account's owner has none to tell. */
export const presentReceiver = (cnpj: string, nome: string, cidade: string): Record<string, string> => ({
  cnpj,
  nome,
  logradouro: "Rua do Simulador, 1",
  cidade,
  uf: "SP",
  cep: "01000000",
});
