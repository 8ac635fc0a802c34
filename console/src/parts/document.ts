/**
 * A CPF or CNPJ as people write it: `123.456.789-09`, `12.345.678/0001-95`, and with letters since July 2026,
 * `12.ABC.345/01DE-35`. What is masked, or neither of them, stays as it is.
 */
export function showDocument(document: string): string;
export function showDocument(document: string | undefined): string | undefined;
export function showDocument(document: string | undefined): string | undefined {
  return document
    ?.replace(/^(\d{3})(\d{3})(\d{3})(\d{2})$/, "$1.$2.$3-$4")
    .replace(/^([\dA-Z]{2})([\dA-Z]{3})([\dA-Z]{3})([\dA-Z]{4})(\d{2})$/, "$1.$2.$3/$4-$5");
}

/** A Pix key as people write it. A CPF and a phone both have eleven digits: the type says which it is. */
export const showKey = (type: string, key: string): string =>
  type === "cpf" || type === "cnpj" ? showDocument(key) : key;

/** A CPF or CNPJ as the API takes it, however it was written. The gateway validates it. */
export function readDocument(text: string): { readonly document: string; readonly type: "cpf" | "cnpj" } {
  const document = text.replace(/[.\-/\s]/g, "").toUpperCase();
  return { document, type: document.length === 11 ? "cpf" : "cnpj" };
}
