/**
 * Brazilian tax documents: CPF (people) and CNPJ (companies, numeric and since July 2026 alphanumeric, IN RFB
 * 2229/2024). Kept as text without punctuation, letters upper-case; never as numbers, which would lose zeros and letters.
 */

/** Weights of a CNPJ's check digits; the first digit leaves out the leading 6. */
const CNPJ_WEIGHTS = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];

/** A document as it is stored: without dots, dashes, slashes and spaces, upper-case. It may still be invalid. */
export function normaliseDocument(text: string): string {
  return text.replace(/[.\-/\s]/g, "").toUpperCase();
}

/** The kind of a normalised document, or null where its form or check digits are wrong. */
export function documentKind(document: string): "cpf" | "cnpj" | null {
  if (isCpf(document)) return "cpf";
  return isCnpj(document) ? "cnpj" : null;
}

/** True for 11 digits with valid check digits. Eleven equal digits pass the sum but are never issued. */
export function isCpf(document: string): boolean {
  if (!/^[0-9]{11}$/.test(document) || allEqual(document)) return false;
  for (const length of [9, 10]) {
    let sum = 0;
    for (let i = 0; i < length; i += 1) sum += valueAt(document, i) * (length + 1 - i);
    if (((sum * 10) % 11) % 10 !== valueAt(document, length)) return false;
  }
  return true;
}

/** True for 12 digits or upper-case letters and 2 right check digits. */
export function isCnpj(document: string): boolean {
  if (!/^[0-9A-Z]{12}[0-9]{2}$/.test(document) || allEqual(document)) return false;
  for (const length of [12, 13]) {
    let sum = 0;
    for (let i = 0; i < length; i += 1) sum += valueAt(document, i) * (CNPJ_WEIGHTS[13 - length + i] as number);
    const rest = sum % 11;
    if ((rest < 2 ? 0 : 11 - rest) !== valueAt(document, length)) return false;
  }
  return true;
}

/** Code minus 48: digits count as themselves, 'A' as 17, 'Z' as 42 (Receita's rule). */
function valueAt(document: string, index: number): number {
  return document.charCodeAt(index) - 48;
}

function allEqual(text: string): boolean {
  return text === text.charAt(0).repeat(text.length);
}
