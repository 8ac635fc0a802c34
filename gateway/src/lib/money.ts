/**
 * Money inside the gateway: integer centavos, never a float. BRL numbers with decimals exist only at the API's edge,
 * decimal strings only at the PSP's.
 */

/** Integer centavos; a safe integer. `1234` is R$ 12.34. */
export type Centavos = number;

/** The largest amount of one payment, 9,999,999,999.99: ten digits before the point (API Pix, `valor.original`). */
export const MAX_CENTAVOS = 999_999_999_999;

/**
 * A BRL number of the API (`12.34`) as centavos, or null when it is not one: more than two decimals, negative, above
 * `MAX_CENTAVOS`, NaN, infinite.
 *
 * The check is exact: a division of two integers rounds to the double nearest to `c / 100`, which is the one that the
 * literal with two decimals parses to. So the number has two decimals exactly when it comes back unchanged.
 */
export function fromBrl(value: number): Centavos | null {
  const centavos = fromSignedBrl(value);
  return centavos === null || centavos < 0 ? null : centavos;
}

/** As `fromBrl`, from -`MAX_CENTAVOS` to `MAX_CENTAVOS`. Never -0. */
export function fromSignedBrl(value: number): Centavos | null {
  // Anything but a number is refused here too, so that a caller that skipped validation cannot turn "1" into money.
  if (!Number.isFinite(value)) return null;
  const centavos = Math.round(value * 100) + 0; // + 0 turns -0 into 0
  if (Math.abs(centavos) > MAX_CENTAVOS || centavos / 100 !== value) return null;
  return centavos;
}

/** A sum of ours as centavos again: what `toBrl` made, also above `MAX_CENTAVOS`. Exact up to 2^50 centavos. */
export const centavosOf = (brl: number): Centavos => Math.round(brl * 100) + 0;

/**
 * Centavos as a BRL number with at most two decimals: the double that prints as it should (`1234` → `12.34`). Null without
 * centavos.
 */
export function toBrl<C extends Centavos | null | undefined>(centavos: C): C extends Centavos ? number : null;
export function toBrl(centavos: Centavos | null | undefined): number | null {
  return centavos == null ? null : centavos / 100 + 0;
}

/**
 * Centavos as the PSP writes them: `1234` → `"12.34"`. Throws for amounts without such a form (negative, above the
 * maximum).
 */
export function toDecimalString(centavos: Centavos): string {
  if (!Number.isInteger(centavos) || centavos < 0 || centavos > MAX_CENTAVOS) {
    throw new RangeError(`not an amount in centavos: ${centavos}`);
  }
  const digits = String(centavos).padStart(3, "0");
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/** The PSP's decimal string (`^\d{1,10}\.\d{2}$`) as centavos, or null. No arithmetic on fractions: the point is dropped. */
export function parseDecimalString(text: string): Centavos | null {
  return /^[0-9]{1,10}\.[0-9]{2}$/.test(text) ? Number(text.slice(0, -3) + text.slice(-2)) : null;
}

/** What the gateway charges for an operation: a fixed part plus a part of the amount, within optional bounds. */
export type FeeSchedule = {
  readonly fixed: Centavos;
  /** Integer basis points: 100 is 1 %. */
  readonly percentBps: number;
  readonly min?: Centavos | null;
  readonly max?: Centavos | null;
};

/**
 * The fee of `amount`: fixed plus percentage, rounded half up to the centavo, then at least `min`, at most `max` (which
 * wins over `min`), at most the amount, at least zero.
 */
export function fee(schedule: FeeSchedule, amount: Centavos): Centavos {
  const { fixed, percentBps, min, max } = schedule;
  // amount × bps passes 2^53 from R$ 9,007,199,254.74 at 100 %, so whole ten-thousands are multiplied apart: both
  // products stay below 2^53 and the result equals that of big integers.
  const rest = amount % 10_000;
  const percent = ((amount - rest) / 10_000) * percentBps + Math.floor((rest * percentBps + 5_000) / 10_000);
  let result = fixed + percent;
  if (min != null) result = Math.max(result, min);
  if (max != null) result = Math.min(result, max);
  return Math.max(0, Math.min(result, amount));
}
