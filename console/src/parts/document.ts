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

/** A key as lists show it: of a CPF, which is a person's, the six digits in the middle, as banks show it. */
export const maskKey = (type: string, key: string): string =>
  type === "cpf" ? key.replace(/^\d{3}(\d{3})(\d{3})\d{2}$/, "•••.$1.$2-••") : showKey(type, key);

/** A CPF or CNPJ as the API takes it, however it was written. The gateway validates it. */
export function readDocument(text: string): { readonly document: string; readonly type: "cpf" | "cnpj" } {
  const document = text.replace(/[.\-/\s]/g, "").toUpperCase();
  return { document, type: document.length === 11 ? "cpf" : "cnpj" };
}

/** The kind of a document as the API takes it; null where its form or its check digits are wrong. */
export function documentKindOf(document: string): "cpf" | "cnpj" | null {
  if (!/^(\d{11}|[\dA-Z]{12}\d\d)$/.test(document) || /^(.)\1*$/.test(document)) return null;
  const isCpf = document.length === 11;
  // Digits count as themselves, "A" as 17, "Z" as 42. Weights rise from the right: without end in a CPF, from 2 to 9 in a CNPJ.
  for (const length of isCpf ? [9, 10] : [12, 13]) {
    let sum = 0;
    for (let i = 0; i < length; i++) {
      const place = length - 1 - i;
      sum += (document.charCodeAt(i) - 48) * (isCpf ? place + 2 : (place % 8) + 2);
    }
    const rest = sum % 11;
    if ((rest < 2 ? 0 : 11 - rest) !== Number(document[length])) return null;
  }
  return isCpf ? "cpf" : "cnpj";
}

/** A Pix key as the gateway stores it, however it was written. */
export function plainKey(type: string, text: string): string {
  if (type === "cpf" || type === "cnpj") return readDocument(text).document;
  return type === "phone" ? text.replace(/[\s().-]/g, "") : text.trim().toLowerCase();
}

/** Whether a text fits a type of Pix key. The gateway validates it once more, and knows more about e-mail addresses. */
export function isPixKey(type: string, text: string): boolean {
  if (type === "cpf" || type === "cnpj") return documentKindOf(readDocument(text).document) === type;
  if (type === "phone") return /^\+[1-9]\d{7,14}$/.test(plainKey(type, text));
  if (type === "email") return text.length <= 77 && /^[^\s@"]+@[^\s@"]+$/.test(text);
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text);
}
