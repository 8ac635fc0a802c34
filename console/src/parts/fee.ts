import { addBrl, fromCentavos, percentOfBrl, toCentavos } from "@pixgate/sdk";

/**
 * What an operation of `brl` costs by a fee of `fixed` BRL and `percent`, at least `min` and at most `max`: rounded half up,
 * never above the amount. BRL.
 */
export function feeOf(brl: number, fixed: number, percent: number, min = 0, max = Number.POSITIVE_INFINITY): number {
  return Math.min(brl, max, Math.max(min, addBrl(fixed, percentOfBrl(brl, percent))));
}

/** The largest amount of one operation, centavos. */
const MOST = 999_999_999_999;

/** What leaves so that `net` arrives after the fee, BRL: the smallest such amount, as the gateway computes it; null: none. */
export function grossOf(net: number, fee: (brl: number) => number): number | null {
  const arrives = (centavos: number) => toCentavos(addBrl(fromCentavos(centavos), -fee(fromCentavos(centavos))));
  let [low, high] = [toCentavos(net), MOST];
  if (arrives(high) < low) return null;
  const wanted = low;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (arrives(middle) >= wanted) high = middle;
    else low = middle + 1;
  }
  return fromCentavos(low);
}
