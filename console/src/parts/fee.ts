import { addBrl, percentOfBrl } from "@pixgate/sdk";

/**
 * What an operation of `brl` costs by a fee of `fixed` BRL and `percent`, at least `min` and at most `max`: rounded half up,
 * never above the amount. BRL.
 */
export function feeOf(brl: number, fixed: number, percent: number, min = 0, max = Number.POSITIVE_INFINITY): number {
  return Math.min(brl, max, Math.max(min, addBrl(fixed, percentOfBrl(brl, percent))));
}
