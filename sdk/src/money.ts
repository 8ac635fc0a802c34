/**
 * Amounts of money. The API's amounts are JSON numbers in BRL with at most two decimals. Such a number is exact to read and
 * to show, but `0.1 + 0.2` is not `0.3`: add and multiply integer centavos.
 */

/** The largest amount that the API takes, 9,999,999,999.99. */
const MAX_AMOUNT = 999_999_999_999;
/**
 * The largest sum, such as a balance, 70,000,000,000,000.00: below 2^46 two amounts that differ by a centavo are two numbers in
 * BRL, beyond it they may be one.
 */
const MAX_SUM = 7_000_000_000_000_000;

function checked(centavos: number, max = MAX_SUM): number {
  if (!Number.isInteger(centavos) || Math.abs(centavos) > max)
    throw new RangeError(`${centavos} centavos is not an amount`);
  return centavos === 0 ? 0 : centavos;
}

/**
 * `25.9` → `2590`. Reads the digits of the number; nothing is multiplied.
 *
 * @throws {RangeError} more than two decimals, or more than 70,000,000,000,000.00, which no sum reaches.
 */
export function toCentavos(brl: number): number {
  const text = Number.isFinite(brl) ? brl.toFixed(2) : "";
  if (Number(text) !== brl || text === "")
    throw new RangeError(`${brl} is not an amount: it has more than two decimals`);
  return checked(Number(text.replace(".", "")));
}

/**
 * `2590` → `25.9`, the number that the API takes and answers.
 *
 * @throws {RangeError} not an integer.
 */
export function fromCentavos(centavos: number): number {
  const digits = String(Math.abs(checked(centavos))).padStart(3, "0");
  return Number(`${centavos < 0 ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`);
}

/** Sum of amounts in BRL. `addBrl(0.1, 0.2)` is `0.3`; negative amounts subtract. */
export const addBrl = (...amounts: readonly number[]): number =>
  fromCentavos(amounts.reduce((sum, amount) => sum + toCentavos(amount), 0));

/** An amount in BRL, a whole number of times. */
export function multiplyBrl(amount: number, times: number): number {
  if (!Number.isInteger(times)) throw new RangeError(`${times} is not a whole number of times`);
  return fromCentavos(toCentavos(amount) * times);
}

/**
 * Part of an amount in BRL, rounded half up to the centavo: `percentOfBrl(19.99, 2.5)` is `0.5`.
 *
 * @param percent with at most two decimals.
 */
export function percentOfBrl(amount: number, percent: number): number {
  // Hundredths of a percent are basis points; BigInt, since centavos times basis points leave the safe integers.
  const product = BigInt(toCentavos(amount)) * BigInt(toCentavos(percent));
  const half = product < 0n ? -5_000n : 5_000n;
  return fromCentavos(Number((product + half) / 10_000n));
}

/**
 * Shares an amount in BRL so that the parts add up to it: what does not divide goes to the first parts, a centavo each.
 * `splitBrl(100, 3)` is `[33.34, 33.33, 33.33]`.
 */
export function splitBrl(amount: number, parts: number): number[] {
  if (!Number.isInteger(parts) || parts < 1) throw new RangeError(`${parts} is not a number of parts`);
  const centavos = toCentavos(amount);
  const rest = Math.abs(centavos % parts);
  const each = Math.trunc(centavos / parts);
  return Array.from({ length: parts }, (_, i) => fromCentavos(each + (i < rest ? Math.sign(centavos) : 0)));
}

/** `25.9` → `R$ 25,90`, as Brazilians read it (with a no-break space). */
export function formatBrl(brl: number): string {
  const centavos = toCentavos(brl);
  const digits = String(Math.abs(centavos)).padStart(3, "0");
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ".");
  return `${centavos < 0 ? "-" : ""}R$\u00a0${whole},${digits.slice(-2)}`;
}

/**
 * What people type, as an amount in BRL: `R$ 1.234,56`, `1234,5`, `25.90` and `25`.
 *
 * @throws {RangeError} anything else, such as `1.234` (a thousand, or one and a bit), more than two decimals, and more than
 * 9,999,999,999.99, the largest amount that the API takes.
 */
export function parseBrl(text: string): number {
  const trimmed = text.replace(/^\s*(-?)\s*(?:R\$)?\s*/, "$1").trim();
  const match =
    /^(-?)(\d{1,3}(?:\.\d{3})+|\d+),(\d{1,2})$/.exec(trimmed) ??
    /^(-?)(\d+)\.(\d{1,2})$/.exec(trimmed) ??
    /^(-?)(\d{1,3}(?:\.\d{3}){2,}|\d+)()$/.exec(trimmed);
  if (match === null) throw new RangeError(`"${text}" is not an amount`);
  const [, sign, whole = "", cents = ""] = match;
  const centavos = Number(`${whole.replaceAll(".", "")}${cents.padEnd(2, "0")}`);
  return fromCentavos(checked(sign === "-" ? -centavos : centavos, MAX_AMOUNT));
}
