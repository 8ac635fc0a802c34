/**
 * The access key of an electronic invoice (NF-e, NFC-e and the other documents of its family): state (2), year and month of
 * issue (4), the issuer's CNPJ (14), model (2), series (3), number (9), form of issue (1), code (8), check digit (1). Since July
 * 2026 a CNPJ, and so a key, may have letters (Nota Técnica Conjunta 2025.001).
 */

/** Its form. Letters stand only in the first 12 characters of the CNPJ. */
export const ACCESS_KEY = "^[0-9]{6}[0-9A-Z]{12}[0-9]{26}$";
const FORM = new RegExp(ACCESS_KEY);

/** Whether its form, its month and its check digit are right. Whether such an invoice exists, only the tax authority knows. */
export function isAccessKey(key: string): boolean {
  const month = Number(key.slice(4, 6));
  return FORM.test(key) && month >= 1 && month <= 12 && checkDigitOf(key.slice(0, -1)) === Number(key.at(-1));
}

/** The number of the invoice, without leading zeros. */
export const numberOfKey = (key: string): string => String(Number(key.slice(25, 34)));

/** Modulo 11 with the weights 2 to 9 from the right; a character counts as its code minus 48. */
function checkDigitOf(body: string): number {
  let sum = 0;
  for (let i = 0; i < body.length; i += 1) sum += (body.charCodeAt(body.length - 1 - i) - 48) * (2 + (i % 8));
  const rest = sum % 11;
  return rest < 2 ? 0 : 11 - rest;
}
