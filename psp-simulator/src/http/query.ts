import { parseTimestamp } from "../lib/timestamp.ts";
import type { Violation } from "./problem.ts";
import type { Call } from "./serve.ts";

type Page = { number: number; size: number };

const DEFAULT_PAGE_SIZE = 100;
const MAX_PAGE_SIZE = 1000;

/** Reads the parameters of a list query and gathers what is wrong with them. */
type QueryReader = {
  violations: Violation[];
  text: (name: string, pattern: RegExp) => string | undefined;
  flag: (name: string) => boolean | undefined;
  /** `inicio` and `fim`, both inclusive, in milliseconds since 1970. `days`: a day alone, of São Paulo, is taken too. */
  period: (required: boolean, how?: { days?: boolean }) => { from: number; to: number };
  page: () => Page;
  /** `parametros` of the answer, with its pages where this PSP reports them. */
  parameters: (page: Page, total: number) => Record<string, unknown>;
};

/** @param silentCap see `silentListCap` of the behaviour. */
export function readQuery(query: Call["query"], silentCap = 0): QueryReader {
  const violations: Violation[] = [];
  /** What was given, as `parametros` echoes it. */
  const echo: Record<string, unknown> = {};
  const refuse = (propriedade: string, razao: string, valor?: string) =>
    violations.push({ razao, propriedade, ...(valor === undefined ? {} : { valor }) });

  function one(name: string): string | undefined {
    const value = query[name];
    if (Array.isArray(value)) {
      refuse(name, `O parâmetro ${name} foi informado mais de uma vez.`);
      return undefined;
    }
    return value;
  }

  function text(name: string, pattern: RegExp): string | undefined {
    const value = one(name);
    if (value === undefined) return undefined;
    if (!pattern.test(value)) refuse(name, `O parâmetro ${name} não respeita o schema.`, value);
    echo[name] = value;
    return value;
  }

  function flag(name: string): boolean | undefined {
    const value = text(name, /^(true|false)$/);
    if (value === undefined) return undefined;
    echo[name] = value === "true";
    return value === "true";
  }

  function moment(name: string, required: boolean, time?: string): number | undefined {
    const value = one(name);
    if (value === undefined) {
      if (required && !Array.isArray(query[name])) refuse(name, `O parâmetro ${name} é obrigatório.`);
      return undefined;
    }
    const at = parseTimestamp(value) ?? (time === undefined ? undefined : parseTimestamp(`${value}T${time}-03:00`));
    if (at === undefined) refuse(name, `O parâmetro ${name} não respeita o schema (RFC 3339).`, value);
    echo[name] = value;
    return at;
  }

  function period(required: boolean, { days = false } = {}): { from: number; to: number } {
    const [first, last] = days ? ["00:00:00.000", "23:59:59.999"] : [];
    const from = moment("inicio", required, first) ?? Number.NEGATIVE_INFINITY;
    const to = moment("fim", required, last) ?? Number.POSITIVE_INFINITY;
    if (to < from) refuse("fim", "O timestamp representado pelo parâmetro fim é anterior ao representado por inicio.");
    return { from, to };
  }

  function whole(name: string, otherwise: number, min: number, max: number): number {
    const value = one(name);
    if (value === undefined) return otherwise;
    const number = /^-?\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number < 0) refuse(name, `O parâmetro ${name} é negativo.`, value);
    else if (!(number >= min && number <= max)) refuse(name, `O parâmetro ${name} não respeita o schema.`, value);
    return number;
  }

  return {
    violations,
    text,
    flag,
    period,
    page: () => cut(pageAsked(whole), silentCap),
    parameters: (page, total) => ({ ...echo, ...(silentCap === 0 && { paginacao: presentPage(page, total) }) }),
  };
}

const DAY_MS = 86_400_000;

/** The whole days, of UTC, that a period touches. */
export const wholeDays = ({ from, to }: { from: number; to: number }): { from: number; to: number } => ({
  from: Math.floor(from / DAY_MS) * DAY_MS,
  to: (Math.floor(to / DAY_MS) + 1) * DAY_MS - 1,
});

const pageAsked = (whole: (name: string, otherwise: number, min: number, max: number) => number): Page => ({
  number: whole("paginacao.paginaAtual", 0, 0, 999_999_999),
  size: whole("paginacao.itensPorPagina", DEFAULT_PAGE_SIZE, 1, MAX_PAGE_SIZE),
});

const cut = (page: Page, silentCap: number): Page => (silentCap > 0 ? { number: 0, size: silentCap } : page);

/** `parametros.paginacao`; an empty result still has one page (minimum in the schema). */
function presentPage(page: Page, total: number): Record<string, number> {
  return {
    paginaAtual: page.number,
    itensPorPagina: page.size,
    quantidadeDePaginas: Math.max(1, Math.ceil(total / page.size)),
    quantidadeTotalDeItens: total,
  };
}
