/** Error bodies, in the shapes that banks are known to send. */
import { truncate } from "../../lib/text.ts";
import { list, record, text } from "./read-values.ts";

type WireError = {
  /** The problem's name without its address, `nome`, `error` or `codigo`: 1 to 64 characters of `[\w.-]`. */
  readonly code: string;
  /** For the log: shortened, without anything that looks like a document, a key or an address. */
  readonly message: string;
  /** The error names an id that is already in use. */
  readonly idInUse: boolean;
  /** Only `error`, which proxies in front of a bank write as well. */
  readonly isGeneric: boolean;
};

/**
 * Reads an error body in a known shape: the standard's problem (`type`, `title`, `status`), `{nome, mensagem}`, `{error,
 * error_description | message}`, `{erros: [{codigo, mensagem}]}`. Null for anything else, so that a proxy's page or an
 * arbitrary object is never taken for the PSP's refusal.
 */
export function readError(value: unknown): WireError | null {
  const body = record(value);
  if (body === undefined) return null;

  const type = text(body.type);
  if (type !== undefined && text(body.title) !== undefined) {
    const violations = list(body.violacoes).map(record);
    const words = violations.map(
      (violation) => `${text(violation?.propriedade) ?? ""} ${text(violation?.razao) ?? ""}`,
    );
    const all = [text(body.title), text(body.detail), ...words];
    return wireError(type.slice(type.lastIndexOf("/") + 1), all);
  }
  const name = text(body.nome);
  if (name !== undefined) return wireError(name, [text(body.mensagem)]);

  const first = record(list(body.erros)[0]);
  const code = typeof first?.codigo === "number" ? String(first.codigo) : text(first?.codigo);
  if (code !== undefined) return wireError(code, [text(first?.mensagem)]);

  const error = text(body.error);
  if (error !== undefined) {
    return { ...wireError(error, [text(body.error_description) ?? text(body.message)]), isGeneric: true };
  }
  return null;
}

function wireError(code: string, texts: readonly (string | undefined)[]): WireError {
  const all = texts.filter((part) => part !== undefined).join("; ");
  return {
    code: code.replace(/[^\w.-]+/g, "_").slice(0, 64) || "error",
    message: redacted(all),
    isGeneric: false,
    idInUse: /\bid\b|devolucao\.id|duplicad|já\s+(?:utilizad|existe|foi)|ja\s+(?:utilizad|existe|foi)/i.test(all),
  };
}

/**
 * A text of the PSP for the log and for merchants: shortened, without anything that looks like a document, a key or an
 * address.
 */
export function redacted(words: string): string {
  return truncate(
    words
      .slice(0, 1000)
      .replace(/[\p{Cc}\s]+/gu, " ")
      .replace(/(?<![^\s@])[^\s@]+@\S+/g, "***")
      .replace(/[0-9A-Za-z]{8}-(?:[0-9A-Za-z]{4}-){3}[0-9A-Za-z]{12}/g, "***")
      .replace(/\+?\d[\d.\-/ ]{6,}\d/g, "***")
      .replace(/\b[0-9A-Z]{2}\.?[0-9A-Z]{3}\.?[0-9A-Z]{3}\/?[0-9A-Z]{4}-?\d{2}\b/g, "***")
      .trim(),
    200,
  );
}
