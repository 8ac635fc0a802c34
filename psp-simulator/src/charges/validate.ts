import { readDue } from "../due/read.ts";
import type { Violation } from "../http/problem.ts";
import { parseAmount } from "../lib/amount.ts";
import type { Person, Terms } from "./charge.ts";

/** `txid` of a charge: 26 to 35 letters and digits, case-sensitive (API Pix). */
export const TXID = /^[a-zA-Z0-9]{26,35}$/;

const DEFAULT_EXPIRACAO_SECONDS = 86_400;
const MAX_INT32 = 2_147_483_647;

type Json = Record<string, unknown>;

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON Schema counts characters, JavaScript counts halves of some of them. */
function fits(value: unknown, max: number): value is string {
  return typeof value === "string" && (value.length <= max || [...value].length <= max);
}

/** An optional field set to null counts as left out. */
function given(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/**
 * Reads the body of `PUT /cob`, `POST /cob` or `PATCH /cob` (where everything is optional) against what is already
 * agreed (`before`, PATCH only). Unknown fields are let pass, as the standard wants it of both sides.
 * Rules: schema CobSolicitada and the violations listed under CobOperacaoInvalida.
 *
 * @param created the day of creation of a charge with a due date; left out: it is an immediate one.
 * @param keepsParts see the behaviour `patchKeepsParts`.
 * @param isOwn whether a key is the account's.
 * @param loc what is wrong with the location that the body names; undefined: nothing.
 */
export function readTerms(
  body: unknown,
  { isOwn, loc }: { isOwn: (chave: string) => boolean; loc?: string | undefined },
  {
    before,
    created,
    keepsParts = false,
  }: { before?: Terms | undefined; created?: string | undefined; keepsParts?: boolean } = {},
): { terms: Terms; violations?: undefined } | { violations: Violation[] } {
  if (!isObject(body)) {
    return { violations: [{ razao: "O corpo da requisição deve ser um objeto JSON.", propriedade: "cob" }] };
  }
  const violations: Violation[] = [];
  const kind = created === undefined ? "cob" : "cobv";
  const refuse = (propriedade: string, razao: string, valor?: unknown) => {
    const text = typeof valor === "string" || typeof valor === "number" ? String(valor) : undefined;
    violations.push({
      razao: razao.replaceAll("cob.", `${kind}.`),
      propriedade: `${kind}.${propriedade}`,
      ...(text === undefined ? {} : { valor: text }),
    });
  };

  const expiracaoSeconds = created === undefined ? readExpiracao(body.calendario, before, refuse) : 0;
  const devedor = given(body.devedor) ? readDevedor(body.devedor, refuse) : before?.devedor;
  if (created !== undefined && !devedor) refuse("devedor", "O objeto cob.devedor não respeita o schema.");
  const valor = readValor(body.valor, before, refuse);
  const { amountCentavos: original } = valor;
  const due =
    created === undefined ? undefined : readDue(body, { before: before?.due, created, original, keepsParts }, refuse);
  const chave = readChave(body.chave, isOwn, before, refuse);
  const solicitacaoPagador = readText(body.solicitacaoPagador, before?.solicitacaoPagador, refuse);
  const infoAdicionais = given(body.infoAdicionais)
    ? readInfoAdicionais(body.infoAdicionais, refuse)
    : before?.infoAdicionais;
  if (loc !== undefined) refuse("loc.id", loc);
  if (violations.length > 0) return { violations };

  const terms: Terms = { expiracaoSeconds, amountCentavos: valor.amountCentavos, chave };
  if (due) terms.due = due;
  if (devedor) terms.devedor = devedor;
  if (valor.modalidadeAlteracao !== undefined) terms.modalidadeAlteracao = valor.modalidadeAlteracao;
  if (solicitacaoPagador !== undefined) terms.solicitacaoPagador = solicitacaoPagador;
  if (infoAdicionais !== undefined) terms.infoAdicionais = infoAdicionais;
  return { terms };
}

type Refuse = (propriedade: string, razao: string, valor?: unknown) => void;

function readExpiracao(calendario: unknown, before: Terms | undefined, refuse: Refuse): number {
  const otherwise = before?.expiracaoSeconds ?? DEFAULT_EXPIRACAO_SECONDS;
  if (!given(calendario) && before) return otherwise;
  if (!isObject(calendario)) {
    refuse("calendario", "O objeto cob.calendario não respeita o schema.");
    return otherwise;
  }
  const value = calendario.expiracao;
  if (!given(value)) return otherwise;
  if (typeof value !== "number" || !Number.isInteger(value) || value > MAX_INT32) {
    refuse("calendario.expiracao", "O campo cob.calendario.expiracao não respeita o schema.", value);
    return otherwise;
  }
  if (value <= 0) refuse("calendario.expiracao", "O campo cob.calendario.expiracao é igual ou menor que zero.", value);
  return value;
}

function readDevedor(value: unknown, refuse: Refuse): Person | undefined {
  const bad = (razao: string) => {
    refuse("devedor", razao);
    return undefined;
  };
  if (!isObject(value)) return bad("O objeto cob.devedor não respeita o schema.");
  const { cpf, cnpj, nome } = value;
  if (given(cpf) && given(cnpj)) return bad("Os campos devedor.cpf e devedor.cnpj não podem estar ambos preenchidos.");
  if (!fits(nome, 200) || nome === "") {
    return bad("O campo devedor.nome não respeita o schema.");
  }
  if (typeof cpf === "string" && /^\d{11}$/.test(cpf)) return { cpf, nome };
  if (typeof cnpj === "string" && /^[0-9A-Z]{14}$/.test(cnpj)) return { cnpj, nome };
  return bad("O objeto cob.devedor deve ter cpf ou cnpj que respeite o schema.");
}

function readValor(
  valor: unknown,
  before: Terms | undefined,
  refuse: Refuse,
): { amountCentavos: number; modalidadeAlteracao?: 0 | 1 } {
  if (!given(valor) && before) {
    const { amountCentavos, modalidadeAlteracao } = before;
    return modalidadeAlteracao === undefined ? { amountCentavos } : { amountCentavos, modalidadeAlteracao };
  }
  const nothing = { amountCentavos: 0 };
  if (!isObject(valor)) {
    refuse("valor", "O objeto cob.valor não respeita o schema.");
    return nothing;
  }
  if (given(valor.retirada)) {
    refuse("valor.retirada", "Pix Saque e Pix Troco não são oferecidos por este PSP.");
    return nothing;
  }
  const { original, modalidadeAlteracao: mode } = valor;
  const amountCentavos = parseAmount(original);
  if (amountCentavos === undefined) {
    refuse("valor.original", "O campo cob.valor.original não respeita o schema.", original);
    return nothing;
  }
  if (amountCentavos === 0) refuse("valor.original", "O campo cob.valor.original é zero.", original);
  if (!given(mode)) return { amountCentavos };
  if (mode !== 0 && mode !== 1) {
    refuse("valor.modalidadeAlteracao", "O campo cob.valor.modalidadeAlteracao não respeita o schema.", mode);
    return nothing;
  }
  return { amountCentavos, modalidadeAlteracao: mode };
}

function readChave(
  chave: unknown,
  isOwn: (chave: string) => boolean,
  before: Terms | undefined,
  refuse: Refuse,
): string {
  if (!given(chave) && before) return before.chave;
  if (!fits(chave, 77) || chave === "") {
    refuse("chave", "O campo cob.chave não respeita o schema.", chave);
    return "";
  }
  if (!isOwn(chave)) {
    refuse("chave", "O campo cob.chave corresponde a uma conta que não pertence a este usuário recebedor.", chave);
  }
  return chave;
}

function readText(value: unknown, before: string | undefined, refuse: Refuse): string | undefined {
  if (!given(value)) return before;
  if (fits(value, 140)) return value;
  refuse("solicitacaoPagador", "O campo solicitacaoPagador não respeita o schema.");
  return undefined;
}

function readInfoAdicionais(value: unknown, refuse: Refuse): { nome: string; valor: string }[] | undefined {
  const good =
    Array.isArray(value) &&
    value.length <= 50 &&
    value.every((item) => isObject(item) && fits(item.nome, 50) && fits(item.valor, 200));
  if (!good) {
    refuse("infoAdicionais", "O objeto infoAdicionais não respeita o schema.");
    return undefined;
  }
  return (value as { nome: string; valor: string }[]).map(({ nome, valor }) => ({ nome, valor }));
}
