import { type Centavos, type FeeSchedule, fee, MAX_CENTAVOS } from "../lib/money.ts";

/** The amounts of a withdrawal: amount = feeAmount + netAmount. */
type Price = { readonly amount: Centavos; readonly feeAmount: Centavos; readonly netAmount: Centavos };

/** The requested amount: what leaves the wallet, or what the receiver gets. */
export type RequestedAmount = { readonly amount: Centavos } | { readonly netAmount: Centavos };

/**
 * The amounts of a withdrawal under a fee (contract, section 3). With `netAmount`, `amount` is the smallest one whose fee
 * leaves at least that, and the fee is the difference.
 *
 * @returns null where nothing would be left for the receiver, or no amount is large enough.
 */
export function priceOf(schedule: FeeSchedule, asked: RequestedAmount): Price | null {
  if ("amount" in asked) {
    const feeAmount = fee(schedule, asked.amount);
    const netAmount = asked.amount - feeAmount;
    return netAmount < 1 ? null : { amount: asked.amount, feeAmount, netAmount };
  }
  const { netAmount } = asked;
  const leaves = (amount: Centavos): Centavos => amount - fee(schedule, amount);
  if (leaves(MAX_CENTAVOS) < netAmount) return null;
  // When the amount grows by a centavo, the fee grows by at most a centavo (it is at most 100 %), so the net amount never
  // shrinks: a binary search finds the smallest amount in 40 steps.
  let [low, high] = [netAmount, MAX_CENTAVOS];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (leaves(middle) >= netAmount) high = middle;
    else low = middle + 1;
  }
  return { amount: low, feeAmount: low - netAmount, netAmount };
}
