import { MAX_CENTAVOS, parseAmount } from "../lib/amount.ts";
import { isDay } from "./calendar.ts";
import type { Due, Part } from "./due.ts";

type Json = Record<string, unknown>;
type Refuse = (propriedade: string, razao: string, valor?: unknown) => void;

const objectOf = (value: unknown): Json | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : undefined;

/**
 * The due date and what is added and taken off, from `calendario` and `valor` of a cobv. Either object that is left out stays
 * as it was. Of a `valor` that is there, the parts that it leaves out go.
 * Rules: the violations listed under CobVOperacaoInvalida.
 *
 * @param keepsParts they stay, as at a bank that reads a PATCH part by part.
 * @param created the day of the charge's creation.
 */
export function readDue(
  body: Json,
  {
    before,
    created,
    original,
    keepsParts,
  }: { before?: Due | undefined; created: string; original: number; keepsParts: boolean },
  refuse: Refuse,
): Due {
  const calendario = objectOf(body.calendario) ?? {};
  const dataDeVencimento = calendario.dataDeVencimento ?? before?.dataDeVencimento;
  if (!isDay(dataDeVencimento)) {
    refuse(
      "calendario.dataDeVencimento",
      "O campo cobv.calendario.dataDeVencimento não respeita o schema.",
      dataDeVencimento,
    );
    return { dataDeVencimento: created, validadeAposVencimento: 0 };
  }
  if (dataDeVencimento < created)
    refuse(
      "calendario.dataDeVencimento",
      "O campo cobv.calendario.dataDeVencimento é anterior à data de criação da cobrança.",
      dataDeVencimento,
    );
  const validadeAposVencimento = calendario.validadeAposVencimento ?? before?.validadeAposVencimento ?? 30;
  if (!Number.isInteger(validadeAposVencimento) || (validadeAposVencimento as number) < 0)
    refuse("calendario.validadeAposVencimento", "O campo cobv.calendario.validadeAposVencimento é menor do que zero.");
  const days = { dataDeVencimento, validadeAposVencimento: validadeAposVencimento as number };
  const due: Due = keepsParts ? { ...before, ...days } : days;
  const valor = objectOf(body.valor);
  if (!valor) return { ...before, ...due };
  for (const [name, modes] of [
    ["multa", 2],
    ["juros", 8],
    ["abatimento", 2],
  ] as const) {
    if (valor[name] == null) continue;
    const read = readPart(valor[name], modes);
    if (read) due[name] = read;
    else refuse(`valor.${name}`, `O objeto cobv.valor.${name} não respeita o schema.`);
  }
  if (due.abatimento && reaches(due.abatimento.modalidade === 1, due.abatimento.hundredths, original))
    refuse(
      "valor.abatimento",
      "O objeto cobv.valor.abatimento representa um valor maior ou igual ao valor da cobrança original.",
    );
  if (valor.desconto != null) {
    const desconto = readDiscount(valor.desconto, dataDeVencimento, original);
    if (typeof desconto === "string") refuse("valor.desconto", desconto);
    else due.desconto = desconto;
  }
  return due;
}

const reaches = (isAmount: boolean, hundredths: number, original: number): boolean =>
  hundredths >= (isAmount ? original : 10_000);

function readPart(value: unknown, modes: number): Part | undefined {
  const { modalidade, valorPerc } = objectOf(value) ?? {};
  const hundredths = parseAmount(valorPerc);
  if (typeof modalidade !== "number" || !Number.isInteger(modalidade) || modalidade < 1 || modalidade > modes)
    return undefined;
  return hundredths === undefined || hundredths > MAX_CENTAVOS ? undefined : { modalidade, hundredths };
}

/** The discount, or what is wrong with it. */
function readDiscount(value: unknown, vencimento: string, original: number): NonNullable<Due["desconto"]> | string {
  const wrong = "O objeto cobv.valor.desconto não respeita o schema.";
  const { modalidade, valorPerc, descontoDataFixa: dates } = objectOf(value) ?? {};
  if (typeof modalidade !== "number" || ![1, 2, 3, 4, 5, 6].includes(modalidade)) return wrong;
  if (modalidade > 2) {
    if (dates != null) return "O elemento cobv.valor.desconto.descontoDataFixa está preenchido ou não nulo.";
    const part = readPart({ modalidade, valorPerc }, 6);
    return part ?? "O elemento cobv.valor.desconto.valorPerc não está preenchido.";
  }
  if (valorPerc != null) return "O campo cobv.valor.desconto.valorPerc encontra-se preenchido.";
  if (!Array.isArray(dates) || dates.length < 1 || dates.length > 3)
    return "O array cobv.valor.desconto.descontoDataFixa está vazio ou nulo.";
  const datas: { data: string; hundredths: number }[] = [];
  for (const item of dates) {
    const { data, valorPerc: by } = objectOf(item) ?? {};
    const hundredths = parseAmount(by);
    if (!isDay(data) || hundredths === undefined) return wrong;
    if (data > vencimento)
      return "O objeto cobv.valor.desconto apresenta algum elemento cuja data seja posterior à data de vencimento.";
    if (reaches(modalidade === 1, hundredths, original))
      return "O objeto cobv.valor.desconto apresenta algum elemento de desconto maior ou igual ao valor da cobrança original.";
    datas.push({ data, hundredths });
  }
  return { modalidade, datas };
}
