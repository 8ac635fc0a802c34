const AMOUNT = /^\d{1,10}\.\d{2}$/;

/** Largest amount the protocol can write (ten digits and two decimals), in centavos. */
export const MAX_CENTAVOS = 999_999_999_999;

/**
 * Reads an amount of the protocol ("12.34") as integer centavos; undefined when it is not one.
 * Split at the dot and never a float: 0.1 + 0.2 has no place in a bank. Rule: API Pix, `^\d{1,10}\.\d{2}$`.
 */
export function parseAmount(text: unknown): number | undefined {
  if (typeof text !== "string" || !AMOUNT.test(text)) return undefined;
  const dot = text.length - 3;
  return Number(text.slice(0, dot)) * 100 + Number(text.slice(dot + 1));
}

/** Writes integer centavos as the protocol does: 1234 → "12.34". */
export function formatAmount(centavos: number): string {
  const digits = String(centavos).padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
